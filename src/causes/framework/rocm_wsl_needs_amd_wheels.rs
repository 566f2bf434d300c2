//! A ROCm build under WSL that sees no GPU.

use crate::causes::{Case, Cause, Finding, Level};
use crate::facts::{host, kernel, python};
use crate::subject::Subject;
use crate::symptom::{AFTER_ACCESS, Kind};

/// The cause.
pub static CAUSE: Cause = Cause {
    page: include_str!("rocm-wsl-needs-amd-wheels.md"),
    // NVIDIA's libraries have nothing to do there either.
    explains: &[AFTER_ACCESS, &[Kind::LibcudaMissing, Kind::NvmlMissing, Kind::SmiMissing]],
    assess,
};

fn assess(case: &Case) -> Vec<Finding> {
    let wsl = case.facts.machine(&host::WSL);
    let built = case.facts.all(&python::BUILD).find(|(build, _)| build.hip.is_some());
    let Some((build, fact)) = built.filter(|_| wsl.clone().seen().is_some()) else { return Vec::new() };
    let blind = case.symptoms(Kind::FrameworkSeesNoGpu).any(|o| o.subject == fact.subject);
    let said = case.symptoms(Kind::Said).any(|o| matches!(o.symptom.code(), "no-hip-gpus" | "kfd-node-missing"));
    if !blind && !said {
        return Vec::new();
    }
    let node = case.facts.look(&kernel::NODE, &Subject::file("/dev/dxg"));
    let finding = Finding::machine(Level::Supported)
        .because_of(&wsl, "this is WSL, where no amdgpu and no /dev/kfd exists")
        .because(crate::checks::Evidence::of(
            fact,
            format!("torch is built for ROCm {}", build.hip.unwrap_or_default()),
        ))
        .because_of(&node, "Windows offers its GPU through /dev/dxg")
        .unknown(
            "which HSA runtime torch loads",
            "find / -name 'libhsa-runtime64*' -not -path '/proc/*' 2>/dev/null",
            &["rocm-wsl-needs-amd-wheels", "rocm-device-nodes-missing"],
        );
    vec![finding]
}
