//! A 32-bit Python, for which no framework is published.

use crate::causes::{Case, Cause, Evidence, Finding, Level};
use crate::facts::{Fact, Look, asked, python};
use crate::report::Severity;
use crate::symptom::Kind;

/// The size of a pointer tells it, or the header of the program where that was not started.
pub static CAUSE: Cause = Cause {
    page: include_str!("python-32bit.md"),
    explains: &[&[Kind::FrameworkMissing, Kind::FrameworkImport]],
    assess,
};

fn assess(case: &Case) -> Vec<Finding> {
    let told = case.facts.all(&python::INTERPRETER).filter(|(interpreter, _)| interpreter.bits == 32);
    let told = told.map(|(interpreter, fact)| (interpreter.path, Some(interpreter.version), fact));
    // What the interpreter says of itself goes before what the header of its file says.
    let silent = |fact: &Fact| matches!(case.facts.look(&python::INTERPRETER, &fact.subject), Look::NotAsked);
    let lying = case.facts.all(&python::ENVIRONMENT).filter(|(found, fact)| found.bits == Some(32) && silent(fact));
    let lying = lying.map(|(found, fact)| (found.path, found.version, fact));
    told.chain(lying).map(|(path, version, fact)| about(case, &path, version, fact)).collect()
}

fn about(case: &Case, path: &str, version: Option<String>, fact: &Fact) -> Finding {
    let version = version.map(|version| format!(" {version}")).unwrap_or_default();
    let text = format!("{path}{version} is a 32-bit program");
    let finding = Finding::new(&fact.subject, Level::Decided).because(Evidence::of(fact, text));
    let asked = case.facts.value(&asked::FRAMEWORK).is_some();
    if asked { finding } else { finding.severity(Severity::Warning) }
}
