//! A process computes on one MIG instance, however many it was given.

use crate::causes::{Case, Cause, Finding, Level};
use crate::facts::cuda;
use crate::report::Severity;
use crate::symptom::Kind;

/// The cause.
pub static CAUSE: Cause = Cause {
    page: include_str!("mig-single-instance-limit.md"),
    explains: &[&[Kind::CudaFewer, Kind::FewerGpusThanExpected]],
    assess,
};

fn assess(case: &Case) -> Vec<Finding> {
    let mask = case.facts.variable("CUDA_VISIBLE_DEVICES");
    let count = case.facts.machine(&cuda::COUNT);
    let named = mask.clone().seen().map(|mask| mask.split(',').filter(|e| e.trim().starts_with("MIG-")).count());
    let Some(named) = named.filter(|n| *n > 1 && count.clone().seen() == Some(1)) else { return Vec::new() };
    let finding = Finding::machine(Level::Decided)
        .because_of(&mask, format!("CUDA_VISIBLE_DEVICES names {named} MIG instances"))
        .because_of(&count, "CUDA counts one device");
    // What is there works; it is one instance and not several. Where somebody insists on more, that fails.
    let insisted = case.has(Kind::FewerGpusThanExpected);
    vec![if insisted { finding } else { finding.severity(Severity::Warning) }]
}
