//! llama.cpp or llama-cpp-python was compiled without CUDA.

use crate::causes::{Cause, only_words};

/// Only its log shows it.
pub static CAUSE: Cause =
    Cause { page: include_str!("llamacpp-built-without-cuda.md"), explains: &[], assess: only_words };
