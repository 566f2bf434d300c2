//! Causes of the layer doctor.

use super::Cause;

/// The causes of this layer.
pub static ALL: &[&Cause] = &[];
