//! A memory window (BAR) of the GPU has no address, and the machine's firmware setting is not the reason: a guest, an
//! external port, a bridge whose window is too small.

use super::windows;
use crate::causes::{Case, Cause, Finding, Level};
use crate::symptom::AFTER_KERNEL_DRIVER;

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("pci-bar-not-assigned.md"), explains: &[AFTER_KERNEL_DRIVER, windows::MORE], assess };

fn assess(case: &Case) -> Vec<Finding> {
    windows::findings(case, &CAUSE, |place| match place {
        windows::Place::Guest | windows::Place::ExternalPort => Level::Supported,
        windows::Place::Board | windows::Place::Unknown => Level::Possible,
    })
}
