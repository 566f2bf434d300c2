//! The installed torch was built without code for any GPU.

use super::{cpu_build, lockfile_selects_cpu_wheel, user_site_shadows_venv};
use crate::causes::{Case, Cause, Finding, Level, advice, frameworks};
use crate::checks::given::{self, Platform};
use crate::facts::python;
use crate::report::Severity;
use crate::subject::Subject;
use crate::symptom::Kind;

/// torch without CUDA, on a machine whose GPU is (or would be) NVIDIA's.
pub static CAUSE: Cause = Cause {
    page: include_str!("torch-cpu-only-wheel.md"),
    explains: &[&[Kind::FrameworkCpuBuild, Kind::FrameworkSeesNoGpu, Kind::Tensor]],
    assess,
};

fn assess(case: &Case) -> Vec<Finding> {
    // An AMD GPU wants another build: amd-gpu-with-cuda-torch. For macOS there is no other: macos-no-cuda.
    if given::other_maker(case.facts) == Some("AMD") || given::platform(case.facts) == Platform::MacOs {
        return Vec::new();
    }
    let mut findings: Vec<Finding> = case
        .symptoms(Kind::FrameworkCpuBuild)
        .filter(|o| o.subject.framework_parts().is_some_and(|(name, _)| name == "torch"))
        .map(|o| about(case, &o.subject))
        .collect();
    // The most frequent reason for a torch that sees no GPU and gives no reason.
    findings.extend(cpu_build::silent(case).into_iter().map(|o| {
        let available = case.facts.look(&python::AVAILABLE, &o.subject);
        let finding = Finding::new(&o.subject, Level::Possible)
            .because_of(&available, "torch sees no GPU, and says no reason")
            .with("installed", "torch")
            .unknown(
                "what torch was built for",
                "python -c \"import torch; print(torch.__version__, torch.version.cuda)\"",
                &["torch-cpu-only-wheel", "cuda-visible-devices-hides-all", "driver-too-old-for-cuda-runtime"],
            );
        advice::with_build(finding, case.facts, None)
    }));
    findings
}

fn about(case: &Case, torch: &Subject) -> Finding {
    let build = case.facts.look(&python::BUILD, torch);
    let distribution = case.facts.look(&python::DISTRIBUTION, torch);
    let without = build.clone().seen().is_some_and(|b| b.cuda.is_none());
    let installed = distribution.clone().seen();
    let version = installed.as_ref().map(|d| d.version.clone());

    // Where a lock file explains it, or a folder that comes first, that is the better name, and this one a candidate.
    let better = lockfile_selects_cpu_wheel::explains(case) || user_site_shadows_venv::explains(case, torch);
    let decided = without && !better;
    let mut finding = Finding::new(torch, if decided { Level::Decided } else { Level::Supported });
    if without {
        finding = finding.because_of(&build, "torch.version.cuda is None: the build has no CUDA");
    }
    if let Some(d) = &installed {
        let conda = d.conda_build.as_ref().map(|b| format!(", conda build {b}")).unwrap_or_default();
        finding = finding.because_of(&distribution, format!("installed: torch {}{conda}", d.version));
    }
    let finding = frameworks::with_origin(case, torch, finding);
    // Nothing is wrong with a CPU build where there is no NVIDIA GPU to use.
    let no_gpu = case.has(Kind::NoNvidiaGpu);
    let finding = if no_gpu { finding.tagged("no_gpu").severity(Severity::Note) } else { finding };
    let named = version.map(|v| format!("torch {v}")).unwrap_or_else(|| "torch".to_string());
    advice::with_build(finding.with("installed", named), case.facts, None)
}
