//! llama.cpp warns about the GPU before its CUDA back end is loaded.

use crate::causes::{Cause, only_words};

/// Only its log shows it.
pub static CAUSE: Cause =
    Cause { page: include_str!("llamacpp-backend-load-order-bug.md"), explains: &[], assess: only_words };
