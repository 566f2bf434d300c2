//! conda's solver took a pytorch without CUDA.

use super::cpu_build;
use crate::causes::{Case, Cause, Evidence, Finding, Level, advice, frameworks, packages};
use crate::facts::python;
use crate::symptom::Kind;

/// The build string tells it.
pub static CAUSE: Cause = Cause {
    page: include_str!("conda-cpu-build-selected.md"),
    explains: &[&[Kind::FrameworkCpuBuild, Kind::FrameworkSeesNoGpu, Kind::Tensor]],
    assess,
};

fn assess(case: &Case) -> Vec<Finding> {
    let mut findings = Vec::new();
    for torch in cpu_build::known(case) {
        let look = case.facts.look(&python::DISTRIBUTION, &torch);
        let Some(d) = look.clone().seen() else { continue };
        let Some(build) = d.conda_build.filter(|build| build.contains("cpu")) else { continue };
        let channel = d.channel.map(|c| format!(" of {c}")).unwrap_or_default();
        let finding = Finding::new(&torch, Level::Decided)
            .because_of(&look, format!("installed: pytorch {}, build {build}{channel}", d.version))
            .explaining(cpu_build::consequences(case, &torch));
        let finding = frameworks::with_origin(case, &torch, finding);
        findings.push(cpu_build::weighed(case, advice::with_build(finding, case.facts, None)));
    }
    if !findings.is_empty() {
        return findings;
    }
    let is_cpu = |name: &str, build: &str| matches!(name, "pytorch" | "libtorch") && build.contains("cpu");
    let listed = packages::matching(case.facts, |p| is_cpu(&p.name, p.build.as_deref().unwrap_or_default()));
    if let Some((package, fact)) = listed.first() {
        let text = format!(
            "installed: {} {}, build {}",
            package.name,
            package.version,
            package.build.as_deref().unwrap_or_default()
        );
        // Another copy may be the one that is imported, so that only its build decides.
        let symptoms = cpu_build::symptoms(case);
        let level = if cpu_build::known(case).is_empty() { Level::Supported } else { Level::Decided };
        let finding = Finding::machine(level).because(Evidence::of(fact, text)).explaining(symptoms);
        return vec![advice::with_build(finding, case.facts, None)];
    }
    Vec::new()
}
