//! The driver works, and nvidia-smi is not there, nor perhaps NVML. CUDA does not need them.

use crate::causes::{Case, Cause, Finding, Level, Occurrence, packages};
use crate::checks::Evidence;
use crate::facts::{cuda, nvidia, python};
use crate::symptom::Kind;

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("nvidia-smi-missing.md"), explains: &[&[Kind::SmiMissing, Kind::NvmlMissing]], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let facts = case.facts;
    let found = facts.machine(&nvidia::SMI_FOUND);
    let said = packages::told_symptoms(case, &["smi-not-found"]);
    if !found.is_absent() || !case.has(Kind::SmiMissing) && said.is_empty() {
        return Vec::new();
    }
    let (nvml, cuda) = (facts.machine(&nvidia::NVML_INIT), facts.machine(&cuda::INIT));
    // Of a pasted text it is a framework that says so.
    let sees = facts.all(&python::AVAILABLE).find(|(available, _)| *available);
    let works = facts.value(&nvidia::NVML_INIT) == Some(0) || facts.value(&cuda::INIT) == Some(0) || sees.is_some();
    let level = if works { Level::Decided } else { Level::Generic };
    let mut finding = Finding::machine(level).because_of(&found, "no nvidia-smi on PATH nor in the known places");
    if facts.value(&nvidia::NVML_INIT) == Some(0) {
        finding = finding.because_of(&nvml, "NVML answers all the same");
    } else if facts.value(&cuda::INIT) == Some(0) {
        finding = finding.because_of(&cuda, "CUDA starts all the same");
    } else if let Some((_, fact)) = sees {
        finding = finding.because(Evidence::of(fact, "a framework sees the GPU all the same"));
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
    let explains = case.all_symptoms().filter(mine).chain(said).collect();
    vec![finding.with("what", what).explaining(explains)]
}
