//! The compute mode of a GPU lets one process in, or none, and another holds it.

use super::vgpu_profile_without_cuda;
use crate::causes::{Case, Cause, Finding, Level, Occurrence, seen};
use crate::checks::given;
use crate::facts::{cuda, nvidia};
use crate::subject::{Kind as SubjectKind, Subject};
use crate::symptom::{AFTER_CUINIT, Kind};

const MODE: &[Kind] = &[Kind::ComputeMode];

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("exclusive-compute-mode.md"), explains: &[AFTER_CUINIT, MODE], assess };

/// CUDA's code for a context that is refused.
const UNAVAILABLE: i32 = 46;

fn assess(case: &Case) -> Vec<Finding> {
    let gpus = case.facts.subjects_with(&nvidia::NVML_COMPUTE_MODE);
    let refusing: Vec<(Subject, Level)> =
        gpus.into_iter().filter_map(|gpu| Some((gpu.clone(), level(case, &gpu)?))).collect();
    let subjects: Vec<Subject> = refusing.iter().map(|(gpu, _)| gpu.clone()).collect();
    let Some(weakest) = refusing.iter().map(|(_, level)| *level).min() else { return Vec::new() };
    let findings = seen::about_gpus(case, &subjects, weakest, &[AFTER_CUINIT, MODE]);
    findings.into_iter().map(|finding| told(case, finding, &subjects)).collect()
}

fn level(case: &Case, gpu: &Subject) -> Option<Level> {
    let mode = case.facts.look(&nvidia::NVML_COMPUTE_MODE, gpu).seen()?;
    let held = given::holders(case.facts, gpu).next().is_some();
    let compute = case.facts.look(&cuda::COMPUTE, gpu).seen();
    let refused = compute.as_ref().is_some_and(|c| c.code == UNAVAILABLE);
    match mode.as_str() {
        // With the multi-process service the holder lets others in.
        _ if compute.is_some_and(|c| c.stage == "done") => None,
        // A profile that is not for computing says the same, and nobody can set it back.
        "prohibited" if vgpu_profile_without_cuda::is_one(case, gpu) => None,
        // The type of a virtual GPU can forbid computing, whatever mode anybody sets.
        "prohibited" if given::is_virtual(case.facts, gpu) => Some(Level::Possible),
        "prohibited" => Some(Level::Decided),
        mode if !mode.starts_with("exclusive") => None,
        _ if held && refused => Some(Level::Decided),
        _ if held || refused => Some(Level::Supported),
        _ => None,
    }
}

fn told(case: &Case, mut finding: Finding, gpus: &[Subject]) -> Finding {
    let facts = case.facts;
    let about = finding.subject.clone();
    for gpu in gpus.iter().filter(|g| about.kind == SubjectKind::Machine || **g == about) {
        let mode = facts.look(&nvidia::NVML_COMPUTE_MODE, gpu);
        let name = facts.look(&nvidia::NVML_COMPUTE_MODE, gpu).seen().unwrap_or_default();
        finding = finding.because_of(&mode, format!("the compute mode of {} is {name}", gpu.id));
        let processes = facts.look(&nvidia::NVML_PROCESSES, gpu);
        let pids: Vec<String> = given::holders(facts, gpu).map(|pid| pid.to_string()).collect();
        if !pids.is_empty() {
            finding = finding
                .because_of(&processes, format!("process {} holds {}", pids.join(", "), gpu.id))
                .with("holder", format!("process {} holds it", pids.join(", ")))
                .with("pid", pids[0].clone())
                .tagged("held");
        }
        if facts.look(&cuda::COMPUTE, gpu).seen().is_some_and(|c| c.code == UNAVAILABLE) {
            let text = "making a context gives 46 (devices busy or unavailable)";
            finding = finding.because_of(&facts.look(&cuda::COMPUTE, gpu), text);
        }
        finding = finding.with("mode", name).with("name", given::name(facts, gpu));
    }
    let nobody = match finding.values.get("mode").map(String::as_str) {
        Some("prohibited") => "it lets no CUDA program in",
        _ => "who holds it cannot be seen from here",
    };
    if about.kind == SubjectKind::Machine {
        let addresses: Vec<&str> = gpus.iter().map(|gpu| gpu.id.as_str()).collect();
        finding = finding.with("address", addresses.join(","));
    }
    finding.values.entry("holder").or_insert_with(|| nobody.to_string());
    if gpus.iter().any(|gpu| given::is_virtual(facts, gpu)) {
        finding = finding.tagged("vgpu").unknown(
            "which type of virtual GPU this machine was given: types whose name ends in A or B are not for computing",
            "nvidia-smi --query-gpu=name,compute_mode --format=csv",
            &["exclusive-compute-mode"],
        );
    }
    if let Some(list) = &mut finding.explains {
        list.extend(refused_tensors(case));
    }
    if finding.level != Level::Decided {
        let held = finding.tags.contains(&"held");
        let (need, ask) = match held {
            true => ("whether the GPU really refuses a second program", "gpu-doctor check --busy"),
            false => ("who holds the GPU", "nvidia-smi --query-compute-apps=pid,name --format=csv"),
        };
        finding = finding.unknown(need, ask, &["exclusive-compute-mode"]);
    }
    finding
}

/// Tensors that were refused with the same code: they name a device by its number, not by its address.
fn refused_tensors(case: &Case) -> Vec<Occurrence> {
    let tensors = case.all_symptoms().filter(|o| matches!(o.symptom.kind, Kind::Tensor | Kind::LibtorchTensor));
    tensors.filter(|o| o.symptom.code().ends_with(", 46")).collect()
}
