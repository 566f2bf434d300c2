//! bitsandbytes has no native library for the CUDA version that torch uses.

use crate::causes::{Cause, only_words};

/// Only its own messages show it.
pub static CAUSE: Cause =
    Cause { page: include_str!("bitsandbytes-no-binary-for-cuda.md"), explains: &[], assess: only_words };
