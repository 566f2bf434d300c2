//! What the causes about an interpreter itself share: the trouble that was seen of it.

use crate::causes::{Case, Finding, Level};
use crate::checks::given;
use crate::facts::Look;
use crate::facts::python::{self, Trouble};
use crate::subject::Subject;
use crate::symptom::Kind;

/// Every interpreter with a trouble of this kind.
pub fn all<'a>(case: &Case<'a>, kind: &str) -> Vec<(Trouble, Look<'a, Trouble>, Subject)> {
    let seen = case.facts.all(&python::TROUBLE).filter(|(trouble, _)| trouble.kind == kind);
    seen.map(|(trouble, fact)| (trouble.clone(), Look::Seen(trouble, fact), fact.subject.clone())).collect()
}

/// Whether the interpreter cannot be asked.
pub fn is_broken(case: &Case, subject: &Subject) -> bool {
    case.symptoms(Kind::PythonBroken).any(|o| o.subject == *subject)
}

/// A finding about an interpreter, with the values that every page of these has: `path`, `folder` (of the environment) and
/// `detail`.
pub fn finding(case: &Case, subject: &Subject, trouble: &Trouble, level: Level) -> Finding {
    let environment = given::environment(case.facts, subject);
    let python = given::python_of(case.facts, &subject.id).map(|python| python.path);
    let path = environment.as_ref().map(|(e, _)| e.path.clone()).or(python).unwrap_or_else(|| subject.id.clone());
    // Without more to go by, an interpreter lies in FOLDER/bin.
    let above = || path.rsplitn(3, ['/', '\\']).nth(2).unwrap_or(&path).to_string();
    let folder = environment.map(|(_, prefix)| prefix.id).unwrap_or_else(above);
    Finding::new(subject, level).with("path", path).with("folder", folder).with("detail", trouble.detail.clone())
}
