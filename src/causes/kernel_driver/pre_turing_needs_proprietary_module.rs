//! GPUs before Turing lack the processor that the open flavour of the modules needs, and that flavour is installed.

use super::flavour;
use crate::causes::{Case, Cause, Finding};
use crate::symptom::AFTER_KERNEL_DRIVER;
use crate::tables::drivers::Flavours;

/// The cause.
pub static CAUSE: Cause = Cause {
    page: include_str!("pre-turing-needs-proprietary-module.md"),
    explains: &[AFTER_KERNEL_DRIVER, flavour::MORE],
    assess,
};

/// The driver's own words (nv.c).
const WORDS: &[&str] = &["not supported by open nvidia.ko", "does not include the required gpu system processor"];

fn assess(case: &Case) -> Vec<Finding> {
    flavour::findings(case, &CAUSE, Flavours::ClosedOnly, WORDS)
}
