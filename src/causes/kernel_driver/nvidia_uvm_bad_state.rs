//! nvidia_uvm is loaded, its node opens, nothing slept, and cuInit gives 999 all the same.

use crate::causes::{Case, Cause, Finding, Level, seen};
use crate::checks::given;
use crate::facts::{cuda, host, kernel, nvidia};
use crate::subject::Subject;
use crate::symptom::AFTER_CUINIT;

/// The cause.
pub static CAUSE: Cause = Cause { page: include_str!("nvidia-uvm-bad-state.md"), explains: &[AFTER_CUINIT], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let facts = case.facts;
    let opens = facts.look(&kernel::NODE_OPEN, &Subject::file("/dev/nvidia-uvm"));
    let slept = facts.value(&host::SUSPENDS).is_some_and(|n| n > 0)
        || !seen::log_lines(case, &["pm: suspend exit", "pm: hibernation"]).is_empty();
    if facts.value(&cuda::INIT) != Some(999)
        || given::module_loaded(facts, "nvidia_uvm") != Some(true)
        || opens.clone().seen().as_deref() != Some("ok")
        || slept
        // NVML does not need that module: where it fails as well, something else is wrong.
        || facts.value(&nvidia::NVML_INIT).is_some_and(|code| code != 0)
        // A libcuda of another version than the module fails for that reason.
        || foreign_libcuda(case)
    {
        return Vec::new();
    }
    let finding = Finding::machine(Level::Supported)
        .because_of(&facts.machine(&cuda::INIT), "cuInit gives 999 (unknown error)")
        .because_of(&opens, "nvidia_uvm is loaded and /dev/nvidia-uvm can be opened")
        .unknown(
            "whether reloading nvidia_uvm cures it",
            "sudo modprobe -r nvidia_uvm && sudo modprobe nvidia_uvm",
            &["nvidia-uvm-bad-state", "cuda-init-fails"],
        );
    vec![finding]
}

fn foreign_libcuda(case: &Case) -> bool {
    let library = case.value(&cuda::LIBRARY).and_then(|library| library.version);
    let module = case.value(&kernel::MODULE_VERSION);
    library.zip(module).is_some_and(|(library, module)| library != module)
}
