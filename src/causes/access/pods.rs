//! What two rules ask of a pod that was granted a GPU and got nothing of it.

use crate::causes::Case;
use crate::facts::{Fact, Look, cuda, host, kernel};
use crate::subject::Subject;

/// How a device plugin told the container about its GPUs.
pub enum Granted<'a> {
    /// By name, in NVIDIA_VISIBLE_DEVICES.
    ByName(&'a Fact),
    /// By mounts, one for each.
    ByMounts(&'a Fact),
}

/// The grant, where this is a pod that was granted a GPU and has neither nodes nor libraries.
pub fn granted_and_empty<'a>(case: &Case<'a>) -> Option<Granted<'a>> {
    let facts = case.facts;
    if facts.value(&host::JOB).is_none_or(|job| job.scheduler != "kubernetes") {
        return None;
    }
    let node = facts.look(&kernel::NODE, &Subject::file("/dev/nvidiactl"));
    if !node.is_absent() || !facts.machine(&cuda::LIBRARY).is_absent() {
        return None;
    }
    granted(case)
}

/// The grant alone.
pub fn granted<'a>(case: &Case<'a>) -> Option<Granted<'a>> {
    if let Look::Seen(names, fact) = case.facts.machine(&host::DEVICE_MOUNTS)
        && !names.is_empty()
    {
        return Some(Granted::ByMounts(fact));
    }
    match case.facts.variable("NVIDIA_VISIBLE_DEVICES") {
        Look::Seen(value, fact) if value.starts_with("GPU-") || value.starts_with("MIG-") => {
            Some(Granted::ByName(fact))
        }
        _ => None,
    }
}
