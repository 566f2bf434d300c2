//! Both packages of ONNX Runtime are installed, in one folder.

use crate::causes::{Case, Cause, Evidence, Finding, Level, packages};
use crate::report::Severity;

/// An error where the CUDA provider is missing; else it only waits to happen.
pub static CAUSE: Cause =
    Cause { page: include_str!("onnxruntime-cpu-and-gpu-both-installed.md"), explains: &[], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let said = packages::told_symptoms(case, &["ort-cuda-provider-not-available", "ort-providers-without-cuda"]);
    // Where the CUDA provider is offered, the GPU package came last.
    if packages::told(case.facts, &["ort-cuda-provider-listed", "ort-provider-library-fails"]).is_some() {
        return Vec::new();
    }
    let Some((gpu, other)) = packages::named(case.facts, "onnxruntime-gpu", None) else { return Vec::new() };
    let Some((cpu, fact)) = packages::named(case.facts, "onnxruntime", Some(&other.subject)) else { return Vec::new() };
    let proved = !said.is_empty();
    let finding = Finding::new(&fact.subject, Level::Decided)
        .because(Evidence::of(fact, format!("installed: onnxruntime {}", cpu.version)))
        .because(Evidence::of(other, format!("installed: onnxruntime-gpu {}", gpu.version)))
        .explaining(said);
    vec![if proved { finding } else { finding.severity(Severity::Warning) }]
}
