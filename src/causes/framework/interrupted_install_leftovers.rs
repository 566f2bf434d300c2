//! An installer was interrupted while it replaced a package.

use crate::causes::frameworks;
use crate::causes::{Case, Cause, Evidence, Finding, Level, Occurrence, advice};
use crate::facts::python;
use crate::report::Severity;
use crate::subject::Subject;
use crate::symptom::Kind;

/// A note; an error where the import of the package that was replaced fails.
pub static CAUSE: Cause = Cause { page: include_str!("interrupted-install-leftovers.md"), explains: &[], assess };

fn assess(case: &Case) -> Vec<Finding> {
    case.facts.subjects_with(&python::LEFTOVER).iter().filter_map(|place| about(case, place)).collect()
}

fn about(case: &Case, place: &Subject) -> Option<Finding> {
    let leftovers: Vec<_> = case.facts.all(&python::LEFTOVER).filter(|(_, fact)| fact.subject == *place).collect();
    let first = leftovers.first()?.0.clone();
    // pip puts `~` in place of the first letter of the folder that it takes away: `~orch` of `torch`.
    let is_of = |module: &str| {
        let rest = module.get(1..).unwrap_or_default();
        leftovers.iter().any(|(path, _)| path.rsplit('/').next().and_then(|name| name.strip_prefix('~')) == Some(rest))
    };
    let here = |o: &Occurrence| frameworks::environment(&o.subject) == *place;
    let of_one = |o: &Occurrence| o.subject.framework_parts().is_some_and(|(name, _)| is_of(name));
    let broken: Vec<Occurrence> = case.symptoms(Kind::FrameworkImport).filter(|o| here(o) && of_one(o)).collect();
    let subject = broken.first().map_or_else(|| place.clone(), |o| o.subject.clone());
    let name = subject.framework_parts().map_or("PACKAGE", |(name, _)| name).to_string();
    let mut finding =
        Finding::new(&subject, Level::Decided).with("leftover", first).with("package", name).explaining(broken.clone());
    for (path, fact) in leftovers {
        finding = finding.because(Evidence::of(fact, format!("an interrupted installer left {path}")));
    }
    let look = case.facts.look(&python::IMPORT, &subject);
    if let Some(import) = look.clone().seen().filter(|_| !broken.is_empty()) {
        finding = finding.because_of(&look, format!("the import fails: {}", import.said()));
    }
    let finding = advice::with_python(finding, case.facts);
    Some(if broken.is_empty() { finding.severity(Severity::Note) } else { finding.tagged("broken") })
}
