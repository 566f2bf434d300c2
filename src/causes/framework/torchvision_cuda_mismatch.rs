//! torchvision or torchaudio of another CUDA than torch.

use crate::causes::{Case, Cause, Evidence, Finding, Level, advice, packages};
use crate::facts::python;
use crate::report::Severity;
use crate::subject::Subject;
use crate::tables::wheels;

/// Both check it at their import, and refuse another major version of CUDA.
pub static CAUSE: Cause = Cause { page: include_str!("torchvision-cuda-mismatch.md"), explains: &[], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let companions = |p: &python::Package| matches!(p.name.as_str(), "torchvision" | "torchaudio");
    let mut findings = Vec::new();
    for (package, fact) in packages::matching(case.facts, companions) {
        let torch = Subject::framework("torch", &fact.subject.id);
        let build = case.facts.look(&python::BUILD, &torch);
        let Some(cuda) = build.clone().seen().and_then(|build| build.cuda) else { continue };
        let Some(tag) = wheels::tag(&package.version).and_then(|tag| tag.strip_prefix("cu")) else { continue };
        // `cu126` and `cu118` have two digits for the major version; `cu92` has one, and no torch with it is left.
        let (Some(of_tag), Some(of_torch)) = (tag.get(..2), cuda.split('.').next()) else { continue };
        if tag.len() < 3 || of_tag == of_torch {
            continue;
        }
        let finding = Finding::new(&torch, Level::Decided)
            .because(Evidence::of(fact, format!("installed: {} {}", package.name, package.version)))
            .because_of(&build, format!("torch is built for CUDA {cuda}"))
            .with("package", package.name.clone())
            .with("version", package.version.clone())
            .with("specs", packages::beside_torch(case, &torch, &package.name))
            .with("cuda", cuda.clone())
            .with("tag", format!("cu{}", cuda.replace('.', "")));
        findings.push(advice::with_python(finding.severity(Severity::Warning), case.facts));
    }
    findings
}
