//! CUDA that was initialised in the parent of a forked child.

use crate::causes::{Cause, only_words};

/// The cause; only text shows it.
pub static CAUSE: Cause =
    Cause { page: include_str!("cuda-initialized-before-fork.md"), explains: &[], assess: only_words };
