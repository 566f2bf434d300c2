//! No CUDA build exists for this Python version.

use crate::causes::{Case, Cause, Finding, Level, only_words};
use crate::facts::{asked, python};
use crate::report::Severity;
use crate::subject::Subject;
use crate::symptom::Kind;
use crate::tables::wheels::{self, NEWEST_PYTHON};

/// What the installer says, or a Python that is newer than every wheel.
pub static CAUSE: Cause = Cause { page: include_str!("unsupported-python-version.md"), explains: &[], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let mut findings = only_words(case);
    for missing in case.symptoms(Kind::FrameworkMissing) {
        let Some((_, prefix)) = missing.subject.framework_parts() else { continue };
        let look = case.facts.look(&python::INTERPRETER, &Subject::environment(prefix));
        let Some(interpreter) = look.clone().seen() else { continue };
        if !wheels::newer_than_wheels(&interpreter.version) {
            continue;
        }
        // A wheel may have come out since the table was made.
        let text = format!(
            "it is Python {}, and the newest with a CUDA wheel of torch was {}.{} in 2026-11",
            interpreter.version, NEWEST_PYTHON.0, NEWEST_PYTHON.1
        );
        let asked = case.facts.value(&asked::FRAMEWORK).is_some();
        let finding =
            Finding::new(&missing.subject, Level::Supported).because_of(&look, text).explaining(vec![missing]);
        findings.push(if asked { finding } else { finding.severity(Severity::Note) });
    }
    findings
}
