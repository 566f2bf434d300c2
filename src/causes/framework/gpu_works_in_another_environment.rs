//! The environment in use cannot use the GPU, and another one of this machine can.

use crate::causes::{Case, Cause, Evidence, Finding, Level, environment};
use crate::checks::given;
use crate::facts::{Fact, asked, python};
use crate::subject::Subject;
use crate::symptom::Kind;

/// A note beside what is wrong with the one in use.
pub static CAUSE: Cause = Cause { page: include_str!("gpu-works-in-another-environment.md"), explains: &[], assess };

/// What is wrong with the environment in use, where another one would do.
const TROUBLE: [Kind; 8] = [
    Kind::PythonBroken,
    Kind::FrameworkMissing,
    Kind::FrameworkImport,
    Kind::FrameworkCpuBuild,
    Kind::FrameworkSeesNoGpu,
    Kind::ArchitectureMissing,
    Kind::RuntimeTooNew,
    Kind::Tensor,
];

fn assess(case: &Case) -> Vec<Finding> {
    let facts = case.facts;
    let in_use = |subject: &Subject| given::environment(facts, subject).filter(|(e, _)| e.in_use);
    let troubled = |o: &crate::causes::Occurrence| TROUBLE.contains(&o.symptom.kind);
    let Some((here, place)) = case.all_symptoms().filter(troubled).find_map(|o| in_use(&o.subject)) else {
        return Vec::new();
    };
    let computes = || facts.all(&python::TENSOR).filter(|(tensor, _)| tensor.ok).map(|(_, fact)| fact);
    let sees = || facts.all(&python::AVAILABLE).filter(|(available, _)| *available).map(|(_, fact)| fact);
    if computes().chain(sees()).any(|fact| in_use(&fact.subject).is_some()) {
        return Vec::new();
    }
    let elsewhere = |fact: &&Fact| given::out_of_use(facts, &fact.subject);
    let fails = |fact: &&Fact| facts.all(&python::TENSOR).any(|(t, f)| f.subject == fact.subject && !t.ok);
    let found = computes().find(elsewhere).map(|fact| (fact, "computes on the GPU".to_string()));
    let found = found.or_else(|| sees().filter(elsewhere).find(|f| !fails(f)).map(|f| (f, "sees the GPU".to_string())));
    let Some((fact, what)) = found.or_else(|| built(case)) else { return Vec::new() };
    let (Some((other, prefix)), Some((framework, _))) =
        (given::environment(facts, &fact.subject), fact.subject.framework_parts())
    else {
        return Vec::new();
    };
    let version = facts.look(&python::DISTRIBUTION, &fact.subject).seen().map(|d| d.version).unwrap_or_default();
    let name = format!("{framework} {version}").trim_end().to_string();
    let mut finding = Finding::new(&place, Level::Decided)
        .because(Evidence::of(fact, format!("{name} in {} {what}", prefix.id)))
        .with("here", given::called(&here, &place.id))
        .with("other", given::called(&other, &prefix.id))
        .with("other_python", other.path)
        .with("other_prefix", prefix.id.clone())
        .with("what", format!("{name} there {what}"))
        .explaining(Vec::new());
    let name = prefix.id.rsplit(['/', '\\']).next().unwrap_or_default().to_string();
    finding = finding.with("other_tool", environment::program(&prefix.id)).with("other_name", name);
    let project = environment::project(facts, &prefix);
    let started = match (other.manager.as_str(), project.is_some()) {
        ("uv", true) => Some("other_uv"),
        ("poetry", true) => Some("other_poetry"),
        ("pdm", true) => Some("other_pdm"),
        ("pixi", true) => Some("other_pixi"),
        ("hatch", true) => Some("other_hatch"),
        ("conda", _) => Some("other_conda"),
        _ => None,
    };
    // A version of pyenv or a Python of uv is no virtual environment.
    let whole = ["/.pyenv/versions/", "/uv/python/"].iter().any(|folder| prefix.id.contains(folder));
    if !whole && matches!(other.manager.as_str(), "pip" | "uv" | "poetry" | "pdm" | "hatch") {
        finding = finding.tagged("other_venv");
    }
    if let Some(project) = project {
        finding = finding.with("other_project", project);
    }
    if let Some(tag) = started {
        finding = finding.tagged(tag);
    }
    match other.names.iter().find_map(|name| name.strip_prefix("kernel ")) {
        Some(kernel) => vec![finding.with("kernel_name", kernel).tagged("other_kernel")],
        None => vec![finding],
    }
}

/// Of what was only read from files: a build for the GPU where the one in use has none.
fn built<'a>(case: &Case<'a>) -> Option<(&'a Fact, String)> {
    if case.facts.value(&asked::QUICK) != Some(true) {
        return None;
    }
    case.facts
        .all(&python::BUILD)
        .filter(|(_, fact)| given::out_of_use(case.facts, &fact.subject))
        .find_map(|(build, fact)| Some((fact, format!("is built for CUDA {}", build.cuda?))))
}
