//! Causes of the layer framework.

use super::Cause;

/// The causes of this layer.
pub static ALL: &[&Cause] = &[];
