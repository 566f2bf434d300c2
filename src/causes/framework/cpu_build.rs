//! What the causes of a torch without CUDA share: the symptoms that such a build makes.

use crate::causes::{Case, Finding, Level, Occurrence, packages};
use crate::facts::{Fact, Look, python};
use crate::report::Severity;
use crate::subject::Subject;
use crate::symptom::Kind;

/// Messages that say so.
const SAID: [&str; 6] = [
    "torch-not-compiled-with-cuda",
    "torch-cpu-tag",
    "torch-cpu-version-came",
    "collect-env-without-cuda",
    "conda-cpu-build-string",
    "torch-without-nvidia-packages",
];

/// Each torch that is known to be built without CUDA.
pub fn known(case: &Case) -> Vec<Subject> {
    case.symptoms(Kind::FrameworkCpuBuild)
        .filter(|o| o.subject.framework_parts().is_some_and(|(name, _)| name == "torch"))
        .filter(|o| {
            case.facts.look(&python::BUILD, &o.subject).seen().is_some_and(|b| b.cuda.is_none() && b.hip.is_none())
        })
        .map(|o| o.subject)
        .collect()
}

/// torch says that there is no GPU, and nobody says what it was built for, nor what fails.
pub fn silent(case: &Case) -> Vec<Occurrence> {
    let unknown = |o: &Occurrence| matches!(case.facts.look(&python::BUILD, &o.subject), Look::NotAsked);
    let torch = |o: &Occurrence| o.subject.framework_parts().is_some_and(|(name, _)| name == "torch");
    let others = case.all_symptoms().any(|o| o.symptom.kind != Kind::FrameworkSeesNoGpu);
    case.symptoms(Kind::FrameworkSeesNoGpu).filter(|o| !others && torch(o) && unknown(o)).collect()
}

/// The symptoms of a torch without CUDA, seen or said.
pub fn symptoms(case: &Case) -> Vec<Occurrence> {
    let seen = case
        .symptoms(Kind::FrameworkCpuBuild)
        .filter(|o| o.subject.framework_parts().is_some_and(|(name, _)| name == "torch"));
    seen.chain(packages::told_symptoms(case, &SAID)).collect()
}

/// All that a torch without CUDA explains: what is seen of it, and what is said.
pub fn consequences(case: &Case, torch: &Subject) -> Vec<Occurrence> {
    let kinds = [Kind::FrameworkCpuBuild, Kind::FrameworkSeesNoGpu, Kind::Tensor];
    let seen = case.all_symptoms().filter(|o| o.subject == *torch && kinds.contains(&o.symptom.kind));
    seen.chain(packages::told_symptoms(case, &SAID)).collect()
}

/// A finding from words: a torch without CUDA is seen or said, and so is one of these circumstances.
pub fn with_circumstance<'a>(case: &Case<'a>, ids: &[&str]) -> Option<(Finding, &'a Fact)> {
    let (_, fact) = packages::told(case.facts, ids)?;
    let mut symptoms = symptoms(case);
    symptoms.extend(silent(case));
    let subject = symptoms.first()?.subject.clone();
    let finding = Finding::new(&subject, Level::Supported)
        .with("python", "python")
        .with("framework", "torch")
        .explaining(symptoms);
    Some((finding, fact))
}

/// The same finding as a note where there is no NVIDIA GPU to use: a build without CUDA is the right one there.
pub fn weighed(case: &Case, finding: Finding) -> Finding {
    if case.has(Kind::NoNvidiaGpu) { finding.severity(Severity::Note) } else { finding }
}
