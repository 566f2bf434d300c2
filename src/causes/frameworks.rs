//! What rules ask about the frameworks of an environment, whatever their names.

use super::{Case, Evidence, Finding, Occurrence};
use crate::checks::given::{self, Platform};
use crate::facts::python::{self, Library, Overlap};
use crate::facts::{Fact, Look};
use crate::report::Severity;
use crate::subject::{Kind as SubjectKind, Subject};
use crate::symptom::Kind;

/// What is amiss with a framework that is there and does not use the GPU.
pub const TROUBLE: [Kind; 4] = [Kind::FrameworkCpuBuild, Kind::FrameworkImport, Kind::FrameworkSeesNoGpu, Kind::Tensor];

/// What of it a build for the processor explains. That it cannot be imported has another reason, as a jaxlib that is older than
/// its jax allows.
pub const WITHOUT_GPU_CODE: [Kind; 3] = [Kind::FrameworkCpuBuild, Kind::FrameworkSeesNoGpu, Kind::Tensor];

/// Every framework of this name with one of these symptoms, each once.
pub fn troubled(case: &Case, name: &str, kinds: &[Kind]) -> Vec<Subject> {
    let mut subjects: Vec<Subject> = Vec::new();
    for o in case.all_symptoms().filter(|o| kinds.contains(&o.symptom.kind)) {
        let named = o.subject.framework_parts().is_some_and(|(found, _)| found == name);
        if named && !subjects.contains(&o.subject) {
            subjects.push(o.subject);
        }
    }
    subjects
}

/// The symptoms of a framework that are of these kinds.
pub fn symptoms_of(case: &Case, framework: &Subject, kinds: &[Kind]) -> Vec<Occurrence> {
    case.all_symptoms().filter(|o| o.subject == *framework && kinds.contains(&o.symptom.kind)).collect()
}

/// The environment that a framework lives in.
pub fn environment(framework: &Subject) -> Subject {
    match framework.framework_parts() {
        Some((_, prefix)) => Subject::environment(prefix),
        None => framework.clone(),
    }
}

/// The framework of this name in the place where a package was seen; the place itself for a text, which has no prefix.
pub fn beside(place: &Subject, name: &str) -> Subject {
    match place.kind {
        SubjectKind::Environment => Subject::framework(name, &place.id),
        _ => place.clone(),
    }
}

/// The shared libraries that a framework wanted and did not get.
pub fn missing<'a>(case: &Case<'a>, framework: &Subject) -> Vec<(Library, &'a Fact)> {
    let wanted = |(library, fact): &(Library, &Fact)| fact.subject == *framework && library.problem == "missing";
    case.facts.all(&python::LIBRARY).filter(wanted).collect()
}

/// The first message of a framework that holds one of these words.
pub fn says<'a>(case: &Case<'a>, framework: &Subject, words: &[&str]) -> Option<(String, &'a Fact)> {
    let holds = |text: &str| words.iter().any(|word| text.contains(word));
    case.facts.all(&python::MESSAGE).find(|(text, fact)| fact.subject == *framework && holds(text))
}

/// What an exception at import said, where the import failed.
pub fn import_says(case: &Case, framework: &Subject) -> Option<String> {
    match case.facts.look(&python::IMPORT, framework) {
        Look::Seen(import, _) if !import.ok => Some(import.message.unwrap_or_default()),
        _ => None,
    }
}

/// The finding with which files two packages share whose names begin like this, and whose lie there.
pub fn with_overlap(case: &Case, place: &Subject, begins: &str, finding: Finding) -> Finding {
    let mine = |(overlap, fact): &(Overlap, &Fact)| {
        fact.subject == *place && overlap.packages.iter().all(|name| name.starts_with(begins))
    };
    match case.facts.all(&python::OVERLAP).find(mine) {
        Some((overlap, fact)) => {
            let whose = overlap.kept.as_ref().map(|kept| format!("; those of {kept} lie there")).unwrap_or_default();
            finding.because(Evidence::of(fact, format!("they share {} files{whose}", overlap.files)))
        }
        None => finding,
    }
}

/// The finding with where the framework was installed from, where its installer wrote that down.
pub fn with_origin(case: &Case, framework: &Subject, finding: Finding) -> Finding {
    let look = case.facts.look(&python::ORIGIN, framework);
    match look.clone().seen().and_then(|origin| origin.said()) {
        Some(said) => finding.because_of(&look, format!("it was installed {said}")),
        None => finding,
    }
}

/// Whether an NVIDIA GPU is, or would be, what a CUDA build is wanted for.
pub fn wants_cuda(case: &Case) -> bool {
    given::other_maker(case.facts) != Some("AMD") && given::platform(case.facts) != Platform::MacOs
}

/// The finding as a note, with the condition `no_gpu`, where there is no NVIDIA GPU to use.
pub fn weighed(case: &Case, finding: Finding) -> Finding {
    match case.has(Kind::NoNvidiaGpu) {
        true => finding.tagged("no_gpu").severity(Severity::Note),
        false => finding,
    }
}

/// The same for a fault of what is installed, which is one without a GPU too. That no GPU is seen there has a better reason.
pub fn installed_wrong(case: &Case, mut finding: Finding) -> Finding {
    if case.has(Kind::NoNvidiaGpu)
        && let Some(explains) = &mut finding.explains
    {
        let reason = [Kind::FrameworkCpuBuild, Kind::FrameworkSeesNoGpu, Kind::Tensor];
        explains.retain(|o| !reason.contains(&o.symptom.kind));
    }
    weighed(case, finding)
}
