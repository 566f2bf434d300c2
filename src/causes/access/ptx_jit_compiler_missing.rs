//! libnvidia-ptxjitcompiler is not in this context, so the driver can compile nothing: CUDA 221.

use crate::causes::{Case, Cause, Finding, Level, Occurrence};
use crate::checks::Evidence;
use crate::facts::cuda;
use crate::symptom::Kind;

/// The cause.
pub static CAUSE: Cause = Cause {
    page: include_str!("ptx-jit-compiler-missing.md"),
    explains: &[&[Kind::CudaCompute, Kind::Tensor, Kind::LibtorchTensor]],
    assess,
};

fn assess(case: &Case) -> Vec<Finding> {
    let refused: Vec<Occurrence> = case
        .all_symptoms()
        .filter(|o| is_of_this_cause(o.symptom.kind) && o.symptom.code().ends_with(", 221"))
        .collect();
    if refused.is_empty() {
        return Vec::new();
    }
    let library = case.facts.machine(&cuda::PTX_JIT);
    let mut finding = Finding::machine(Level::Decided).explaining(refused);
    for (compute, fact) in case.facts.all(&cuda::COMPUTE).filter(|(compute, _)| compute.code == 221) {
        let text = format!("stage {} gives 221 on {}: the PTX compiler was not found", compute.stage, fact.subject.id);
        finding = finding.because(Evidence::of(fact, text));
    }
    if case.value(&cuda::PTX_JIT) == Some(false) {
        finding = finding.because_of(&library, "the loader finds no libnvidia-ptxjitcompiler.so.1");
    }
    vec![finding]
}

fn is_of_this_cause(kind: Kind) -> bool {
    matches!(kind, Kind::CudaCompute | Kind::Tensor | Kind::LibtorchTensor)
}
