//! ONNX Runtime's CUDA libraries are in pip packages only, which its loader does not search.

use crate::causes::{Cause, only_words};

/// Only its own messages show it.
pub static CAUSE: Cause =
    Cause { page: include_str!("onnxruntime-cuda-libs-not-on-path.md"), explains: &[], assess: only_words };
