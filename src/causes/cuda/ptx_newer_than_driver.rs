//! A kernel came as PTX of a newer CUDA than the driver's compiler understands: 222.

use crate::causes::{Case, Cause, Finding, Level, Occurrence};
use crate::facts::{cuda, python};
use crate::symptom::Kind;

/// The cause.
pub static CAUSE: Cause = Cause {
    page: include_str!("ptx-newer-than-driver.md"),
    explains: &[&[Kind::CudaCompute, Kind::Tensor, Kind::LibtorchTensor]],
    assess,
};

fn assess(case: &Case) -> Vec<Finding> {
    let wanted = |o: &Occurrence| {
        matches!(o.symptom.kind, Kind::CudaCompute | Kind::Tensor | Kind::LibtorchTensor)
            && o.symptom.code().ends_with(", 222")
    };
    let mut findings: Vec<Finding> = Vec::new();
    for Occurrence { subject, .. } in case.all_symptoms().filter(wanted) {
        if findings.iter().any(|f| f.subject == subject) {
            continue;
        }
        let all: Vec<Occurrence> = case.all_symptoms().filter(wanted).filter(|o| o.subject == subject).collect();
        let mut finding = Finding::new(&subject, Level::Decided).explaining(all);
        let tensor = case.facts.all(&python::TENSOR).find(|(t, f)| t.code == Some(222) && f.subject == subject);
        if let Some((_, fact)) = tensor {
            finding = finding.because(crate::checks::Evidence::of(fact, "the tensor fails with 222"));
        }
        let compute = case.facts.look(&cuda::COMPUTE, &subject);
        if compute.clone().seen().is_some_and(|c| c.code == 222) {
            finding = finding.because_of(&compute, "the driver's compiler answers 222 (unsupported PTX version)");
        }
        let offers = case.facts.machine(&cuda::DRIVER_VERSION);
        if let Some(version) = offers.clone().seen() {
            let text = format!("the driver offers CUDA {}.{}", version / 1000, version % 1000 / 10);
            finding = finding.because_of(&offers, text);
        }
        findings.push(finding);
    }
    findings
}
