//! A 32-bit Python, for which no framework is published.

use crate::causes::{Case, Cause, Finding, Level};
use crate::facts::{asked, python};
use crate::report::Severity;
use crate::symptom::Kind;

/// The size of a pointer tells it.
pub static CAUSE: Cause = Cause {
    page: include_str!("python-32bit.md"),
    explains: &[&[Kind::FrameworkMissing, Kind::FrameworkImport]],
    assess,
};

fn assess(case: &Case) -> Vec<Finding> {
    let mut findings = Vec::new();
    for environment in case.facts.subjects_with(&python::INTERPRETER) {
        let look = case.facts.look(&python::INTERPRETER, &environment);
        let Some(interpreter) = look.clone().seen().filter(|i| i.bits == 32) else { continue };
        let text = format!("{} {} is a 32-bit program", interpreter.path, interpreter.version);
        let finding = Finding::new(&environment, Level::Decided).because_of(&look, text);
        let asked = case.facts.value(&asked::FRAMEWORK).is_some();
        findings.push(if asked { finding } else { finding.severity(Severity::Warning) });
    }
    findings
}
