//! NVIDIA's runtime ran, and its configuration does not accept the list of devices in the way in which it came.

use super::pods::{self, Granted};
use crate::causes::{Case, Cause, Finding, Level};
use crate::checks::Evidence;
use crate::facts::cuda;
use crate::symptom::{AFTER_ACCESS, Kind};

/// The cause.
pub static CAUSE: Cause = Cause {
    page: include_str!("container-visible-devices-policy.md"),
    explains: &[AFTER_ACCESS, &[Kind::NvmlMissing, Kind::LibcudaMissing, Kind::SmiMissing]],
    assess,
};

fn assess(case: &Case) -> Vec<Finding> {
    let (level, fact, text) = match pods::granted_and_empty(case) {
        Some(Granted::ByMounts(fact)) => (
            Level::Supported,
            fact,
            "the device plugin handed the GPUs over as mounts below /var/run/nvidia-container-devices",
        ),
        Some(Granted::ByName(fact)) => {
            (Level::Possible, fact, "the device plugin named a GPU in NVIDIA_VISIBLE_DEVICES")
        }
        None => return Vec::new(),
    };
    let finding = Finding::machine(level)
        .because(Evidence::of(fact, text))
        .because_of(&case.facts.machine(&cuda::LIBRARY), "and nothing of the driver was put into the pod")
        .unknown(
            "which ways the toolkit of the node accepts",
            "grep accept-nvidia-visible-devices /etc/nvidia-container-runtime/config.toml",
            &["container-visible-devices-policy", "k8s-runtimeclass-missing"],
        );
    vec![finding]
}
