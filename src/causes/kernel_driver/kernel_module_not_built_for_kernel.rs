//! The driver is installed, and not for the kernel that runs.

use crate::causes::seen::{self, Installed};
use crate::causes::{Case, Cause, Finding, Level};
use crate::facts::{kernel, nvidia};
use crate::symptom::AFTER_KERNEL_DRIVER;

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("kernel-module-not-built-for-kernel.md"), explains: &[AFTER_KERNEL_DRIVER], assess };

fn assess(case: &Case) -> Vec<Finding> {
    if !seen::waits_for_driver(case) || super::dkms_build_failed::failed_here(case).is_some() {
        return Vec::new();
    }
    let facts = case.facts;
    let others = facts.value(&kernel::MODULE_OTHER_KERNELS).unwrap_or_default();
    let dkms = facts.value(&kernel::DKMS).unwrap_or_default();
    let (level, found) = match seen::installed(case) {
        Installed::ForOtherKernels if !others.is_empty() => (Level::Decided, format!("only for {}", others.join(", "))),
        Installed::ForOtherKernels => (Level::Supported, "only as sources under DKMS".to_string()),
        // With another driver on the GPU the libraries alone say little.
        Installed::LibrariesOnly if seen::bound_to(case, super::nouveau_bound::DRIVERS).is_empty() => {
            (Level::Supported, "only as libraries".to_string())
        }
        Installed::LibrariesOnly => (Level::Possible, "only as libraries".to_string()),
        _ => return Vec::new(),
    };
    let mut finding = Finding::machine(level)
        .with("found", found)
        .because_of(&facts.machine(&kernel::MODULE_FILE), "there is no nvidia.ko for the running kernel");
    if let Some(last) = others.last() {
        finding = finding.with("other", last.clone()).tagged("other_kernel");
        let text = format!("there is an nvidia.ko for {}", others.join(", "));
        finding = finding.because_of(&facts.machine(&kernel::MODULE_OTHER_KERNELS), text);
    }
    if let Some(entry) = dkms.first() {
        let built = match entry.built_for.is_empty() {
            true => "no kernel".to_string(),
            false => entry.built_for.join(", "),
        };
        let text = format!("DKMS has {} {}, built for {built}", entry.module, entry.version);
        finding = finding.because_of(&facts.machine(&kernel::DKMS), text);
    }
    if let Some(count) = facts.value(&nvidia::LIBRARIES).filter(|n| *n > 0) {
        let text = format!("{count} driver libraries are installed");
        finding = finding.because_of(&facts.machine(&nvidia::LIBRARIES), text);
    }
    let headers = facts.machine(&kernel::HEADERS);
    if headers.is_absent() {
        finding = finding.because_of(&headers, "the headers of the running kernel are missing").tagged("noheaders");
    }
    if level != Level::Decided {
        finding = finding.unknown(
            "for which kernels a driver module is installed",
            "find /lib/modules -name 'nvidia*.ko*'; dkms status",
            &["kernel-module-not-built-for-kernel", "dkms-build-failed", "driver-not-installed"],
        );
    }
    vec![finding]
}
