//! No CUDA build exists for this Python version.

use crate::causes::{Case, Cause, Evidence, Finding, Level, advice, environment, only_words};
use crate::facts::{asked, host, python};
use crate::report::Severity;
use crate::subject::Subject;
use crate::symptom::Kind;
use crate::tables::builds::{self, Flavour, System};

/// What the installer says, or a Python that no wheel with CUDA fits.
pub static CAUSE: Cause = Cause { page: include_str!("unsupported-python-version.md"), explains: &[], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let mut findings = only_words(case);
    for missing in case.symptoms(Kind::FrameworkMissing) {
        let Some((_, prefix)) = missing.subject.framework_parts() else { continue };
        let place = Subject::environment(prefix);
        let (told, found) =
            (case.facts.look(&python::INTERPRETER, &place), case.facts.look(&python::ENVIRONMENT, &place));
        let (Some(fact), Some(text)) = (told.fact().or(found.fact()), unfit(case, &missing.subject)) else {
            continue;
        };
        let asked = case.facts.value(&asked::FRAMEWORK).is_some();
        let mut finding = Finding::new(&missing.subject, Level::Supported)
            .because(Evidence::of(fact, text))
            .explaining(vec![missing.clone()]);
        if advice::wanted(case.facts, &missing.subject, None).is_some_and(|w| w.python.flavour == Flavour::Musl) {
            finding = finding.tagged("musl");
        }
        let finding = with_new_python(finding, case);
        findings.push(if asked { finding } else { finding.severity(Severity::Note) });
    }
    findings
}

/// Why no wheel of a framework fits the Python of an environment, if none does. Without its own word, the files of the
/// environment tell of it. That it is older than every wheel in the table says nothing: the table begins late.
pub fn unfit(case: &Case, subject: &Subject) -> Option<String> {
    let (framework, _) = subject.framework_parts()?;
    let wanted = advice::wanted(case.facts, subject, None).filter(|_| builds::knows(framework))?;
    let newest = builds::newest_python(framework, wanted.system)?;
    match (wanted.python.flavour, wanted.python.version) {
        (Flavour::Musl, _) => {
            Some(format!("its Python is made for musl, and wheels of {framework} with CUDA are for glibc"))
        }
        (Flavour::Other, _) => {
            Some(format!("its Python is not CPython, and wheels of {framework} with CUDA are for CPython"))
        }
        (Flavour::FreeThreaded, Some((major, minor)))
            if !builds::has_wheel(framework, wanted.system, &wanted.python) =>
        {
            Some(format!("it is a free-threaded Python {major}.{minor}, for which {framework} has no wheel with CUDA"))
        }
        // A wheel may have come out since the table was made.
        (Flavour::Usual, Some((major, minor))) if (major, minor) > (3, newest) => Some(format!(
            "it is Python {major}.{minor}, and the newest with a CUDA wheel of {framework}{} was 3.{newest} in 2026-12",
            if wanted.system == System::LinuxArm { " for ARM" } else { "" }
        )),
        _ => None,
    }
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
