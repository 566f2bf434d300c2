//! A model or a batch that was left on the CPU.

use crate::causes::{Cause, only_words};

/// The cause; only text shows it.
pub static CAUSE: Cause =
    Cause { page: include_str!("model-or-data-not-moved-to-device.md"), explains: &[], assess: only_words };
