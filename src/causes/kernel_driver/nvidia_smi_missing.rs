//! The driver works, and nvidia-smi is not there, nor perhaps NVML. CUDA does not need them.

use crate::causes::{Case, Cause, Finding, Level, Occurrence};
use crate::facts::{cuda, nvidia};
use crate::symptom::Kind;

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("nvidia-smi-missing.md"), explains: &[&[Kind::SmiMissing, Kind::NvmlMissing]], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let facts = case.facts;
    let found = facts.machine(&nvidia::SMI_FOUND);
    if !case.has(Kind::SmiMissing) || !found.is_absent() {
        return Vec::new();
    }
    let (nvml, cuda) = (facts.machine(&nvidia::NVML_INIT), facts.machine(&cuda::INIT));
    let works = facts.value(&nvidia::NVML_INIT) == Some(0) || facts.value(&cuda::INIT) == Some(0);
    let level = if works { Level::Decided } else { Level::Generic };
    let mut finding = Finding::machine(level).because_of(&found, "no nvidia-smi on PATH nor in the known places");
    if facts.value(&nvidia::NVML_INIT) == Some(0) {
        finding = finding.because_of(&nvml, "NVML answers all the same");
    } else if works {
        finding = finding.because_of(&cuda, "CUDA starts all the same");
    }
    let without_nvml = case.has(Kind::NvmlMissing) && facts.value(&cuda::INIT) == Some(0);
    let what = match without_nvml {
        true => "Neither the program nvidia-smi nor its library, libnvidia-ml, is here.",
        false => "The program nvidia-smi is not here.",
    };
    if without_nvml {
        finding = finding.because_of(&facts.machine(&nvidia::NVML_LIBRARY), "the loader finds no libnvidia-ml.so.1");
    }
    let mine =
        |o: &Occurrence| o.symptom.kind == Kind::SmiMissing || (without_nvml && o.symptom.kind == Kind::NvmlMissing);
    let explains = case.all_symptoms().filter(mine).collect();
    vec![finding.with("what", what).explaining(explains)]
}
