//! The kernel's compute driver for AMD took no GPU.

use crate::causes::{Case, Cause, Evidence, Finding, Level, seen};
use crate::checks::makers::lists_no_gpu;
use crate::facts::makers;
use crate::symptom::{AFTER_ACCESS, Kind};

/// The cause.
pub static CAUSE: Cause = Cause {
    page: include_str!("rocm-gpu-not-supported-by-kfd.md"),
    explains: &[AFTER_ACCESS, &[Kind::Unclaimed, Kind::BoundTo]],
    assess,
};

fn assess(case: &Case) -> Vec<Finding> {
    let nodes = case.facts.machine(&makers::KFD);
    let none = nodes.clone().seen().is_some_and(|nodes| lists_no_gpu(&nodes));
    if !none || !case.symptoms(Kind::Unclaimed).any(|o| o.symptom.code() == "kfd") {
        return Vec::new();
    }
    let logged = seen::log_lines(case, &["not supported in kfd", "rejects atomics", "kfd: skipped device"]);
    // Without the kernel's word it may be that the GPU was not yet, or no longer, registered.
    let level = if logged.is_empty() { Level::Supported } else { Level::Decided };
    let mut finding = Finding::machine(level).because_of(&nodes, "kfd lists processors only: every gpu_id is 0");
    for (line, fact) in logged.into_iter().take(3) {
        finding = finding.because(Evidence::of(fact, line.trim()));
    }
    vec![finding.unknown(
        "what the kernel's compute driver says of the GPU",
        "sudo dmesg | grep -i kfd",
        &["rocm-gpu-not-supported-by-kfd"],
    )]
}
