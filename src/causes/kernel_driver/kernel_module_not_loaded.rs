//! A module for this kernel is there, nothing forbids it, and nobody loaded it.

use crate::causes::seen::{self, Installed};
use crate::causes::{Case, Cause, Finding, Level};
use crate::checks::given;
use crate::facts::kernel;
use crate::symptom::AFTER_KERNEL_DRIVER;

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("kernel-module-not-loaded.md"), explains: &[AFTER_KERNEL_DRIVER], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let facts = case.facts;
    let refuted = !seen::waits_for_driver(case)
        || seen::installed(case) != Installed::ForThisKernel
        || case.value(&kernel::BLACKLIST_NVIDIA).is_some_and(|rules| !rules.is_empty())
        || !seen::bound_to(case, super::nouveau_bound::DRIVERS).is_empty()
        || !super::gpu_too_old_for_driver_branch::too_old(case).is_empty()
        || wrong_flavour(case);
    if refuted {
        return Vec::new();
    }
    // An attempt that failed leaves the driver's words or the kernel's; the greeting of a module that was there once is none.
    let mut tried = seen::log_lines(case, &["nvrm"]);
    tried.retain(|(line, _)| !line.to_lowercase().contains("loading nvidia unix"));
    tried.extend(seen::log_lines(case, super::secure_boot_unsigned_module::REFUSED));
    let log = facts.machine(&kernel::LOG);
    let rules = facts.machine(&kernel::BLACKLIST_NVIDIA);
    let level = match () {
        _ if super::secure_boot_unsigned_module::in_question(case) => Level::Possible,
        // The kernel tried and said something: what it said is not understood here.
        _ if !tried.is_empty() => Level::Possible,
        _ if log.fact().is_some() && log.why_failed().is_none() && rules.fact().is_some() => Level::Decided,
        _ => Level::Supported,
    };
    let file = facts.value(&kernel::MODULE_FILE).unwrap_or_default();
    let mut finding = Finding::machine(level)
        .with("file", file.clone())
        .because_of(&facts.machine(&kernel::MODULES), "the nvidia module is not loaded")
        .because_of(&facts.machine(&kernel::MODULE_FILE), format!("a module for this kernel is there: {file}"));
    if rules.fact().is_some() && rules.why_failed().is_none() {
        finding = finding.because_of(&rules, "no rule and no kernel argument forbids it");
    }
    if level == Level::Decided {
        finding = finding.because_of(&log, "the kernel log tells of no attempt that failed");
    } else {
        finding = finding.unknown(
            "what the kernel answers when the module is loaded",
            "sudo modprobe nvidia; journalctl -k -b | grep -iE 'nvrm|nvidia|module'",
            &["kernel-module-not-loaded", "secure-boot-unsigned-module", "gpu-too-old-for-driver-branch"],
        );
    }
    vec![finding]
}

/// Whether the module is of a flavour that cannot drive any of the GPUs: then loading it would not help.
pub fn wrong_flavour(case: &Case) -> bool {
    let unserved = seen::unserved(case);
    !unserved.is_empty() && given::expected(case.facts).iter().all(|gpu| unserved.iter().any(|u| u.gpu == *gpu))
}
