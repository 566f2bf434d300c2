//! Fewer GPUs than `--expect-gpus` asked for, and nothing that says why.

use crate::causes::{Case, Cause, Finding, Level, seen};
use crate::checks::given;
use crate::facts::{asked, cuda, nvidia, pci};
use crate::symptom::Kind;

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("fewer-gpus-than-expected.md"), explains: &[&[Kind::FewerGpusThanExpected]], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let Some(expected) = case.value(&asked::EXPECT_GPUS).filter(|_| case.has(Kind::FewerGpusThanExpected)) else {
        return Vec::new();
    };
    let on_bus = given::nvidia_on_bus(case.facts);
    let found = case
        .value(&cuda::COUNT)
        .or_else(|| case.value(&nvidia::NVML_COUNT))
        .unwrap_or_else(|| u32::try_from(on_bus.len()).unwrap_or_default());
    let mut finding = Finding::machine(Level::Generic)
        .because_of(&case.facts.machine(&asked::EXPECT_GPUS), format!("expected: {expected}, found: {found}"))
        .with("expected", expected.to_string())
        .with("found", found.to_string());
    if case.value(&pci::DEVICES).is_some() {
        let text = format!("the PCI bus lists {}: {}", on_bus.len(), seen::names(case, &on_bus));
        finding = finding.because_of(&case.facts.machine(&pci::DEVICES), text);
    }
    let mask = case.facts.variable("CUDA_VISIBLE_DEVICES");
    let listed = case.value(&nvidia::NVML_COUNT).filter(|listed| *listed >= expected);
    if let (Some(value), Some(listed)) = (case.facts.variable("CUDA_VISIBLE_DEVICES").seen(), listed) {
        let why = format!("NVML lists {listed}, and CUDA_VISIBLE_DEVICES=\"{value}\" hides some of them.");
        finding = finding.because_of(&mask, format!("CUDA_VISIBLE_DEVICES is \"{value}\"")).tagged("masked");
        finding = finding.because_of(&case.facts.machine(&nvidia::NVML_COUNT), format!("NVML lists {listed}"));
        finding.level = Level::Supported;
        return vec![finding.with("why", why).unknown(
            "whether all are there with the variable unset",
            format!("env -u CUDA_VISIBLE_DEVICES gpu-doctor check --expect-gpus {expected}"),
            &["fewer-gpus-than-expected"],
        )];
    }
    finding = finding.with("why", "Nothing that was seen explains the difference.");
    // The bus that was read says already that the GPU is not there.
    if case.value(&pci::DEVICES).is_some() && (on_bus.len() as u64) < u64::from(expected) {
        return vec![finding];
    }
    vec![finding.unknown(
        "whether the missing GPU is on the bus at all",
        "lspci -d 10de: -nn",
        &["fewer-gpus-than-expected", "gpu-fell-off-bus"],
    )]
}
