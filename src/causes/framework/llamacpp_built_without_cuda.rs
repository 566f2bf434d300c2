//! llama.cpp or llama-cpp-python was compiled without CUDA.

use crate::causes::frameworks::{self, TROUBLE};
use crate::causes::{Case, Cause, Finding, Level, advice};
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
        let finding = finding.explaining(frameworks::symptoms_of(case, framework, &TROUBLE));
        frameworks::weighed(case, advice::with_python(finding, case.facts))
    };
    without.iter().map(finding).collect()
}
