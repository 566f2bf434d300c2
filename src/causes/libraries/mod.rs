//! Causes of the layer libraries.

use super::Cause;

/// The causes of this layer.
pub static ALL: &[&Cause] = &[];
