//! ollama without the back end for this machine's GPU.

use crate::causes::{Case, Cause, Finding, Level, Occurrence};
use crate::checks::given;
use crate::facts::programs;
use crate::symptom::Kind;

/// The cause.
pub static CAUSE: Cause = Cause { page: include_str!("ollama-without-gpu-libraries.md"), explains: &[OURS], assess };

const OURS: &[Kind] = &[Kind::FrameworkSeesNoGpu, Kind::ProgramOnCpu];

fn assess(case: &Case) -> Vec<Finding> {
    case.all_symptoms().filter(|o| OURS.contains(&o.symptom.kind)).filter_map(|o| about(case, &o)).collect()
}

fn about(case: &Case, symptom: &Occurrence) -> Option<Finding> {
    let look = case.facts.look(&programs::BACK_ENDS, &symptom.subject);
    let found = look.clone().seen()?;
    let nvidia = !given::nvidia_on_bus(case.facts).is_empty();
    let amd = !given::of_vendor(case.facts, "0x1002").is_empty();
    let serves = |name: &String| {
        name.starts_with("vulkan")
            || nvidia && name.starts_with("cuda")
            || amd && (name.starts_with("rocm") || name.starts_with("hip"))
    };
    if !(nvidia || amd) || found.iter().any(serves) {
        return None;
    }
    let source = look.fact().map(|fact| fact.source.clone()).unwrap_or_default();
    let text = match found.as_slice() {
        [] => format!("{source} holds no back end for a GPU"),
        some => format!("{source} holds {} only", some.join(", ")),
    };
    let finding = Finding::new(&symptom.subject, Level::Supported).because_of(&look, text).with("folder", source);
    Some(match nvidia {
        true => finding.with("back_end", "CUDA").tagged("nvidia"),
        false => finding.with("back_end", "ROCm").tagged("amd"),
    })
}
