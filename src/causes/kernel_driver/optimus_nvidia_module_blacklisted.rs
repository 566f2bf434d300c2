//! A tool that switches hybrid graphics wrote rules of modprobe that keep nvidia from being loaded.

use super::kernel_module_blacklisted::{by_switcher, rules};
use crate::causes::seen::{self, Installed};
use crate::causes::{Case, Cause, Finding, Level};
use crate::facts::kernel;
use crate::symptom::AFTER_KERNEL_DRIVER;

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("optimus-nvidia-module-blacklisted.md"), explains: &[AFTER_KERNEL_DRIVER], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let rules = rules(case);
    let Some(first) = rules.iter().find(|rule| by_switcher(rule)).filter(|_| seen::waits_for_driver(case)) else {
        return Vec::new();
    };
    let level = match seen::installed(case) {
        Installed::ForThisKernel => Level::Decided,
        Installed::Unknown => Level::Supported,
        // Without a module for this kernel the rule forbids nothing.
        _ => return Vec::new(),
    };
    let look = case.facts.machine(&kernel::BLACKLIST_NVIDIA);
    let mut finding = Finding::machine(level)
        .because_of(&look, rules.join("; "))
        .because_of(&case.facts.machine(&kernel::MODULES), "the nvidia module is not loaded")
        .with("file", first.split(':').next().unwrap_or_default());
    if level != Level::Decided {
        finding = finding.unknown(
            "whether there is a module for this kernel that the rule keeps away",
            "modinfo -F filename nvidia",
            &["optimus-nvidia-module-blacklisted", "kernel-module-not-built-for-kernel"],
        );
    }
    vec![finding]
}
