//! Causes of the layer kernel_driver.

use super::Cause;

/// The causes of this layer.
pub static ALL: &[&Cause] = &[];
