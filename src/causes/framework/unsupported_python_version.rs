//! No CUDA build exists for this Python version.

use crate::causes::{Cause, only_words};

/// Only what the installer says shows it.
pub static CAUSE: Cause =
    Cause { page: include_str!("unsupported-python-version.md"), explains: &[], assess: only_words };
