//! The engine has no runtime of the name nvidia.

use crate::causes::{Cause, only_words};
use crate::symptom::AFTER_ACCESS;

/// The cause; only text shows it.
pub static CAUSE: Cause =
    Cause { page: include_str!("container-runtime-not-configured.md"), explains: &[AFTER_ACCESS], assess: only_words };
