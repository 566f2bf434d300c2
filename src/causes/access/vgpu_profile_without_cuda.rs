//! The virtual GPU is of a series without computing.

use super::vgpu;
use crate::causes::{Case, Cause, Finding, Level, Occurrence};
use crate::checks::given;
use crate::facts::{cuda, nvidia};
use crate::subject::Subject;
use crate::symptom::{AFTER_CUINIT, Kind};

/// The cause.
pub static CAUSE: Cause = Cause {
    page: include_str!("vgpu-profile-without-cuda.md"),
    explains: &[AFTER_CUINIT, &[Kind::ComputeMode]],
    assess,
};

/// Whether a GPU is a virtual one of a series that may not compute.
pub fn is_one(case: &Case, gpu: &Subject) -> bool {
    matches!(vgpu::series(&given::name(case.facts, gpu)), Some('A' | 'B'))
}

fn assess(case: &Case) -> Vec<Finding> {
    let facts = case.facts;
    let gpus = given::all_gpus(facts);
    let ones: Vec<&Subject> = gpus.iter().filter(|gpu| is_one(case, gpu)).collect();
    let findings = ones.iter().filter_map(|gpu| {
        let name = given::name(facts, gpu);
        let mode = facts.look(&nvidia::NVML_COMPUTE_MODE, gpu);
        let prohibited = mode.clone().seen().as_deref() == Some("prohibited");
        let refused = facts.look(&cuda::COMPUTE, gpu).seen().is_some_and(|c| c.stage != "done");
        let applications = vgpu::series(&name) == Some('A');
        let level = match (prohibited, applications) {
            (true, true) => Level::Decided,
            (true, false) => Level::Supported,
            (false, _) if refused || facts.value(&cuda::INIT).is_some_and(|code| code != 0) => Level::Supported,
            _ => return None,
        };
        let which = facts.look(&nvidia::NVML_NAME, gpu);
        let mut finding = Finding::new(gpu, level)
            .with("name", name.clone())
            .because_of(&which, format!("the GPU is a {name}: a virtual one of a series that is not for computing"))
            .because_of(&mode, "and its compute mode is read here");
        if prohibited {
            finding.evidence.pop();
            finding = finding.because_of(&mode, "its compute mode is Prohibited");
        }
        if level != Level::Decided {
            finding = finding.unknown(
                "the compute mode of the virtual GPU",
                "nvidia-smi --query-gpu=name,compute_mode --format=csv",
                &["vgpu-profile-without-cuda", "vgpu-unlicensed"],
            );
        }
        // Where it is the only GPU, everything that CUDA cannot do follows.
        Some(if gpus.len() == 1 { finding.explaining(of_machine(case)) } else { finding })
    });
    findings.collect()
}

fn of_machine(case: &Case) -> Vec<Occurrence> {
    let wanted = |kind: Kind| AFTER_CUINIT.contains(&kind) || kind == Kind::ComputeMode;
    case.all_symptoms().filter(|o| wanted(o.symptom.kind)).collect()
}
