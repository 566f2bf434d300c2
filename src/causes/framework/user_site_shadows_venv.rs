//! The framework comes from a folder outside the environment: the user's site-packages or PYTHONPATH.

use super::cpu_build;
use crate::causes::{Case, Cause, Evidence, Finding, Level, advice, packages};
use crate::facts::{Fact, Variant, python, said};
use crate::subject::Subject;
use crate::symptom::Kind;

/// Proved where the same Python without those folders sees the GPU.
pub static CAUSE: Cause = Cause {
    page: include_str!("user-site-shadows-venv.md"),
    explains: &[&[Kind::FrameworkCpuBuild, Kind::FrameworkImport, Kind::FrameworkSeesNoGpu, Kind::Tensor]],
    assess,
};

fn assess(case: &Case) -> Vec<Finding> {
    let troubled = [Kind::FrameworkCpuBuild, Kind::FrameworkImport, Kind::FrameworkSeesNoGpu];
    let mut subjects: Vec<Subject> =
        troubled.iter().flat_map(|kind| case.symptoms(*kind).map(|o| o.subject).collect::<Vec<_>>()).collect();
    subjects.dedup();
    let mut findings: Vec<Finding> = subjects.iter().filter_map(|framework| proved(case, framework)).collect();
    if findings.is_empty() {
        // A traceback names that folder for everybody who installs there; a print of the file inside an environment does not.
        let printed = |(said, _): &(said::Said, &Fact)| said.id == "user-site-torch" && !said.text.starts_with("File ");
        let inside = packages::told(case.facts, &["inside-environment"]).is_some();
        let outside = inside && case.facts.all(&said::MESSAGE).any(|row| printed(&row));
        let ids: &[&str] = if outside { &["user-site-off-helps", "user-site-torch"] } else { &["user-site-off-helps"] };
        let worded = cpu_build::with_circumstance(case, ids);
        findings.extend(worded.map(|(finding, fact)| {
            finding
                .with("place", "the user's own site-packages")
                .because(Evidence::of(fact, "the package comes from outside the environment"))
        }));
    }
    findings
}

/// Without the user's site and PYTHONPATH, the import works or gives a build for the GPU.
fn proved(case: &Case, framework: &Subject) -> Option<Finding> {
    let without = Some(Variant::WithoutUserSite);
    let build = case.facts.look_in(&python::BUILD, framework, without);
    let available = case.facts.look_in(&python::AVAILABLE, framework, without);
    let import = case.facts.look_in(&python::IMPORT, framework, without);
    let for_gpu = build.clone().seen().is_some_and(|b| b.cuda.is_some() || b.hip.is_some() || b.xpu.is_some());
    let import_failed = case.facts.look(&python::IMPORT, framework).seen().is_some_and(|i| !i.ok);
    let mended = import_failed && import.clone().seen().is_some_and(|i| i.ok);
    let sees = available.clone().seen() == Some(true);
    if !(sees || for_gpu || mended) {
        return None;
    }
    let look = case.facts.look(&python::IMPORT, framework);
    let file = look.clone().seen().and_then(|i| i.file);
    let place = case.facts.look(&python::DISTRIBUTION, framework).seen().map(|d| d.location).or(file)?;
    let mut finding = Finding::new(framework, Level::Decided)
        .because_of(&case.facts.look(&python::DISTRIBUTION, framework), format!("the package is in {place}"))
        .with("place", place);
    finding = match (sees, for_gpu) {
        (true, _) => finding.because_of(&available, "without the user site and PYTHONPATH, it sees the GPU"),
        (_, true) => finding.because_of(&build, "without the user site and PYTHONPATH, it is a build for the GPU"),
        _ => finding.because_of(&import, "without the user site and PYTHONPATH, the import works"),
    };
    Some(advice::with_python(finding, case.facts))
}
