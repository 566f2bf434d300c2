//! JAX without its CUDA plugin.

use crate::causes::{Case, Cause, Evidence, Finding, Level, packages};

/// JAX says so, and the list of packages has no plugin.
pub static CAUSE: Cause = Cause { page: include_str!("jaxlib-cpu-only.md"), explains: &[], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let said = packages::told_symptoms(case, &["jax-no-cuda-jaxlib", "jax-falls-back", "jax-cpu-jaxlib-signs"]);
    let cuda = |name: &str, version: &str| name.starts_with("jax-cuda") || name == "jaxlib" && version.contains("cuda");
    if said.is_empty() || !packages::matching(case.facts, |p| cuda(&p.name, &p.version)).is_empty() {
        return Vec::new();
    }
    // A list with JAX in it is a list in which the plugin would stand as well.
    let Some((jaxlib, fact)) = packages::named(case.facts, "jaxlib", None) else { return Vec::new() };
    let build = jaxlib.build.as_deref().unwrap_or_default();
    if build.contains("cuda") {
        return Vec::new();
    }
    let text = format!("installed: jaxlib {}, and no jax-cuda package", jaxlib.version);
    vec![Finding::new(&fact.subject, Level::Decided).because(Evidence::of(fact, text)).explaining(said)]
}
