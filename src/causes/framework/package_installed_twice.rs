//! One package stands twice in one folder of packages.

use crate::causes::{Case, Cause, Evidence, Finding, Level, advice};
use crate::facts::python;
use crate::facts::{Fact, python::Package};
use crate::report::Severity;

/// Two entries of one package in one folder: its files are of one version or of both.
pub static CAUSE: Cause = Cause { page: include_str!("package-installed-twice.md"), explains: &[], assess };

fn assess(case: &Case) -> Vec<Finding> {
    // A list that somebody pasted may hold two environments.
    let all: Vec<(Package, &Fact)> =
        case.facts.all(&python::PACKAGE).filter(|(package, _)| package.location.is_some()).collect();
    let mut findings = Vec::new();
    for (at, (package, fact)) in all.iter().enumerate() {
        let same = |(other, its): &&(Package, &Fact)| {
            other.name == package.name && other.location == package.location && its.subject == fact.subject
        };
        let before = all[..at].iter().any(|row| same(&row));
        let twins: Vec<&(Package, &Fact)> = all[at + 1..].iter().filter(same).collect();
        let Some((other, its)) = twins.first().filter(|(other, _)| !before && other.version != package.version) else {
            continue;
        };
        let finding = Finding::new(&fact.subject, Level::Decided)
            .because(Evidence::of(fact, format!("installed: {} {}", package.name, package.version)))
            .because(Evidence::of(its, format!("installed as well: {} {}", other.name, other.version)))
            .with("package", package.name.clone())
            .with("versions", format!("{} and {}", package.version, other.version));
        findings.push(advice::with_python(finding.severity(Severity::Note), case.facts));
    }
    findings
}
