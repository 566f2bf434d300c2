//! Causes of the layer cuda.

use super::Cause;

/// The causes of this layer.
pub static ALL: &[&Cause] = &[];
