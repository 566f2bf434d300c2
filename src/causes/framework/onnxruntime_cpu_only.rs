//! Only the CPU package of ONNX Runtime is installed.

use crate::causes::{Case, Cause, Evidence, Finding, Level, packages};

/// The CUDA provider is not available, and the list has the CPU package alone.
pub static CAUSE: Cause = Cause { page: include_str!("onnxruntime-cpu-only.md"), explains: &[], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let said = packages::told_symptoms(case, &["ort-cuda-provider-not-available", "ort-providers-without-cuda"]);
    let gpu = packages::named(case.facts, "onnxruntime-gpu", None);
    match packages::named(case.facts, "onnxruntime", None) {
        Some((package, fact)) if !said.is_empty() && gpu.is_none() => {
            let text = format!("installed: onnxruntime {}, and no onnxruntime-gpu", package.version);
            vec![Finding::new(&fact.subject, Level::Supported).because(Evidence::of(fact, text)).explaining(said)]
        }
        _ => Vec::new(),
    }
}
