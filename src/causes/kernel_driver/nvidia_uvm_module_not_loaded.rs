//! nvidia is loaded, nvidia_uvm is not and does not come by itself: NVML works and cuInit gives 999.

use crate::causes::{Case, Cause, Finding, Level};
use crate::checks::given;
use crate::facts::{Look, cuda, kernel};
use crate::subject::Subject;
use crate::symptom::{AFTER_CUINIT, Kind};

/// The cause.
pub static CAUSE: Cause = Cause {
    page: include_str!("nvidia-uvm-module-not-loaded.md"),
    explains: &[AFTER_CUINIT, &[Kind::NodeMissing]],
    assess,
};

fn assess(case: &Case) -> Vec<Finding> {
    let facts = case.facts;
    let loaded = given::module_loaded(facts, "nvidia") == Some(true);
    let uvm = given::module_loaded(facts, "nvidia_uvm");
    let major = facts.machine(&kernel::UVM_MAJOR);
    if !loaded || uvm != Some(false) || matches!(major, Look::Seen(..)) {
        return Vec::new();
    }
    let helper = facts.machine(&kernel::NVIDIA_MODPROBE);
    let on_demand = matches!(&helper, Look::Seen(h, _) if h.setuid);
    let node_missing = case.has_code(Kind::NodeMissing, "nvidia-uvm");
    let level = match facts.value(&cuda::INIT) {
        Some(999) if major.is_absent() && !on_demand => Level::Decided,
        Some(999) => Level::Supported,
        None if node_missing => Level::Possible,
        _ => return Vec::new(),
    };
    let mut finding = Finding::machine(level)
        .because_of(&facts.machine(&kernel::MODULES), "nvidia is loaded and nvidia_uvm is not")
        .because_of(&major, "/proc/devices has no nvidia-uvm");
    if level != Level::Possible {
        finding = finding.because_of(&facts.machine(&cuda::INIT), "cuInit gives 999 (unknown error)");
    }
    finding = match &helper {
        Look::Absent(_) => finding.because_of(&helper, "nvidia-modprobe is not installed").tagged("nohelper"),
        Look::Seen(h, _) if !h.setuid => {
            let text = format!("{} is not setuid root, so it can load nothing for a user", h.path);
            finding.because_of(&helper, text).with("helper", h.path.clone()).tagged("helper")
        }
        _ => finding,
    };
    let node = facts.look(&kernel::NODE, &Subject::file("/dev/nvidia-uvm"));
    if node.is_absent() {
        finding = finding.because_of(&node, "there is no /dev/nvidia-uvm");
    }
    if level != Level::Decided {
        finding = finding.unknown(
            "whether loading the module cures it",
            "sudo modprobe nvidia_uvm",
            &["nvidia-uvm-module-not-loaded", "nvidia-uvm-node-missing"],
        );
    }
    vec![finding]
}
