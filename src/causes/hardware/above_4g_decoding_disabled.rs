//! A memory window (BAR) of a GPU in a slot of the board has no address: the firmware keeps windows below 4 GiB.

use super::windows;
use crate::causes::{Case, Cause, Finding, Level};
use crate::symptom::AFTER_KERNEL_DRIVER;

/// The cause.
pub static CAUSE: Cause = Cause {
    page: include_str!("above-4g-decoding-disabled.md"),
    explains: &[AFTER_KERNEL_DRIVER, windows::MORE],
    assess,
};

fn assess(case: &Case) -> Vec<Finding> {
    let mut findings = windows::findings(case, &CAUSE, |place| match place {
        windows::Place::Board => Level::Supported,
        windows::Place::Unknown | windows::Place::Guest | windows::Place::ExternalPort => Level::Possible,
    });
    // In a guest and behind an external port the firmware of this machine has no such setting.
    findings.retain(|finding| !windows::is_elsewhere(case, &finding.subject));
    findings
}
