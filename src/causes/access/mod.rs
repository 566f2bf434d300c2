//! Causes of the layer access.

use super::Cause;

/// The causes of this layer.
pub static ALL: &[&Cause] = &[];
