//! The GPU is newer than everything in the build, and there is no PTX to compile for it.

use super::architecture;
use crate::causes::{Case, Cause, Finding};
use crate::symptom::Kind;
use crate::tables::archs::Why;

/// The first kernel fails with 209, "no kernel image is available".
pub static CAUSE: Cause = Cause {
    page: include_str!("gpu-arch-too-new-for-build.md"),
    explains: &[&[Kind::ArchitectureMissing, Kind::Tensor]],
    assess,
};

fn assess(case: &Case) -> Vec<Finding> {
    architecture::assess(case, Why::TooNew)
}
