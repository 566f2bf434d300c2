//! MIG is on, and nobody made an instance: CUDA finds no device in that GPU.

use crate::causes::{Case, Cause, Finding, Level, seen};
use crate::facts::nvidia;
use crate::subject::{Kind as SubjectKind, Subject};
use crate::symptom::{AFTER_CUINIT, Kind};

const MIG: &[Kind] = &[Kind::MigEmpty];

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("mig-enabled-unintentionally.md"), explains: &[AFTER_CUINIT, MIG], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let gpus: Vec<Subject> = case.symptoms(Kind::MigEmpty).map(|o| o.subject).collect();
    let mut findings = seen::about_gpus(case, &gpus, Level::Decided, &[AFTER_CUINIT, MIG]);
    for finding in &mut findings {
        let mut full = finding.clone();
        for gpu in gpus.iter().filter(|g| finding.subject.kind == SubjectKind::Machine || **g == finding.subject) {
            let look = case.facts.look(&nvidia::NVML_MIG, gpu);
            full = full.because_of(&look, format!("MIG is on for {} and there is no instance", gpu.id));
        }
        if finding.subject.kind == SubjectKind::Machine {
            let addresses: Vec<&str> = gpus.iter().map(|gpu| gpu.id.as_str()).collect();
            full = full.with("address", addresses.join(","));
        }
        *finding = full;
    }
    findings
}
