//! Causes of the layer health.

use super::Cause;

/// The causes of this layer.
pub static ALL: &[&Cause] = &[];
