//! A warning about the compute capability, and a result that came back right.

use crate::causes::{Case, Cause, Evidence, Finding, Level, packages};
use crate::facts::said;
use crate::symptom::Kind;

/// A note: the computation proves that the warning has no effect.
pub static CAUSE: Cause = Cause { page: include_str!("benign-arch-warning.md"), explains: &[], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let warned = packages::told(
        case.facts,
        &["torch-capability-span", "torch-no-kernels-included", "torch-capability-not-compatible"],
    );
    let Some((warning, fact)) = warned else { return Vec::new() };
    if case.has(Kind::ArchitectureMissing) || packages::told(case.facts, &["torch-too-old-gpu"]).is_some() {
        return Vec::new();
    }
    // The printed result begins the line; in a program the same words follow something.
    let result =
        case.facts.all(&said::MESSAGE).find(|(said, _)| said.id == "tensor-on-gpu" && said.text.starts_with("tensor("));
    let Some((value, other)) = result else { return Vec::new() };
    let finding = Finding::machine(Level::Decided)
        .because(Evidence::of(fact, warning.text))
        .because(Evidence::of(other, format!("and yet a result: {}", value.text)));
    vec![
        finding.explaining(packages::told_symptoms(
            case,
            &["torch-capability-not-compatible", "torch-no-kernels-included"],
        )),
    ]
}
