//! torchvision without CUDA beside a torch with CUDA.

use crate::causes::{Case, Cause, Evidence, Finding, Level, advice, packages};
use crate::facts::python;
use crate::report::Severity;
use crate::subject::{Kind as SubjectKind, Subject};

/// torch itself works; torchvision's own operators do not.
pub static CAUSE: Cause = Cause { page: include_str!("torchvision-cpu-mismatch.md"), explains: &[], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let cpu = |version: &str, build: &str| version.ends_with("+cpu") || build.contains("cpu");
    packages::matching(case.facts, |p| {
        p.name == "torchvision" && cpu(&p.version, p.build.as_deref().unwrap_or_default())
    })
    .into_iter()
    .filter_map(|(vision, fact)| {
        let (build, built) = case.facts.all(&python::BUILD).find(|(build, other)| {
            let same = fact.subject.kind != SubjectKind::Environment
                || other.subject == Subject::framework("torch", &fact.subject.id);
            build.cuda.is_some() && same
        })?;
        let cuda = build.cuda.unwrap_or_default();
        let works = case.facts.all(&python::TENSOR).any(|(t, f)| f.subject == built.subject && t.ok);
        let said = packages::told_symptoms(case, &["torchvision-operator-without-cuda"]);
        let build = vision.build.map(|b| format!(", build {b}")).unwrap_or_default();
        let finding = Finding::new(&built.subject, Level::Decided)
            .because(Evidence::of(fact, format!("installed: torchvision {}{build}", vision.version)))
            .because(Evidence::of(built, "torch is a CUDA build"))
            .with("tag", format!("cu{}", cuda.replace('.', "")))
            .with("specs", packages::beside_torch(case, &built.subject, "torchvision"))
            .explaining(said);
        let finding = advice::with_python(finding, case.facts);
        Some(if works { finding.severity(Severity::Warning) } else { finding })
    })
    .collect()
}
