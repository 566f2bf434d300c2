//! A ROCm build without code for this machine's AMD GPU.

use crate::causes::{Case, Cause, Evidence, Finding, Level};
use crate::facts::{makers, python};
use crate::subject::Subject;
use crate::symptom::Kind;

/// The cause.
pub static CAUSE: Cause = Cause {
    page: include_str!("rocm-unsupported-gfx.md"),
    explains: &[&[Kind::ArchitectureMissing, Kind::Tensor]],
    assess,
};

fn assess(case: &Case) -> Vec<Finding> {
    let missing: Vec<(Subject, String)> = case
        .symptoms(Kind::ArchitectureMissing)
        .filter(|o| o.symptom.code().starts_with("gfx"))
        .map(|o| (o.subject.clone(), o.symptom.code().to_string()))
        .collect();
    let mut frameworks: Vec<&Subject> = missing.iter().map(|(framework, _)| framework).collect();
    frameworks.dedup();
    frameworks.into_iter().map(|framework| about(case, framework, &missing)).collect()
}

fn about(case: &Case, framework: &Subject, missing: &[(Subject, String)]) -> Finding {
    let chips: Vec<&str> = missing.iter().filter(|(f, _)| f == framework).map(|(_, chip)| chip.as_str()).collect();
    let tensors = || case.facts.all(&python::TENSOR).filter(|(_, fact)| fact.subject == *framework);
    let failed = tensors().find(|(tensor, _)| !tensor.ok);
    // The list may be short of what a generic target runs on; a computation decides.
    let level = if failed.is_some() { Level::Decided } else { Level::Supported };
    let list = case.facts.look(&python::ARCHITECTURES, framework);
    let has = list.clone().seen().unwrap_or_default().join(" ");
    let mut finding = Finding::new(framework, level)
        .because_of(
            &case.facts.machine(&makers::KFD),
            format!("the kernel lists a GPU with the chip {}", chips.join(", ")),
        )
        .because_of(&list, format!("the build has code for {has}"));
    if let Some((tensor, fact)) = failed {
        let said = tensor.message.as_deref().and_then(|m| m.lines().next()).unwrap_or("no message").to_string();
        finding = finding.because(Evidence::of(fact, format!("a tensor fails: {said}")));
    }
    finding.unknown(
        "whether a computation fails on it",
        "python -c \"import torch; print(torch.ones(1, device='cuda') + 1)\"",
        &["rocm-unsupported-gfx"],
    )
}
