//! The pod was granted a GPU, and was started by a runtime that knows nothing of GPUs.

use super::pods::{self, Granted};
use crate::causes::{Case, Cause, Finding, Level};
use crate::checks::Evidence;
use crate::facts::cuda;
use crate::symptom::{AFTER_ACCESS, Kind};

/// The cause.
pub static CAUSE: Cause = Cause {
    page: include_str!("k8s-runtimeclass-missing.md"),
    explains: &[AFTER_ACCESS, &[Kind::NvmlMissing, Kind::LibcudaMissing, Kind::SmiMissing]],
    assess,
};

fn assess(case: &Case) -> Vec<Finding> {
    let (level, fact, text) = match pods::granted_and_empty(case) {
        Some(Granted::ByName(fact)) => {
            (Level::Supported, fact, "the device plugin named a GPU in NVIDIA_VISIBLE_DEVICES")
        }
        Some(Granted::ByMounts(fact)) => (Level::Possible, fact, "the device plugin mounted a grant into the pod"),
        None => return Vec::new(),
    };
    let finding = Finding::machine(level)
        .because(Evidence::of(fact, text))
        .because_of(&case.facts.machine(&cuda::LIBRARY), "and neither nodes nor libraries of the driver are in it")
        .unknown(
            "which runtime started the pod",
            "kubectl get pod POD -o jsonpath='{.spec.runtimeClassName}'; kubectl get runtimeclass",
            &["k8s-runtimeclass-missing", "container-visible-devices-policy"],
        );
    vec![finding]
}
