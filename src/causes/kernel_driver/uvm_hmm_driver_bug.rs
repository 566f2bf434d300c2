//! The UVM module's heterogeneous memory management fails on some kernels, and CUDA does not start.

use crate::causes::{Case, Cause, Finding, Level, seen};
use crate::checks::{Evidence, given};
use crate::facts::{cuda, host, kernel, pci, said};
use crate::subject::Subject;
use crate::symptom::AFTER_CUINIT;

/// The cause.
pub static CAUSE: Cause = Cause { page: include_str!("uvm-hmm-driver-bug.md"), explains: &[AFTER_CUINIT], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let facts = case.facts;
    let off = facts.machine(&kernel::UVM_DISABLE_HMM);
    let words = seen::log_lines(case, &["request_free_mem_region"]);
    let opens = facts.look(&kernel::NODE_OPEN, &Subject::file("/dev/nvidia-uvm"));
    // In a text a 3 may come from a forked child. Here a fresh process asked.
    let fresh = facts.machine(&said::LINES).fact().is_none();
    let level = match facts.value(&cuda::INIT) {
        _ if off.clone().seen() == Some(true) || given::module_loaded(facts, "nvidia_uvm") == Some(false) => {
            return Vec::new();
        }
        Some(3 | 802) if !words.is_empty() => Level::Supported,
        Some(3) if fresh && off.clone().seen() == Some(false) && opens.clone().seen().as_deref() == Some("ok") => {
            Level::Supported
        }
        Some(802) if off.clone().seen() == Some(false) && facts.value(&pci::NVSWITCHES) == Some(0) => Level::Possible,
        _ => return Vec::new(),
    };
    let code = facts.value(&cuda::INIT).unwrap_or_default();
    let mut finding = Finding::machine(level)
        .because_of(&facts.machine(&cuda::INIT), format!("cuInit gives {code} in a fresh process"))
        .because_of(&off, "uvm_disable_hmm is off, so heterogeneous memory management is on")
        .because_of(
            &facts.machine(&host::KERNEL),
            format!("the kernel is {}", facts.value(&host::KERNEL).unwrap_or_default()),
        );
    for (line, fact) in words.iter().take(1) {
        finding = finding.because(Evidence::of(fact, format!("kernel log: {line}")));
    }
    vec![finding.unknown(
        "whether CUDA starts with that memory management switched off",
        "sudo modprobe -r nvidia_uvm && sudo modprobe nvidia_uvm uvm_disable_hmm=1",
        &["uvm-hmm-driver-bug", "cuda-initialized-before-fork", "cuda-init-fails"],
    )]
}
