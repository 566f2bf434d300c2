//! An automatic device map that moved modules out of the GPU.

use crate::causes::{Cause, only_words};

/// The cause; only text shows it.
pub static CAUSE: Cause =
    Cause { page: include_str!("accelerate-offloaded-to-cpu.md"), explains: &[], assess: only_words };
