//! The toolkit was told to give the container everything but `compute`: NVML is there, libcuda is not.

use crate::causes::{Case, Cause, Finding, Level};
use crate::facts::{Look, cuda, host, nvidia};
use crate::symptom::{AFTER_CUINIT, Kind};

/// The cause.
pub static CAUSE: Cause = Cause {
    page: include_str!("container-driver-capabilities-missing.md"),
    explains: &[AFTER_CUINIT, &[Kind::LibcudaMissing, Kind::NodeMissing]],
    assess,
};

fn assess(case: &Case) -> Vec<Finding> {
    let facts = case.facts;
    let library = facts.machine(&cuda::LIBRARY);
    if case.in_container().is_none() || !library.is_absent() || facts.value(&nvidia::NVML_INIT) != Some(0) {
        return Vec::new();
    }
    let wanted = facts.variable("NVIDIA_DRIVER_CAPABILITIES");
    let (level, value) = match &wanted {
        Look::Seen(value, _) if value.split(',').any(|part| matches!(part.trim(), "compute" | "all")) => {
            return Vec::new();
        }
        Look::Seen(value, _) => (Level::Decided, value.clone()),
        // The configuration of the host may say the same.
        _ => (Level::Possible, "not set".to_string()),
    };
    let mut finding = Finding::machine(level)
        .because_of(&facts.machine(&host::CONTAINER), "this is a container")
        .because_of(&facts.machine(&nvidia::NVML_INIT), "NVML was put into it and works")
        .because_of(&library, "libcuda.so.1 was not")
        .because_of(&wanted, format!("NVIDIA_DRIVER_CAPABILITIES is {value}"))
        .with("value", value);
    if level != Level::Decided {
        finding = finding.unknown(
            "which parts of the driver the container was given",
            "grep -c libcuda /proc/self/mountinfo; env | grep NVIDIA_DRIVER_CAPABILITIES",
            &["container-driver-capabilities-missing", "container-without-gpu-access"],
        );
    }
    vec![finding]
}
