//! Code that runs at every start of an interpreter prints, or keeps it from starting.

use super::python_trouble::{all, finding};
use crate::causes::{Case, Cause, Finding, Level};
use crate::report::Severity;
use crate::symptom::Kind;

/// A second start without that code tells whether it is to blame.
pub static CAUSE: Cause =
    Cause { page: include_str!("python-startup-code-interferes.md"), explains: &[&[Kind::PythonBroken]], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let failures = all(case, "startup_failure").into_iter().map(|(trouble, look, subject)| {
        let said = format!("{}; without the code that runs at start-up it starts", trouble.detail);
        let finding = finding(case, &subject, &trouble, Level::Decided).because_of(&look, said);
        with_file(finding, trouble.file).with("what", trouble.detail)
    });
    let outputs = all(case, "startup_output").into_iter().map(|(trouble, look, subject)| {
        let finding = finding(case, &subject, &trouble, Level::Decided)
            .because_of(&look, format!("before any program runs, it prints: {}", trouble.detail))
            .severity(Severity::Warning)
            .explaining(Vec::new());
        with_file(finding, trouble.file).with("what", format!("it prints \"{}\"", trouble.detail))
    });
    failures.chain(outputs).collect()
}

fn with_file(finding: Finding, file: Option<String>) -> Finding {
    match file {
        Some(file) => finding.with("file", file).tagged("file"),
        None => finding.with("file", "a file that Python runs at its start"),
    }
}
