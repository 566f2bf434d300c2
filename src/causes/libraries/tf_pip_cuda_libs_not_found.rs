//! TensorFlow's pip packages with CUDA are there, and not searched.

use super::of_major::{self, Sought};
use crate::causes::{Case, Cause, Finding};

/// The loader misses a library that lies in a wheel.
pub static CAUSE: Cause = Cause { page: include_str!("tf-pip-cuda-libs-not-found.md"), explains: &[], assess };

fn assess(case: &Case) -> Vec<Finding> {
    of_major::assess(case, "tensorflow", Sought::InWheels)
}
