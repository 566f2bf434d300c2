//! The engine is asked for GPUs, and the host has no NVIDIA container toolkit.

use crate::causes::{Cause, only_words};
use crate::symptom::AFTER_ACCESS;

/// The cause; only text shows it.
pub static CAUSE: Cause =
    Cause { page: include_str!("container-toolkit-missing.md"), explains: &[AFTER_ACCESS], assess: only_words };
