//! TensorFlow finds CUDA or cuDNN in another version than the one it was built for.

use crate::causes::{Cause, only_words};

/// Only its own messages show it.
pub static CAUSE: Cause =
    Cause { page: include_str!("tf-cuda-version-mismatch.md"), explains: &[], assess: only_words };
