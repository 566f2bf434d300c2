//! A rule of modprobe or an argument of the kernel forbids loading nvidia.

use crate::causes::seen::{self, Installed};
use crate::causes::{Case, Cause, Finding, Level};
use crate::facts::kernel;
use crate::symptom::AFTER_KERNEL_DRIVER;

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("kernel-module-blacklisted.md"), explains: &[AFTER_KERNEL_DRIVER], assess };

/// What forbids nvidia here. The rules in a container's files are not the host's; the kernel's command line is.
pub fn rules(case: &Case) -> Vec<String> {
    let mut rules = case.value(&kernel::BLACKLIST_NVIDIA).unwrap_or_default();
    if case.in_container().is_some() {
        rules.retain(|rule| rule_file(rule).is_none());
    }
    rules
}

/// Whether a tool that switches hybrid graphics wrote the rule: by the name of its file, or by an alias that leads nowhere.
pub fn by_switcher(rule: &str) -> bool {
    let rule = rule.to_lowercase();
    let names = ["prime", "optimus", "envycontrol", "bumblebee", "integrated", "system76", "/blacklist-nvidia.conf"];
    rule.starts_with('/') && (names.iter().any(|name| rule.contains(name)) || rule.ends_with(" off"))
}

fn assess(case: &Case) -> Vec<Finding> {
    let mut rules = rules(case);
    // What such a tool wrote it takes back itself: optimus-nvidia-module-blacklisted.
    if rules.iter().any(|rule| by_switcher(rule)) {
        rules.retain(|rule| rule_file(rule).is_none());
    }
    let Some(first) = rules.first().filter(|_| seen::waits_for_driver(case)) else { return Vec::new() };
    let level = match seen::installed(case) {
        Installed::ForThisKernel => Level::Decided,
        Installed::Unknown => Level::Supported,
        // Without a module for this kernel the rule forbids nothing.
        _ => return Vec::new(),
    };
    let look = case.facts.machine(&kernel::BLACKLIST_NVIDIA);
    let mut finding = Finding::machine(level)
        .with("rule", first.clone())
        .because_of(&look, rules.join("; "))
        .because_of(&case.facts.machine(&kernel::MODULES), "the nvidia module is not loaded");
    if let Some(file) = case.value(&kernel::MODULE_FILE) {
        let text = format!("a module for this kernel is there: {file}");
        finding = finding.because_of(&case.facts.machine(&kernel::MODULE_FILE), text);
    }
    if level != Level::Decided {
        finding = finding.unknown(
            "whether there is a module for this kernel that the rule keeps away",
            "modinfo -F filename nvidia",
            &["kernel-module-blacklisted", "kernel-module-not-built-for-kernel"],
        );
    }
    finding = match rule_file(first) {
        Some(file) => finding.tagged("file").with("file", file),
        None => finding.tagged("argument"),
    };
    vec![finding]
}

/// The file of `/etc/modprobe.d/x.conf:3: blacklist nvidia`; nothing for an argument of the kernel.
fn rule_file(rule: &str) -> Option<&str> {
    rule.starts_with('/').then(|| rule.split(':').next()).flatten()
}
