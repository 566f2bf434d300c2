//! A model that does not fit into the memory of the GPU: what a server holds now shows it, and the words of many programs.

use crate::causes::{Case, Cause, Finding, Level, Occurrence};
use crate::facts::programs;
use crate::report::Severity;
use crate::symptom::Kind;

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("insufficient-vram-cpu-offload.md"), explains: &[&[Kind::ProgramOnCpu]], assess };

fn assess(case: &Case) -> Vec<Finding> {
    case.symptoms(Kind::ProgramOnCpu).filter_map(|o| about(case, &o)).collect()
}

fn about(case: &Case, symptom: &Occurrence) -> Option<Finding> {
    let models = case.facts.look(&programs::MODELS, &symptom.subject);
    let devices = case.facts.look(&programs::DEVICES, &symptom.subject);
    let usable = devices.clone().seen().filter(|list| !list.is_empty());
    let least = models.clone().seen()?.into_iter().min_by_key(|model| model.gpu_percent.unwrap_or(100))?;
    // A part on the GPU means that it is used and was full; none at all may have other reasons.
    let level = match (least.gpu_percent, &usable) {
        (Some(1..), _) => Level::Supported,
        (Some(0), Some(_)) => Level::Possible,
        _ => return None,
    };
    let text = format!("{} is {} (ollama ps)", least.name, least.processor);
    let mut finding = Finding::new(&symptom.subject, level).because_of(&models, text).severity(Severity::Warning);
    if let Some(list) = usable {
        finding = finding.because_of(&devices, format!("the server can use {}", list.join(", ")));
    }
    Some(finding.unknown(
        "how much memory the model needs, and how much was free when it was loaded",
        "journalctl -u ollama --no-pager | grep -E 'offload|memory'",
        &["insufficient-vram-cpu-offload", "ollama-finds-no-gpu"],
    ))
}
