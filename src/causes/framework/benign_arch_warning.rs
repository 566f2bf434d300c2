//! A warning about the compute capability, and a result that came back right.

use super::architecture::{self, Span};
use crate::causes::{Case, Cause, Evidence, Finding, Level, advice, packages};
use crate::facts::said;
use crate::symptom::Kind;

/// A note: the computation proves that the warning has no effect.
pub static CAUSE: Cause = Cause { page: include_str!("benign-arch-warning.md"), explains: &[], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let warned = packages::told(
        case.facts,
        &["torch-capability-span", "torch-no-kernels-included", "torch-capability-not-compatible", "torch-too-old-gpu"],
    );
    let Some((warning, fact)) = warned else { return Vec::new() };
    if packages::told(case.facts, &["no-kernel-image"]).is_some() {
        return Vec::new();
    }
    let explained = packages::told_symptoms(
        case,
        &["torch-capability-not-compatible", "torch-no-kernels-included", "torch-too-old-gpu"],
    );
    // The printed result begins the line; in a program the same words follow something.
    let printed = |said: &said::Said| said.id == "tensor-on-gpu" && said.text.starts_with("tensor(");
    if let Some((value, other)) = case.facts.all(&said::MESSAGE).find(|(said, _)| printed(said)) {
        let finding = Finding::machine(Level::Decided)
            .because(Evidence::of(fact, warning.text))
            .because(Evidence::of(other, format!("and yet a result: {}", value.text)));
        return vec![finding.explaining(explained)];
    }
    if case.has(Kind::ArchitectureMissing) || packages::told(case.facts, &["torch-too-old-gpu"]).is_some() {
        return Vec::new();
    }
    // Code for the same major number and a lower minor one runs on the card, whatever the span says.
    let Some(Span { cc, least, most, card: other, build: third }) = architecture::span(case) else { return Vec::new() };
    if cc < least || cc.0 != most.0 && cc > most {
        return Vec::new();
    }
    let text = |cc: (u32, u32)| advice::dotted(cc);
    let finding = Finding::machine(Level::Decided)
        .because(Evidence::of(other, format!("the card has compute capability {}", text(cc))))
        .because(Evidence::of(third, format!("the build serves {} to {}", text(least), text(most))));
    vec![finding.explaining(explained)]
}
