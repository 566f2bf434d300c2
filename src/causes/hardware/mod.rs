//! Causes of the layer hardware.

use super::Cause;

/// The causes of this layer.
pub static ALL: &[&Cause] = &[];
