//! Both packages of ONNX Runtime are installed, in one folder.

use crate::causes::frameworks::{self, TROUBLE};
use crate::causes::{Case, Cause, Evidence, Finding, Level, advice, packages};
use crate::facts::python;
use crate::report::Severity;
use crate::subject::Subject;

/// An error where the CUDA provider is missing; else it only waits to happen.
pub static CAUSE: Cause =
    Cause { page: include_str!("onnxruntime-cpu-and-gpu-both-installed.md"), explains: &[], assess };

fn assess(case: &Case) -> Vec<Finding> {
    // Where the CUDA provider is offered, the GPU package came last.
    if packages::told(case.facts, &["ort-cuda-provider-listed", "ort-provider-library-fails"]).is_some() {
        return Vec::new();
    }
    case.facts.subjects_with(&python::PACKAGE).iter().filter_map(|place| about(case, place)).collect()
}

fn about(case: &Case, place: &Subject) -> Option<Finding> {
    let (gpu, other) = packages::named(case.facts, "onnxruntime-gpu", Some(place))?;
    let (cpu, fact) = packages::named(case.facts, "onnxruntime", Some(place))?;
    let framework = frameworks::beside(place, "onnxruntime");
    let mut proved = packages::told_symptoms(case, &["ort-cuda-provider-not-available", "ort-providers-without-cuda"]);
    // Where the GPU package came last, what is amiss has another reason.
    let without = case.facts.look(&python::BUILD, &framework).seen().is_some_and(|build| build.cuda.is_none());
    if without {
        proved.extend(frameworks::symptoms_of(case, &framework, &TROUBLE));
    }
    let mut finding = Finding::new(&framework, Level::Decided)
        .because(Evidence::of(fact, format!("installed: onnxruntime {}", cpu.version)))
        .because(Evidence::of(other, format!("installed: onnxruntime-gpu {}", gpu.version)));
    finding = frameworks::with_overlap(case, place, "onnxruntime", finding);
    let waits = proved.is_empty();
    let finding = advice::with_package(finding.explaining(proved), case.facts, "onnxruntime");
    let finding = if waits { finding.severity(Severity::Warning) } else { finding };
    Some(frameworks::installed_wrong(case, finding))
}
