//! The server of ollama works on the processor on a machine with a GPU.

use crate::causes::{Case, Cause, Finding, Level, Occurrence};
use crate::facts::{cuda, programs};
use crate::subject::Kind as SubjectKind;
use crate::symptom::Kind;

/// The name of last resort for this program.
pub static CAUSE: Cause = Cause { page: include_str!("ollama-finds-no-gpu.md"), explains: &[OURS], assess };

const OURS: &[Kind] = &[Kind::FrameworkSeesNoGpu, Kind::ProgramOnCpu];

fn assess(case: &Case) -> Vec<Finding> {
    let ours = |o: &Occurrence| o.subject.kind == SubjectKind::File && OURS.contains(&o.symptom.kind);
    case.all_symptoms().filter(ours).filter_map(|o| about(case, &o)).collect()
}

fn about(case: &Case, symptom: &Occurrence) -> Option<Finding> {
    let devices = case.facts.look(&programs::DEVICES, &symptom.subject);
    let models = case.facts.look(&programs::MODELS, &symptom.subject);
    let init = case.facts.machine(&cuda::INIT);
    let works = init.clone().seen() == Some(0) && case.value(&cuda::COUNT).is_some_and(|count| count > 0);
    let mut finding = match devices.clone().seen() {
        Some(list) if list.is_empty() => {
            let level = if works { Level::Supported } else { Level::Generic };
            Finding::new(&symptom.subject, level).because_of(&devices, "the server's log names no GPU that it can use")
        }
        // It found one, and holds something on the processor all the same.
        Some(_) => return None,
        None => {
            let all = models.clone().seen()?;
            let held = all.into_iter().find(|model| model.gpu_percent == Some(0))?;
            let text = format!("{} is {} (ollama ps)", held.name, held.processor);
            Finding::new(&symptom.subject, Level::Possible).because_of(&models, text)
        }
    };
    if works {
        finding = finding.because_of(&init, "cuInit succeeds here, so the driver works");
    }
    for (line, fact) in case.facts.all(&programs::LOG).filter(|(_, fact)| fact.subject == symptom.subject) {
        finding = finding.because(crate::checks::Evidence::of(fact, format!("its log: {line}")));
    }
    Some(finding.unknown(
        "what the server's log says about the devices since its last start",
        "sudo journalctl -u ollama -b --no-pager | grep -E 'inference compute|discover|cuda|rocm'",
        &["ollama-finds-no-gpu", "insufficient-vram-cpu-offload"],
    ))
}
