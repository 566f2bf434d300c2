//! The GPU lies between the oldest and the newest architecture of the build, and its own is left out.

use super::architecture;
use crate::causes::{Case, Cause, Finding};
use crate::symptom::Kind;
use crate::tables::archs::Why;

/// The first kernel fails with 209, "no kernel image is available".
pub static CAUSE: Cause = Cause {
    page: include_str!("gpu-arch-missing-in-build.md"),
    explains: &[&[Kind::ArchitectureMissing, Kind::Tensor]],
    assess,
};

fn assess(case: &Case) -> Vec<Finding> {
    architecture::assess(case, Why::Missing)
}
