//! The kernel is locked down without Secure Boot being the reason, and the NVIDIA module has no signature that it trusts.

use crate::causes::seen::{self, Installed};
use crate::causes::{Case, Cause, Finding, Level};
use crate::checks::Evidence;
use crate::facts::kernel;
use crate::symptom::AFTER_KERNEL_DRIVER;

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("kernel-lockdown-unsigned-module.md"), explains: &[AFTER_KERNEL_DRIVER], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let here = matches!(seen::installed(case), Installed::ForThisKernel | Installed::Unknown);
    // With Secure Boot on, the lockdown is its doing, and a key that is enrolled cures it.
    if !seen::waits_for_driver(case) || !here || case.value(&kernel::SECURE_BOOT) == Some(true) {
        return Vec::new();
    }
    let facts = case.facts;
    let mode = case.value(&kernel::LOCKDOWN).filter(|mode| mode != "none");
    let said = seen::log_lines(case, &["lockdown: ", "unsigned module loading is restricted"]);
    let refused: Vec<_> = said.iter().filter(|(line, _)| line.contains("unsigned module")).collect();
    let unsigned = case.value(&kernel::MODINFO).is_some_and(|info| info.signer.is_none());
    let level = match (&mode, refused.is_empty()) {
        (Some(_), false) => Level::Decided,
        (Some(_), true) if unsigned => Level::Decided,
        (Some(_), true) => Level::Possible,
        (None, false) => Level::Supported,
        (None, true) => return Vec::new(),
    };
    let mut finding = Finding::machine(level);
    if let Some(mode) = &mode {
        finding = finding.because_of(&facts.machine(&kernel::LOCKDOWN), format!("the kernel's lockdown is {mode}"));
    }
    if unsigned {
        finding = finding.because_of(&facts.machine(&kernel::MODINFO), "the module has no signature");
    }
    for (line, fact) in refused.iter().take(2) {
        finding = finding.because(Evidence::of(fact, format!("kernel log: {line}")));
    }
    if level != Level::Decided {
        finding = finding.unknown(
            "what the kernel answers to the module",
            "cat /sys/kernel/security/lockdown; sudo modprobe nvidia",
            &["kernel-lockdown-unsigned-module", "secure-boot-unsigned-module", "kernel-module-not-loaded"],
        );
    }
    vec![finding]
}
