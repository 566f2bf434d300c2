//! Only the CPU package of ONNX Runtime is installed.

use crate::causes::frameworks::{self, WITHOUT_GPU_CODE};
use crate::causes::{Case, Cause, Evidence, Finding, Level, advice, packages};
use crate::facts::python;
use crate::subject::Subject;
use crate::symptom::Kind;

/// The build has no CUDA provider, and it is the CPU package's.
pub static CAUSE: Cause = Cause { page: include_str!("onnxruntime-cpu-only.md"), explains: &[], assess };

fn assess(case: &Case) -> Vec<Finding> {
    if !frameworks::wants_cuda(case) {
        return Vec::new();
    }
    let seen = frameworks::troubled(case, "onnxruntime", &[Kind::FrameworkCpuBuild]);
    let mut findings: Vec<Finding> = seen.iter().filter_map(|framework| about(case, framework)).collect();
    findings.extend(told(case));
    findings
}

fn about(case: &Case, framework: &Subject) -> Option<Finding> {
    let place = frameworks::environment(framework);
    let (package, fact) = packages::named(case.facts, "onnxruntime", Some(&place))?;
    if packages::named(case.facts, "onnxruntime-gpu", Some(&place)).is_some() {
        return None;
    }
    let providers = case.facts.look(&python::BACKENDS, framework);
    let mut finding = Finding::new(framework, Level::Decided)
        .because_of(&case.facts.look(&python::BUILD, framework), "the build of onnxruntime has no CUDA")
        .because(Evidence::of(fact, format!("installed: onnxruntime {}, and no onnxruntime-gpu", package.version)));
    if let Some(list) = providers.clone().seen() {
        finding = finding.because_of(&providers, format!("it offers {}", list.join(", ")));
    }
    let finding = frameworks::with_origin(case, framework, finding);
    let finding = finding.explaining(frameworks::symptoms_of(case, framework, &WITHOUT_GPU_CODE));
    Some(frameworks::weighed(case, advice::with_build(finding, case.facts, None)))
}

/// The same from a text: the warning, and a list with the CPU package alone.
fn told(case: &Case) -> Option<Finding> {
    let said = packages::told_symptoms(case, &["ort-cuda-provider-not-available", "ort-providers-without-cuda"]);
    let (package, fact) = packages::named(case.facts, "onnxruntime", None)?;
    if said.is_empty() || packages::named(case.facts, "onnxruntime-gpu", None).is_some() {
        return None;
    }
    let text = format!("installed: onnxruntime {}, and no onnxruntime-gpu", package.version);
    let finding = Finding::new(&frameworks::beside(&fact.subject, "onnxruntime"), Level::Supported)
        .because(Evidence::of(fact, text))
        .explaining(said);
    Some(advice::with_package(finding, case.facts, "onnxruntime"))
}
