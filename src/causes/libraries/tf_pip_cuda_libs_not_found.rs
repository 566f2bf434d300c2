//! TensorFlow's pip packages with CUDA are there, and not searched.

use crate::causes::{Cause, only_words};

/// Only its own messages show it.
pub static CAUSE: Cause =
    Cause { page: include_str!("tf-pip-cuda-libs-not-found.md"), explains: &[], assess: only_words };
