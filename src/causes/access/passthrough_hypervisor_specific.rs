//! A passed-through card that works under one hypervisor and not under another.

use crate::causes::{Cause, only_words};
use crate::symptom::AFTER_ACCESS;

/// The cause; only text shows it.
pub static CAUSE: Cause =
    Cause { page: include_str!("passthrough-hypervisor-specific.md"), explains: &[AFTER_ACCESS], assess: only_words };
