//! Blackwell and newer GPUs are served by the open flavour of the modules only, and the closed one is installed.

use super::flavour;
use crate::causes::{Case, Cause, Finding};
use crate::symptom::AFTER_KERNEL_DRIVER;
use crate::tables::drivers::Flavours;

/// The cause.
pub static CAUSE: Cause = Cause {
    page: include_str!("blackwell-needs-open-kernel-module.md"),
    explains: &[AFTER_KERNEL_DRIVER, flavour::MORE],
    assess,
};

/// The driver's own words (nv.c).
const WORDS: &[&str] = &["requires use of the nvidia open"];

fn assess(case: &Case) -> Vec<Finding> {
    flavour::findings(case, &CAUSE, Flavours::OpenOnly, WORDS)
}
