//! The framework comes from a folder outside the environment: the user's site-packages or PYTHONPATH.

use super::cpu_build;
use crate::causes::{Case, Cause, Evidence, Finding, Level, advice, frameworks, packages};
use crate::facts::python::{self, Build, Hidden};
use crate::facts::{Fact, Look, Variant, said};
use crate::report::Severity;
use crate::subject::Subject;
use crate::symptom::Kind;
use crate::tables;
use std::path::Path;

/// Proved where the same Python without those folders sees the GPU, or where files show a copy for the GPU behind one without.
pub static CAUSE: Cause = Cause {
    page: include_str!("user-site-shadows-venv.md"),
    explains: &[&[Kind::FrameworkCpuBuild, Kind::FrameworkImport, Kind::FrameworkSeesNoGpu, Kind::Tensor]],
    assess,
};

fn assess(case: &Case) -> Vec<Finding> {
    let troubled = [Kind::FrameworkCpuBuild, Kind::FrameworkImport, Kind::FrameworkSeesNoGpu];
    let mut subjects: Vec<Subject> =
        troubled.iter().flat_map(|kind| case.symptoms(*kind).map(|o| o.subject).collect::<Vec<_>>()).collect();
    subjects.extend(case.facts.subjects_with(&python::HIDDEN));
    let mut seen: Vec<Subject> = Vec::new();
    subjects.retain(|subject| {
        !seen.contains(subject) && {
            seen.push(subject.clone());
            true
        }
    });
    let mut findings: Vec<Finding> =
        subjects.iter().filter_map(|framework| proved(case, framework).or_else(|| lies(case, framework))).collect();
    if findings.is_empty() {
        // A traceback names that folder for everybody who installs there; a print of the file inside an environment does not.
        let printed = |(said, _): &(said::Said, &Fact)| said.id == "user-site-torch" && !said.text.starts_with("File ");
        let inside = packages::told(case.facts, &["inside-environment"]).is_some();
        let outside = inside && case.facts.all(&said::MESSAGE).any(|row| printed(&row));
        let ids: &[&str] = if outside { &["user-site-off-helps", "user-site-torch"] } else { &["user-site-off-helps"] };
        let worded = cpu_build::with_circumstance(case, ids);
        findings.extend(worded.map(|(finding, fact)| {
            let finding = finding.because(Evidence::of(fact, "the package comes from outside the environment"));
            named(finding, "torch", "the user's own site-packages", BLIND)
        }));
    }
    findings
}

/// What such a copy does.
const BLIND: &str = "That copy does not use the GPU.";

/// Without the user's site and PYTHONPATH, the import works or gives a build for the GPU.
fn proved(case: &Case, framework: &Subject) -> Option<Finding> {
    let without = Some(Variant::WithoutUserSite);
    let build = case.facts.look_in(&python::BUILD, framework, without);
    let available = case.facts.look_in(&python::AVAILABLE, framework, without);
    let import = case.facts.look_in(&python::IMPORT, framework, without);
    let for_gpu = build.clone().seen().is_some_and(|build| is_for_gpu(&build));
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
        .because_of(&case.facts.look(&python::DISTRIBUTION, framework), format!("the package is in {place}"));
    finding = match (sees, for_gpu) {
        (true, _) => finding.because_of(&available, "without the user site and PYTHONPATH, it sees the GPU"),
        (_, true) => finding.because_of(&build, "without the user site and PYTHONPATH, it is a build for the GPU"),
        _ => finding.because_of(&import, "without the user site and PYTHONPATH, the import works"),
    };
    let effect = if mended { "That copy cannot be imported." } else { BLIND };
    let name = framework.framework_parts().map_or("torch", |(name, _)| name);
    Some(advice::with_python(named(finding, name, &place, effect), case.facts))
}

/// What the files tell: which copy is taken, and which one lies behind it.
fn lies(case: &Case, framework: &Subject) -> Option<Finding> {
    let look = case.facts.look(&python::DISTRIBUTION, framework);
    let taken = look.clone().seen()?;
    let (name, prefix) = framework.framework_parts()?;
    let through = taken.through.as_deref().filter(|through| leads_outside(through, prefix))?;
    let build = case.facts.look(&python::BUILD, framework).seen();
    let blind = build.is_some_and(|build| !is_for_gpu(&build));
    // The environment's own, which would be taken without those folders.
    let own = |hidden: &Hidden| hidden.through.as_deref().is_some_and(|way| !leads_outside(way, prefix));
    let copies = case.facts.all(&python::HIDDEN).filter(|(_, fact)| fact.subject == *framework);
    let behind = { copies }.find(|(hidden, _)| own(hidden));
    let start = |level: Level, effect: String| {
        let text = format!("{name} {} is taken from {}, by way of {through}", taken.version, taken.location);
        let finding = Finding::new(framework, level).because_of(&look, text);
        advice::with_python(named(finding, name, &taken.location, &effect), case.facts)
    };
    let Some((hidden, fact)) = behind else {
        // Nothing else is there, and what is installed into the environment stays hidden.
        let stays = through == PYTHONPATH || is_of_conda(case, prefix);
        let symptoms = frameworks::symptoms_of(case, framework, &[Kind::FrameworkCpuBuild]);
        let finding = (blind && stays && !symptoms.is_empty()).then(|| start(Level::Decided, BLIND.to_string()))?;
        return Some(frameworks::weighed(case, finding.tagged("alone")));
    };
    let built =
        hidden.build.as_ref().and_then(|build| build.cuda.as_ref()).map(|cuda| format!(", built for CUDA {cuda}"));
    let beside = Evidence::of(
        fact,
        format!(
            "the environment's own is {name} {}{}, in {}",
            hidden.version,
            built.unwrap_or_default(),
            hidden.location
        ),
    );
    if blind && hidden.build.as_ref().is_some_and(is_for_gpu) {
        return Some(frameworks::weighed(case, start(Level::Decided, BLIND.to_string()).because(beside)));
    }
    let broken = frameworks::symptoms_of(case, framework, &[Kind::FrameworkImport]);
    let tried = case.facts.look_in(&python::IMPORT, framework, Some(Variant::WithoutUserSite));
    if !broken.is_empty() && matches!(tried, Look::NotAsked) {
        let ask = format!("env -u PYTHONPATH PYTHONNOUSERSITE=1 python -c \"import {}\"", module(name));
        let finding = start(Level::Supported, "That copy cannot be imported.".to_string()).because(beside);
        let need = "whether the environment's own copy can be imported";
        return Some(finding.explaining(broken).unknown(
            need,
            ask,
            &["user-site-shadows-venv", "framework-import-fails"],
        ));
    }
    if hidden.version == taken.version {
        return None;
    }
    let effect = format!("The environment has {name} {}, which is not used.", hidden.version);
    let finding = start(Level::Decided, effect).because(beside);
    Some(finding.explaining(Vec::new()).severity(Severity::Note))
}

/// Whether a copy outside the environment is why this framework has no code for the GPU.
pub fn explains(case: &Case, framework: &Subject) -> bool {
    let finding = || proved(case, framework).or_else(|| lies(case, framework));
    finding().is_some_and(|finding| finding.level == Level::Decided && finding.explains.is_none())
}

fn is_for_gpu(build: &Build) -> bool {
    build.cuda.is_some() || build.hip.is_some() || build.xpu.is_some()
}

const PYTHONPATH: &str = "PYTHONPATH";

/// Whether the way to a folder leads out of the environment: the user's packages, the variable, or a `.pth` file that lies
/// outside.
fn leads_outside(through: &str, prefix: &str) -> bool {
    let foreign = through.ends_with(".pth") && !Path::new(through).starts_with(prefix);
    through == "user site" || through == PYTHONPATH || foreign
}

fn is_of_conda(case: &Case, prefix: &str) -> bool {
    let place = Subject::environment(prefix);
    let found = case.facts.look(&python::ENVIRONMENT, &place).seen().map(|e| e.manager);
    let told = case.facts.look(&python::INTERPRETER, &place).seen().map(|i| i.manager);
    found.or(told).is_some_and(|manager| manager == "conda" || manager == "pixi")
}

fn module(name: &str) -> &str {
    tables::frameworks::find(name).map_or(name, |framework| framework.module)
}

fn named(finding: Finding, name: &str, place: &str, effect: &str) -> Finding {
    let packages = if name == "torch" { "torch torchvision torchaudio" } else { name };
    let finding = finding.with("place", place).with("effect", effect).with("packages", packages);
    finding.with("module", module(name))
}
