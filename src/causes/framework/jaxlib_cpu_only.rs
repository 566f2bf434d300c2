//! JAX without its CUDA plugin.

use crate::causes::frameworks::{self, WITHOUT_GPU_CODE};
use crate::causes::{Case, Cause, Evidence, Finding, Level, advice, packages};
use crate::facts::python;
use crate::facts::python::Package;
use crate::subject::Subject;
use crate::symptom::Kind;

/// JAX says so, or its build, and the list of packages has no plugin.
pub static CAUSE: Cause = Cause { page: include_str!("jaxlib-cpu-only.md"), explains: &[], assess };

fn assess(case: &Case) -> Vec<Finding> {
    if !frameworks::wants_cuda(case) {
        return Vec::new();
    }
    let seen = frameworks::troubled(case, "jax", &[Kind::FrameworkCpuBuild]);
    let mut findings: Vec<Finding> = seen.iter().filter_map(|framework| about(case, framework)).collect();
    if findings.is_empty() {
        findings.extend(told(case));
    }
    findings
}

fn for_cuda(package: &Package) -> bool {
    let build = package.build.as_deref().unwrap_or_default();
    package.name.starts_with("jax-cuda")
        || package.name == "jaxlib" && (package.version.contains("cuda") || build.contains("cuda"))
}

fn about(case: &Case, framework: &Subject) -> Option<Finding> {
    let place = frameworks::environment(framework);
    let (jaxlib, fact) = packages::named(case.facts, "jaxlib", Some(&place))?;
    if packages::matching(case.facts, for_cuda).iter().any(|(_, fact)| fact.subject == place) {
        return None;
    }
    let text = format!("installed: jaxlib {}, and no jax-cuda package", jaxlib.version);
    let finding = Finding::new(framework, Level::Decided)
        .because(Evidence::of(fact, text))
        .because_of(&case.facts.look(&python::BUILD, framework), "nothing of it is built for CUDA")
        .explaining(frameworks::symptoms_of(case, framework, &WITHOUT_GPU_CODE));
    Some(frameworks::weighed(case, advice::with_build(finding, case.facts, None)))
}

/// The same from JAX's warning. A list with JAX in it is a list in which the plugin would stand as well.
fn told(case: &Case) -> Option<Finding> {
    let said = packages::told_symptoms(case, &["jax-no-cuda-jaxlib", "jax-falls-back", "jax-cpu-jaxlib-signs"]);
    if said.is_empty() || !packages::matching(case.facts, for_cuda).is_empty() {
        return None;
    }
    let (jaxlib, fact) = packages::named(case.facts, "jaxlib", None)?;
    let text = format!("installed: jaxlib {}, and no jax-cuda package", jaxlib.version);
    let finding = Finding::new(&frameworks::beside(&fact.subject, "jax"), Level::Decided)
        .because(Evidence::of(fact, text))
        .explaining(said);
    Some(advice::with_package(finding, case.facts, "jax"))
}
