//! Two packages of different names own the same files of one framework.

use crate::causes::frameworks::{self, TROUBLE};
use crate::causes::{Case, Cause, Evidence, Finding, Level, advice};
use crate::facts::Fact;
use crate::facts::python::{self, Overlap};
use crate::report::Severity;
use crate::subject::Subject;
use crate::tables::frameworks::{ALL, Framework};

/// The pairs that have no page of their own.
pub static CAUSE: Cause = Cause { page: include_str!("packages-overwrite-each-other.md"), explains: &[], assess };

fn assess(case: &Case) -> Vec<Finding> {
    case.facts.all(&python::OVERLAP).filter_map(|(overlap, fact)| about(case, &overlap, fact)).collect()
}

fn about(case: &Case, overlap: &Overlap, fact: &Fact) -> Option<Finding> {
    let name = |package: &String| package.split(' ').next().unwrap_or_default().to_string();
    let names: Vec<String> = overlap.packages.iter().map(name).collect();
    let [one, other] = names.as_slice() else { return None };
    let framework = ALL.iter().find(|framework| framework.is_brought_by(one) && framework.is_brought_by(other))?;
    if one == other || has_a_page(framework, one, other) {
        return None;
    }
    let subject = Subject::framework(framework.name, &fact.subject.id);
    let whose = match &overlap.kept {
        Some(kept) => format!("those of {kept} lie there"),
        None => "whose lie there cannot be told".to_string(),
    };
    let kept_gpu = overlap.kept.as_deref().is_some_and(|kept| kept.split(' ').next().is_some_and(is_for_gpu));
    // Where the package with the GPU code came last, what is amiss has another reason; of TensorFlow its own page tells it.
    let lost = !kept_gpu && overlap.kept.is_some() && names.iter().any(|name| is_for_gpu(name));
    let explains = if lost { frameworks::symptoms_of(case, &subject, &TROUBLE) } else { Vec::new() };
    let severity = if explains.is_empty() { Severity::Warning } else { Severity::Error };
    let keep = names.iter().find(|name| is_for_gpu(name)).unwrap_or(one);
    let finding = Finding::new(&subject, Level::Decided)
        .because(Evidence::of(
            fact,
            format!("{} share {} files, as {}", names.join(" and "), overlap.files, overlap.example),
        ))
        .with("packages", overlap.packages.join(" and "))
        .with("first", one.clone())
        .with("second", other.clone())
        .with("keep", keep.clone())
        .with("whose", whose)
        .explaining(explains)
        .severity(severity);
    Some(frameworks::installed_wrong(case, advice::with_python(finding, case.facts)))
}

/// A package whose name says that it has the GPU code; of TensorFlow the plain one has it.
fn is_for_gpu(name: &str) -> bool {
    name.ends_with("-gpu") || name.ends_with("-rocm") || name == "tensorflow"
}

fn has_a_page(framework: &Framework, one: &str, other: &str) -> bool {
    let pair = |a: &str, b: &str| (one, other) == (a, b) || (one, other) == (b, a);
    framework.name == "cupy" || pair("onnxruntime", "onnxruntime-gpu")
}
