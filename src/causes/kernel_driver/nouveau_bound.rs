//! The kernel's own driver for NVIDIA GPUs owns the GPU, so the NVIDIA module finds nothing to drive.

use crate::causes::seen::{self, Installed};
use crate::causes::{Case, Cause, Finding, Level};
use crate::facts::{kernel, pci};
use crate::subject::Kind as SubjectKind;
use crate::symptom::{AFTER_KERNEL_DRIVER, Kind};

const MORE: &[Kind] = &[Kind::FewerGpusThanExpected];

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("nouveau-bound.md"), explains: &[AFTER_KERNEL_DRIVER, MORE], assess };

/// The kernel's own drivers for NVIDIA GPUs: nouveau, and its successor nova.
pub const DRIVERS: &[&str] = &["nouveau", "nova", "nova_core", "NovaCore"];

fn assess(case: &Case) -> Vec<Finding> {
    let gpus = seen::bound_to(case, DRIVERS);
    let level = match seen::installed(case) {
        _ if gpus.is_empty() => return Vec::new(),
        // The NVIDIA module is there and would take the GPU.
        Installed::ForThisKernel => Level::Decided,
        _ if seen::nvidia_loaded(case) == Some(true) => Level::Decided,
        Installed::LibrariesOnly | Installed::Unknown => Level::Supported,
        // Nouveau steps in where there is no NVIDIA module: then it is no cause.
        Installed::Nothing | Installed::ForOtherKernels => return Vec::new(),
    };
    let mut findings = seen::about_gpus(case, &gpus, level, &[AFTER_KERNEL_DRIVER, MORE]);
    for finding in &mut findings {
        let mut full = finding.clone();
        for gpu in gpus.iter().filter(|g| finding.subject.kind == SubjectKind::Machine || **g == finding.subject) {
            let look = case.facts.look(&pci::DRIVER, gpu);
            let driver = case.facts.look(&pci::DRIVER, gpu).seen().unwrap_or_default();
            full = full.because_of(&look, format!("{driver} drives {}", gpu.id)).with("other", driver);
        }
        let forbidden = case.facts.machine(&kernel::BLACKLIST_NOUVEAU);
        if let Some(rules) = case.value(&kernel::BLACKLIST_NOUVEAU) {
            full = match rules.first() {
                // The rule is there and nouveau ran before it: the initial ramdisk is older than the rule.
                Some(rule) => full.because_of(&forbidden, format!("it is forbidden by {rule}")).tagged("stale"),
                None => full.because_of(&forbidden, "no rule keeps nouveau from loading").tagged("unforbidden"),
            };
        } else {
            full = full.tagged("unforbidden");
        }
        if level != Level::Decided {
            full = full.unknown(
                "whether the NVIDIA module is installed for the running kernel",
                "modinfo -F filename nvidia",
                &["nouveau-bound", "driver-not-installed", "kernel-module-not-built-for-kernel"],
            );
        }
        *finding = full;
    }
    findings
}
