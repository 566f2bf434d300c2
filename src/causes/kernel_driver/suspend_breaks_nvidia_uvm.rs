//! After a suspend nvidia_uvm is loaded, its node opens, and cuInit gives 999 all the same.

use crate::causes::{Case, Cause, Finding, Level, seen};
use crate::checks::Evidence;
use crate::checks::given::{self, Platform};
use crate::facts::{cuda, host, kernel};
use crate::subject::Subject;
use crate::symptom::AFTER_CUINIT;

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("suspend-breaks-nvidia-uvm.md"), explains: &[AFTER_CUINIT], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let facts = case.facts;
    let suspends = facts.value(&host::SUSPENDS).unwrap_or_default();
    let said = seen::log_lines(case, &["pm: suspend exit", "pm: hibernation"]);
    // Neither Windows' driver nor a Jetson's has this module.
    let elsewhere = !matches!(given::platform(facts), Platform::Bus | Platform::Blind);
    if elsewhere
        || facts.value(&cuda::INIT) != Some(999)
        || given::module_loaded(facts, "nvidia_uvm") == Some(false)
        || (suspends == 0 && said.is_empty())
    {
        return Vec::new();
    }
    let node = facts.look(&kernel::NODE_OPEN, &Subject::file("/dev/nvidia-uvm"));
    let opens = facts.look(&kernel::NODE_OPEN, &Subject::file("/dev/nvidia-uvm")).seen();
    let level = match opens.as_deref() {
        Some("ok") => Level::Supported,
        // A node that is missing or refused explains 999 by itself.
        Some(_) => return Vec::new(),
        None if node.is_absent() => return Vec::new(),
        None => Level::Possible,
    };
    let mut finding = Finding::machine(level)
        .because_of(&facts.machine(&cuda::INIT), "cuInit gives 999 (unknown error)")
        .because_of(&node, "/dev/nvidia-uvm can be opened");
    if suspends > 0 {
        let times = if suspends == 1 { "once".to_string() } else { format!("{suspends} times") };
        let text = format!("this machine woke from suspend {times} since it was started");
        finding = finding.because_of(&facts.machine(&host::SUSPENDS), text);
    }
    for (line, fact) in said.iter().rev().take(1) {
        finding = finding.because(Evidence::of(fact, format!("kernel log: {line}")));
    }
    vec![finding.unknown(
        "whether reloading nvidia_uvm cures it",
        "sudo modprobe -r nvidia_uvm && sudo modprobe nvidia_uvm",
        &["suspend-breaks-nvidia-uvm", "cuda-init-fails"],
    )]
}
