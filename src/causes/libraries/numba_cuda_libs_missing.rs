//! Numba's CUDA part finds no CUDA toolkit to compile with.

use super::of_major::{self, Sought};
use crate::causes::{Case, Cause, Finding};

/// The loader misses a library of the toolkit.
pub static CAUSE: Cause = Cause { page: include_str!("numba-cuda-libs-missing.md"), explains: &[], assess };

fn assess(case: &Case) -> Vec<Finding> {
    of_major::assess(case, "numba", Sought::Anywhere)
}
