//! The CuPy wheel is of one CUDA major version and the libraries are of another.

use super::of_major::{self, Sought};
use crate::causes::{Case, Cause, Finding};

/// CuPy wants a library that is not there, or is there in another major version.
pub static CAUSE: Cause = Cause { page: include_str!("cupy-cuda-major-mismatch.md"), explains: &[], assess };

fn assess(case: &Case) -> Vec<Finding> {
    of_major::assess(case, "cupy", Sought::Anywhere)
}
