//! torch 1.13 and 2.0 count devices through NVML and do not understand MIG UUIDs.

use crate::causes::{Case, Cause, Evidence, Finding, Level, advice};
use crate::facts::{cuda, python};
use crate::symptom::Kind;
use crate::tables::wheels;

/// CUDA counts a device, and torch counts none.
pub static CAUSE: Cause = Cause {
    page: include_str!("mig-uuid-torch-nvml-count-bug.md"),
    explains: &[&[Kind::FrameworkSeesNoGpu, Kind::Tensor]],
    assess,
};

fn assess(case: &Case) -> Vec<Finding> {
    let mask = case.facts.variable("CUDA_VISIBLE_DEVICES");
    let count = case.facts.machine(&cuda::COUNT);
    let Some(value) = mask.clone().seen().filter(|mask| mask.contains("MIG-")) else { return Vec::new() };
    // A tensor that was placed proves it as well as a count does.
    let placed = case.facts.all(&python::TENSOR).find(|(tensor, _)| tensor.ok).map(|(_, fact)| fact);
    let devices = count.clone().seen().filter(|count| *count > 0);
    if devices.is_none() && placed.is_none() {
        return Vec::new();
    }
    let blind = case.symptoms(Kind::FrameworkSeesNoGpu);
    blind
        .filter_map(|o| {
            let look = case.facts.look(&python::DISTRIBUTION, &o.subject);
            let version = look.clone().seen()?.version;
            let (major, minor, _) = wheels::parse_release(&version)?;
            let counted = case.facts.look(&python::DEVICE_COUNT, &o.subject);
            let affected = matches!((major, minor), (1, 13) | (2, 0)) && counted.clone().seen()? == 0;
            affected.then(|| {
                let finding = Finding::new(&o.subject, Level::Decided)
                    .because_of(&mask, format!("CUDA_VISIBLE_DEVICES is {value}"))
                    .because_of(&counted, format!("torch {version} counts 0"));
                let finding = match (devices, placed) {
                    (Some(devices), _) => finding.because_of(&count, format!("CUDA counts {devices}")),
                    (None, Some(fact)) => finding.because(Evidence::of(fact, "a tensor was placed")),
                    (None, None) => finding,
                };
                advice::with_build(finding, case.facts, None)
            })
        })
        .collect()
}
