//! A warning of a library that does not do the work.

use crate::causes::{Cause, only_words};

/// The cause; only text shows it.
pub static CAUSE: Cause =
    Cause { page: include_str!("benign-message-gpu-is-used.md"), explains: &[], assess: only_words };
