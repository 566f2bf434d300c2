//! The CuPy wheel is of one CUDA major version and the libraries are of another.

use crate::causes::{Cause, only_words};

/// Only its own messages show it.
pub static CAUSE: Cause =
    Cause { page: include_str!("cupy-cuda-major-mismatch.md"), explains: &[], assess: only_words };
