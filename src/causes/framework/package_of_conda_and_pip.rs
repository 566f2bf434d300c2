//! conda and pip both installed one framework into one environment.

use crate::causes::{Case, Cause, Evidence, Finding, Level, advice};
use crate::facts::Fact;
use crate::facts::python::{self, Package};
use crate::report::Severity;
use crate::subject::Subject;
use crate::tables::frameworks::{self, Framework};

/// conda's list and the metadata of pip name one framework, in two versions or by two installers.
pub static CAUSE: Cause = Cause { page: include_str!("package-of-conda-and-pip.md"), explains: &[], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let places = case.facts.subjects_with(&python::PACKAGE);
    places.iter().flat_map(|place| frameworks::ALL.iter().filter_map(|one| about(case, place, one))).collect()
}

fn about(case: &Case, place: &Subject, framework: &Framework) -> Option<Finding> {
    let here: Vec<(Package, &Fact)> = case
        .facts
        .all(&python::PACKAGE)
        .filter(|(package, fact)| fact.subject == *place && framework.is_brought_by(&package.name))
        .collect();
    let (conda, record) = here.iter().find(|(package, _)| package.build.is_some() && package.location.is_none())?;
    // What lies outside the environment is another matter.
    let inside = |location: &str| std::path::Path::new(location).starts_with(&place.id);
    let (pip, metadata) = here.iter().find(|(package, _)| package.location.as_deref().is_some_and(inside))?;
    let plain = |version: &str| version.split('+').next().unwrap_or_default().to_string();
    let subject = Subject::framework(framework.name, &place.id);
    let installer = case.facts.look(&python::DISTRIBUTION, &subject).seen().and_then(|d| d.installer);
    // conda writes its own name beside what it installs.
    let by_pip = installer.is_some_and(|name| name == "pip" || name == "uv");
    if plain(&conda.version) == plain(&pip.version) && !by_pip {
        return None;
    }
    let built = conda.build.as_ref().map(|build| format!(", build {build}")).unwrap_or_default();
    let finding = Finding::new(&subject, Level::Decided)
        .because(Evidence::of(record, format!("conda's list: {} {}{built}", conda.name, conda.version)))
        .because(Evidence::of(metadata, format!("pip's metadata: {} {}", pip.name, pip.version)))
        .with("conda_package", conda.name.clone())
        .with("conda_version", conda.version.clone())
        .with("package", pip.name.clone())
        .with("version", pip.version.clone());
    Some(advice::with_python(finding.severity(Severity::Note), case.facts))
}
