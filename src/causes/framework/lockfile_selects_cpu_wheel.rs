//! The project's lock file or sources route torch to a build without CUDA.

use super::cpu_build;
use crate::causes::{Case, Cause, Evidence, Finding};

/// A torch without CUDA, and an entry of a lock file about it.
pub static CAUSE: Cause = Cause { page: include_str!("lockfile-selects-cpu-wheel.md"), explains: &[], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let worded = cpu_build::with_circumstance(case, &["lock-entry-of-torch", "lock-file"]);
    let text = "a lock file or its settings choose the build of torch";
    worded.map(|(finding, fact)| finding.because(Evidence::of(fact, text))).into_iter().collect()
}
