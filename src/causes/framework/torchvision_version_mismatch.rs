//! torchvision or torchaudio of another release than torch.

use crate::causes::{Case, Cause, Evidence, Finding, Level, advice, frameworks, packages};
use crate::facts::{Fact, python};
use crate::report::Severity;
use crate::subject::{Kind as SubjectKind, Subject};
use crate::tables::{companions, wheels};

/// Their own code calls functions of the one torch that they were built for.
pub static CAUSE: Cause = Cause { page: include_str!("torchvision-version-mismatch.md"), explains: &[], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let places = case.facts.subjects_with(&python::PACKAGE);
    let names = ["torchvision", "torchaudio"];
    places.iter().flat_map(|place| names.iter().filter_map(|name| about(case, place, name))).collect()
}

fn about(case: &Case, place: &Subject, name: &str) -> Option<Finding> {
    let (companion, fact) = packages::named(case.facts, name, Some(place))?;
    let (torch, of_torch) = torch(case, place)?;
    if !companions::apart(name, &companion.version, &torch) {
        return None;
    }
    let wanted = companions::minor(&torch).and_then(|torch| companions::belongs(name, torch));
    let spec = match wanted {
        Some((major, minor)) => format!("\"{name}=={major}.{minor}.*\""),
        None => name.to_string(),
    };
    let said = packages::told_symptoms(case, &["torchvision-operator-missing"]);
    let explains = if name == "torchvision" { said } else { Vec::new() };
    let finding = Finding::new(&frameworks::beside(place, "torch"), Level::Decided)
        .because(Evidence::of(fact, format!("installed: {name} {}", companion.version)))
        .because(Evidence::of(of_torch, format!("installed: torch {torch}")))
        .with("package", name)
        .with("version", companion.version)
        .with("torch", torch.clone())
        .with("specs", spec.clone())
        .severity(if explains.is_empty() { Severity::Warning } else { Severity::Error });
    let index = wheels::tag(&torch).filter(|tag| tag.starts_with("cu") || tag.starts_with("rocm") || *tag == "cpu");
    let finding = match index {
        Some(tag) => {
            let url = format!("https://download.pytorch.org/whl/{tag}");
            let finding = finding.with("arguments", format!("{spec} --index-url {url}")).tagged("index");
            finding.with("index", url).with("index_name", format!("pytorch-{tag}"))
        }
        None => finding.with("arguments", spec).tagged("pypi"),
    };
    Some(advice::with_python(finding.explaining(explains), case.facts))
}

/// The version of the torch beside it, as an import would take it.
fn torch<'a>(case: &Case<'a>, place: &Subject) -> Option<(String, &'a Fact)> {
    if place.kind == SubjectKind::Environment {
        let look = case.facts.look(&python::DISTRIBUTION, &Subject::framework("torch", &place.id));
        if let (Some(distribution), Some(fact)) = (look.clone().seen(), look.fact()) {
            return Some((distribution.version, fact));
        }
    }
    let named = ["torch", "pytorch"].iter().find_map(|name| packages::named(case.facts, name, Some(place)));
    named.map(|(package, fact)| (package.version, fact))
}
