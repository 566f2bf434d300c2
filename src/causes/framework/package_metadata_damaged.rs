//! A package of which only one half is there: its files, or what is written about them.

use crate::causes::{Case, Cause, Evidence, Finding, Level, advice, frameworks};
use crate::facts::python::{self, Damage};
use crate::facts::{Fact, asked};
use crate::report::Severity;
use crate::subject::Subject;
use crate::symptom::Kind;
use crate::tables::{self, wheels};

/// An error where the files of the framework that is asked for are gone; else installers stumble over it, and nobody else.
pub static CAUSE: Cause = Cause { page: include_str!("package-metadata-damaged.md"), explains: &[], assess };

fn assess(case: &Case) -> Vec<Finding> {
    case.facts.all(&python::DAMAGE).map(|(damage, fact)| about(case, &damage, fact)).collect()
}

fn about(case: &Case, damage: &Damage, fact: &Fact) -> Finding {
    let named = format!("{} {}", damage.package, damage.version);
    let (what, evidence) = match damage.kind.as_str() {
        "no_files" => (
            format!(
                "{named} is recorded as installed, and its files are gone. Installers say that nothing is to be done"
            ),
            format!("{} is there, and no module to import", damage.path),
        ),
        "no_record" => (
            format!("the list of the files of {named} is gone. pip can neither remove nor replace it"),
            format!("{} has no RECORD", damage.path),
        ),
        _ => (
            format!(
                "what is written about {named} is incomplete. Installers do not see it, and programs that ask for its version fail"
            ),
            format!("{} has no METADATA", damage.path),
        ),
    };
    let subject = of_framework(damage, &fact.subject);
    let missing = frameworks::symptoms_of(case, &subject, &[Kind::FrameworkMissing]);
    let gone = damage.kind == "no_files" && !missing.is_empty();
    let asked = case
        .facts
        .value(&asked::FRAMEWORK)
        .is_some_and(|name| subject.framework_parts().is_some_and(|(n, _)| n == name));
    let severity = match (gone, asked) {
        (true, true) => Severity::Error,
        (true, false) => Severity::Warning,
        _ => Severity::Note,
    };
    let release = damage.version.split('+').next().unwrap_or_default();
    let tag = wheels::tag(&damage.version).filter(|_| damage.package.starts_with("torch"));
    let finding = Finding::new(if gone { &subject } else { &fact.subject }, Level::Decided)
        .because(Evidence::of(fact, evidence))
        .with("what", what)
        .with("metadata", damage.path.clone())
        .with("package", damage.package.clone())
        .with("release", release)
        .explaining(if gone { missing } else { Vec::new() })
        .severity(severity);
    let finding = advice::with_python(finding, case.facts);
    match tag {
        Some(tag) => finding.with("tag", tag).tagged("of_pytorch"),
        None => finding,
    }
}

/// The framework that a package brings; the environment for another one.
fn of_framework(damage: &Damage, environment: &Subject) -> Subject {
    let framework = tables::frameworks::ALL.iter().find(|framework| framework.is_brought_by(&damage.package));
    framework.map_or_else(|| environment.clone(), |framework| Subject::framework(framework.name, &environment.id))
}

/// Whether the files of this framework are gone, and its metadata is not.
pub fn files_gone(case: &Case, framework: &Subject) -> bool {
    let gone = |(damage, fact): (Damage, &Fact)| {
        damage.kind == "no_files" && of_framework(&damage, &fact.subject) == *framework
    };
    case.facts.all(&python::DAMAGE).any(gone)
}
