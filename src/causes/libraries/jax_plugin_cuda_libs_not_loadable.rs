//! JAX's CUDA plugin is installed and cannot load one of its CUDA libraries.

use crate::causes::{Case, Cause, Evidence, Finding, Level, advice, packages};

/// JAX's warning says that no plugin is installed, and the list of packages says that it is.
pub static CAUSE: Cause = Cause { page: include_str!("jax-plugin-cuda-libs-not-loadable.md"), explains: &[], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let said = packages::told_symptoms(case, &["jax-no-cuda-jaxlib", "jax-falls-back"]);
    let is_plugin = |name: &str| name.starts_with("jax-cuda") && name.ends_with("-plugin");
    let plugins = packages::matching(case.facts, |p| is_plugin(&p.name));
    match (said.is_empty(), plugins.first()) {
        (false, Some((plugin, fact))) => {
            let text = format!("installed: {} {}", plugin.name, plugin.version);
            let finding = Finding::machine(Level::Supported).because(Evidence::of(fact, text)).explaining(said);
            vec![advice::with_python(finding, case.facts)]
        }
        _ => Vec::new(),
    }
}
