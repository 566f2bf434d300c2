//! jaxlib and JAX's CUDA plugin are of versions that do not belong together.

use crate::causes::frameworks::{self, TROUBLE};
use crate::causes::{Case, Cause, Evidence, Finding, Level, advice, packages};
use crate::facts::python;

/// The list of packages shows it, or JAX's own warning.
pub static CAUSE: Cause = Cause { page: include_str!("jax-plugin-version-mismatch.md"), explains: &[], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let mut findings = Vec::new();
    for place in case.facts.subjects_with(&python::PACKAGE) {
        let Some((jaxlib, fact)) = packages::named(case.facts, "jaxlib", Some(&place)) else { continue };
        // JAX compares the numbers of the release, without what follows them.
        let release = |version: &str| packages::numbers(version).into_iter().take(3).collect::<Vec<_>>();
        for name in ["jax-cuda12-plugin", "jax-cuda13-plugin"] {
            let Some((plugin, other)) = packages::named(case.facts, name, Some(&place)) else { continue };
            let (ours, theirs) = (release(&jaxlib.version), release(&plugin.version));
            if ours.len() < 3 || theirs.len() < 3 || ours == theirs {
                continue;
            }
            let jax = frameworks::beside(&place, "jax");
            let mut explains =
                packages::told_symptoms(case, &["jax-plugin-incompatible", "jax-versions-apart", "jax-no-cuda-jaxlib"]);
            explains.extend(frameworks::symptoms_of(case, &jax, &TROUBLE));
            let finding = Finding::new(&jax, Level::Decided)
                .because(Evidence::of(fact, format!("installed: jaxlib {}", jaxlib.version)))
                .because(Evidence::of(other, format!("installed: {name} {}", plugin.version)))
                .explaining(explains);
            findings.push(frameworks::installed_wrong(case, advice::with_package(finding, case.facts, "jax")));
        }
    }
    findings
}
