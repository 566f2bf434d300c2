//! The batch system placed this job on the machine without granting it a GPU.

use crate::causes::{Case, Cause, Finding, Level, seen};
use crate::facts::{Look, host, kernel};
use crate::subject::Subject;
use crate::symptom::{AFTER_ACCESS, Kind};

/// The cause.
pub static CAUSE: Cause = Cause {
    page: include_str!("scheduler-no-gpu-allocated.md"),
    explains: &[AFTER_ACCESS, &[Kind::MaskHidesAll, Kind::NvmlMissing, Kind::LibcudaMissing, Kind::SmiMissing]],
    assess,
};

fn assess(case: &Case) -> Vec<Finding> {
    let facts = case.facts;
    let refused = seen::refused(case, "EPERM");
    let inside = case.in_container().is_some();
    let mask = facts.variable("CUDA_VISIBLE_DEVICES").seen();
    let hidden = case.has_code(Kind::MaskHidesAll, "CUDA_VISIBLE_DEVICES");
    let job = facts.machine(&host::JOB);
    let finding = if seen::job_without_gpu(case, "slurm") {
        let level = match mask.as_deref() {
            // Slurm's own word for "no GPU".
            Some("NoDevFiles") => Level::Decided,
            _ if !refused.is_empty() && !inside => Level::Decided,
            _ if !refused.is_empty() || hidden => Level::Supported,
            _ => return Vec::new(),
        };
        let finding = Finding::machine(level).with("scheduler", "Slurm").tagged("slurm");
        finding.because_of(&job, "this is a Slurm job, and neither SLURM_JOB_GPUS nor SLURM_STEP_GPUS is set")
    } else if seen::job_without_gpu(case, "kubernetes") {
        let Some(level) = in_a_pod(case) else { return Vec::new() };
        let finding = Finding::machine(level).with("scheduler", "Kubernetes").tagged("kubernetes");
        finding.because_of(&job, "this is a Kubernetes pod, and nothing names a GPU that it was granted")
    } else if !refused.is_empty() && !inside && !matches!(job, Look::Seen(..)) {
        // A device cgroup outside of a container: some batch system set it, if nobody wrote a unit by hand.
        Finding::machine(Level::Possible).with("scheduler", "Perhaps a batch system").tagged("other")
    } else {
        return Vec::new();
    };
    let mut finding = finding;
    for (node, fact) in refused.iter().take(2) {
        finding = finding.because(crate::checks::Evidence::of(fact, format!("opening {} gives EPERM", node.id)));
    }
    if let Some(value) = mask.filter(|_| hidden) {
        let text = format!("CUDA_VISIBLE_DEVICES is \"{value}\"");
        finding = finding.because_of(&facts.variable("CUDA_VISIBLE_DEVICES"), text);
    }
    if finding.level != Level::Decided {
        finding = finding.unknown(
            "which resources the batch system granted to this job",
            match case.value(&host::JOB).map(|job| job.scheduler).as_deref() {
                Some("slurm") => "scontrol show job $SLURM_JOB_ID | grep -i gres",
                Some("kubernetes") => "kubectl get pod $HOSTNAME -o jsonpath='{.spec.containers[*].resources}'",
                _ => "cat /proc/self/cgroup",
            },
            &["scheduler-no-gpu-allocated", "container-cgroup-device-access-lost", "container-no-cgroups-setting"],
        );
    }
    vec![finding]
}

/// A pod without nodes: the device plugin sets NVIDIA_VISIBLE_DEVICES to what it granted.
fn in_a_pod(case: &Case) -> Option<Level> {
    let node = case.facts.look(&kernel::NODE, &Subject::file("/dev/nvidiactl"));
    if !node.is_absent() {
        return None;
    }
    match case.facts.variable("NVIDIA_VISIBLE_DEVICES") {
        Look::Seen(value, _) if value == "void" || value.is_empty() => Some(Level::Supported),
        Look::Absent(_) => Some(Level::Supported),
        // `all` is what many images set for themselves.
        Look::Seen(value, _) if value == "all" => Some(Level::Possible),
        _ => None,
    }
}
