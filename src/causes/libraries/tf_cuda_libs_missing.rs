//! TensorFlow opens CUDA libraries by name and finds at least one of them nowhere.

use crate::causes::{Cause, only_words};

/// Only its own messages show it.
pub static CAUSE: Cause = Cause { page: include_str!("tf-cuda-libs-missing.md"), explains: &[], assess: only_words };
