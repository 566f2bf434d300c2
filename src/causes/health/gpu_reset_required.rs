//! The driver has put a GPU out of service until it is reset.

use crate::causes::{Case, Cause, Finding, Level, Occurrence};
use crate::checks::given;
use crate::facts::nvidia;
use crate::subject::Subject;
use crate::symptom::{AFTER_CUINIT, Kind};

/// NVML answers 16 for the GPU, or names a recovery action.
pub static CAUSE: Cause = Cause {
    page: include_str!("gpu-reset-required.md"),
    explains: &[&[Kind::ResetRequired, Kind::NvmlDevice, Kind::CudaCompute, Kind::Xid]],
    assess,
};

fn assess(case: &Case) -> Vec<Finding> {
    let out: Vec<Subject> = case.symptoms(Kind::ResetRequired).map(|o| o.subject).collect();
    let listed = case.facts.subjects_with(&nvidia::NVML_HANDLE);
    let all = if listed.is_empty() { given::expected(case.facts) } else { listed };
    let none_left = all.iter().all(|gpu| out.contains(gpu));
    out.iter().map(|gpu| about(case, gpu, none_left)).collect()
}

fn about(case: &Case, gpu: &Subject, none_left: bool) -> Finding {
    let handle = case.facts.look(&nvidia::NVML_HANDLE, gpu);
    let recovery = case.facts.look(&nvidia::NVML_RECOVERY, gpu);
    let action = recovery.clone().seen().filter(|action| *action > 0);
    let answered = handle.clone().seen() == Some(16);
    let level = if answered || action.is_some() { Level::Decided } else { Level::Supported };
    let mut finding = Finding::new(gpu, level);
    if answered {
        finding = finding.because_of(&handle, "NVML gives 16 (NVML_ERROR_RESET_REQUIRED) for this GPU");
    }
    let (tag, asks) = match action {
        Some(2) => ("reboot", "a reboot of the machine"),
        Some(3) => ("drain", "its peer-to-peer work to be drained"),
        Some(4) => ("reset", "its work to be drained and then a reset"),
        _ => ("reset", "a reset"),
    };
    if action.is_some() {
        finding = finding.because_of(&recovery, format!("the driver asks for {asks}"));
    }
    let mut explains = CAUSE.explained(&finding, case);
    let machine =
        |o: &Occurrence| matches!(o.symptom.kind, Kind::CudaFewer | Kind::FewerGpusThanExpected | Kind::SmiFails);
    explains.extend(case.all_symptoms().filter(machine));
    if none_left {
        explains.extend(case.all_symptoms().filter(|o| AFTER_CUINIT.contains(&o.symptom.kind)));
    }
    finding.with("asks", asks).tagged(tag).explaining(explains)
}
