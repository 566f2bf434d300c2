//! The project's lock file or sources route torch to a build without CUDA.

use super::cpu_build;
use crate::causes::{Case, Cause, Evidence, Finding, advice};

/// A torch without CUDA, and an entry of a lock file about it.
pub static CAUSE: Cause = Cause { page: include_str!("lockfile-selects-cpu-wheel.md"), explains: &[], assess };

/// Whether an entry of a lock file explains the build; its plain name then says less.
pub fn explains(case: &Case) -> bool {
    !assess(case).is_empty()
}

fn assess(case: &Case) -> Vec<Finding> {
    let worded = cpu_build::with_circumstance(case, &["lock-entry-of-torch"]);
    let text = "a lock file or its settings choose the build of torch";
    let named =
        |(finding, fact): (Finding, _)| advice::with_build(finding.because(Evidence::of(fact, text)), case.facts, None);
    worded.map(named).into_iter().collect()
}
