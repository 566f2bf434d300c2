//! llama.cpp or llama-cpp-python was compiled without CUDA.

use crate::causes::frameworks::{self, TROUBLE};
use crate::causes::{Case, Cause, Finding, Level, advice, environment};
use crate::facts::python;
use crate::symptom::Kind;

/// The back ends of llama-cpp-python show it, or llama.cpp's log.
pub static CAUSE: Cause = Cause { page: include_str!("llamacpp-built-without-cuda.md"), explains: &[], assess };

fn assess(case: &Case) -> Vec<Finding> {
    if !frameworks::wants_cuda(case) {
        return Vec::new();
    }
    let without = frameworks::troubled(case, "llama-cpp-python", &[Kind::FrameworkCpuBuild]);
    let finding = |framework| {
        let build = case.facts.look(&python::BUILD, framework);
        let backends = case.facts.look(&python::BACKENDS, framework);
        let mut finding =
            Finding::new(framework, Level::Decided).because_of(&build, "its llama.cpp has no back end for a GPU");
        if let Some(list) = backends.clone().seen() {
            finding = finding.because_of(&backends, format!("its back ends: {}", list.join(", ")));
        }
        // The project's own wheels, one for each family of drivers.
        let known = environment::values(case.facts, framework);
        let tag = match known.iter().find(|(name, _)| *name == "cuda_major").map(|(_, major)| major.as_str()) {
            Some("11") => "cu118",
            Some("12") | None => "cu124",
            Some(_) => "cu130",
        };
        let finding = frameworks::with_origin(case, framework, finding);
        let finding = finding.with("llama", tag).explaining(frameworks::symptoms_of(case, framework, &TROUBLE));
        frameworks::weighed(case, advice::with_python(finding, case.facts))
    };
    without.iter().map(finding).collect()
}
