//! ONNX Runtime's CUDA libraries are in pip packages only, which its loader does not search.

use super::of_major::{self, Sought};
use crate::causes::{Case, Cause, Finding};

/// The loader misses a library that lies in a wheel.
pub static CAUSE: Cause = Cause { page: include_str!("onnxruntime-cuda-libs-not-on-path.md"), explains: &[], assess };

fn assess(case: &Case) -> Vec<Finding> {
    of_major::assess(case, "onnxruntime", Sought::InWheels)
}
