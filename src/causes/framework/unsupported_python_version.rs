//! No CUDA build exists for this Python version.

use crate::causes::{Case, Cause, Evidence, Finding, Level, advice, environment, only_words};
use crate::facts::{asked, host, python};
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
        let place = Subject::environment(prefix);
        let (told, found) =
            (case.facts.look(&python::INTERPRETER, &place), case.facts.look(&python::ENVIRONMENT, &place));
        // Without its own word, the files of the environment tell the version.
        let of_files = || found.clone().seen().and_then(|environment| environment.version);
        let Some(version) = told.clone().seen().map(|i| i.version).or_else(of_files) else { continue };
        if !wheels::newer_than_wheels(&version) {
            continue;
        }
        let Some(fact) = told.fact().or(found.fact()) else { continue };
        // A wheel may have come out since the table was made.
        let text = format!(
            "it is Python {}, and the newest with a CUDA wheel of torch was {}.{} in 2026-11",
            version, NEWEST_PYTHON.0, NEWEST_PYTHON.1
        );
        let asked = case.facts.value(&asked::FRAMEWORK).is_some();
        let finding = Finding::new(&missing.subject, Level::Supported)
            .because(Evidence::of(fact, text))
            .explaining(vec![missing]);
        let finding = with_new_python(finding, case);
        findings.push(if asked { finding } else { finding.severity(Severity::Note) });
    }
    findings
}

/// Adds where the new interpreter will be: a project keeps its place, another environment is made beside.
fn with_new_python(finding: Finding, case: &Case) -> Finding {
    let finding = advice::with_python(finding, case.facts);
    let tags = environment::tags(case.facts, &finding.subject);
    let is = |word: &str| tags.iter().any(|tag| tag == word);
    let stays = is("poetry") || is("pixi") || is("project");
    let windows = case.value(&host::OS).is_some_and(|os| os == "windows");
    let python = match (stays, windows) {
        (true, _) => finding.values.get("python").cloned().unwrap_or_default(),
        (false, true) => r"gpu-env\Scripts\python.exe".to_string(),
        (false, false) => "~/gpu-env/bin/python".to_string(),
    };
    finding.with("new_python", python)
}
