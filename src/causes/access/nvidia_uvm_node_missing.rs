//! The kernel knows nvidia-uvm, and this environment has no node for it.

use crate::causes::{Case, Cause, Finding, Level};
use crate::facts::{Look, cuda, kernel};
use crate::subject::Subject;
use crate::symptom::{AFTER_CUINIT, Kind};

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("nvidia-uvm-node-missing.md"), explains: &[AFTER_CUINIT, &[Kind::NodeMissing]], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let facts = case.facts;
    let node = facts.look(&kernel::NODE, &Subject::file("/dev/nvidia-uvm"));
    let major = facts.machine(&kernel::UVM_MAJOR);
    let Look::Seen(number, _) = major else { return Vec::new() };
    // Where other nodes are missing as well, this one is not the matter.
    let others = case.symptoms(Kind::NodeMissing).any(|o| o.symptom.code() != "nvidia-uvm");
    // A node made for another start of the machine, or bound before it existed, is as good as none.
    let file = facts.look(&kernel::NODE, &Subject::file("/dev/nvidia-uvm")).seen();
    let wrong = match &file {
        Some(file) if file.kind != "char" => Some(format!("/dev/nvidia-uvm is no device here ({})", file.kind)),
        Some(file) if file.major != number => Some(format!("/dev/nvidia-uvm has the number {} here", file.major)),
        _ => None,
    };
    if !(node.is_absent() || wrong.is_some()) || others {
        return Vec::new();
    }
    let text = wrong.clone().unwrap_or_else(|| "there is no /dev/nvidia-uvm".to_string());
    let level = match facts.value(&cuda::INIT) {
        Some(999) => Level::Decided,
        None if case.has_code(Kind::NodeMissing, "nvidia-uvm") => Level::Possible,
        _ => return Vec::new(),
    };
    let mut finding = Finding::machine(level)
        .with("major", number.to_string())
        .with("node", wrong.clone().unwrap_or_else(|| "there is no /dev/nvidia-uvm here".to_string()))
        .because_of(&node, text)
        .because_of(&facts.machine(&kernel::UVM_MAJOR), format!("the kernel has nvidia-uvm, as major number {number}"));
    finding = finding.tagged(if wrong.is_some() { "stale" } else { "missing" });
    if wrong.is_some() {
        // Opening it fails for the same reason.
        let mut explains = CAUSE.explained(&finding, case);
        explains.extend(case.symptoms(Kind::NodeOpen).filter(|o| o.symptom.code().starts_with("nvidia-uvm")));
        finding = finding.explaining(explains);
    }
    if level == Level::Decided {
        finding = finding.because_of(&facts.machine(&cuda::INIT), "cuInit gives 999 (unknown error)");
    } else {
        finding = finding.unknown(
            "what cuInit gives",
            "python3 -c \"import ctypes; print(ctypes.CDLL('libcuda.so.1').cuInit(0))\"",
            &["nvidia-uvm-node-missing"],
        );
    }
    vec![finding]
}
