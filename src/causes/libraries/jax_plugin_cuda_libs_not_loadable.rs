//! JAX's CUDA plugin is installed and cannot load one of its CUDA libraries.

use super::of_major;
use crate::causes::frameworks::{self, TROUBLE};
use crate::causes::{Case, Cause, Evidence, Finding, Level, advice, packages};
use crate::checks::given;
use crate::facts::python::Package;
use crate::subject::Subject;
use crate::symptom::Kind;

/// JAX's warning says that no plugin is installed, and the list of packages says that it is.
pub static CAUSE: Cause = Cause { page: include_str!("jax-plugin-cuda-libs-not-loadable.md"), explains: &[], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let mut findings: Vec<Finding> =
        frameworks::troubled(case, "jax", &[Kind::FrameworkSeesNoGpu, Kind::FrameworkImport])
            .iter()
            .filter_map(|jax| about(case, jax))
            .collect();
    findings.extend(told(case));
    findings
}

/// JAX names the library that it could not load, or the loader does.
fn about(case: &Case, jax: &Subject) -> Option<Finding> {
    let place = frameworks::environment(jax);
    let plugins = packages::matching(case.facts, is_plugin);
    let (plugin, fact) = plugins.iter().find(|(_, fact)| fact.subject == place)?;
    let said = frameworks::says(case, jax, &["Unable to load", "cannot open shared object file"]);
    let missing = frameworks::missing(case, jax).into_iter().find(|(library, _)| of_major::is_cuda(&library.name));
    let mut finding = Finding::new(jax, Level::Decided)
        .because(Evidence::of(fact, format!("installed: {} {}", plugin.name, plugin.version)));
    finding = match (&said, &missing) {
        (Some((text, fact)), _) => {
            let line = text.lines().rev().find(|line| line.contains("load") || line.contains("shared")).unwrap_or(text);
            finding.because(Evidence::of(fact, format!("JAX says: {line}")))
        }
        (None, Some((library, fact))) => {
            finding.because(Evidence::of(fact, format!("the loader does not find {}", library.name)))
        }
        (None, None) => return None,
    };
    let finding = with_variables(finding.explaining(frameworks::symptoms_of(case, jax, &TROUBLE)), case);
    Some(frameworks::installed_wrong(case, advice::with_build(finding, case.facts, None)))
}

/// Adds the variables that lead to other libraries, where any is set; a text rarely says.
fn with_variables(finding: Finding, case: &Case) -> Finding {
    let text = given::is_text(case.facts);
    let set: Vec<&str> = ["LD_LIBRARY_PATH", "LD_PRELOAD", "CUDA_HOME"]
        .into_iter()
        .filter(|name| text || case.facts.variable(name).seen().is_some())
        .collect();
    match set.is_empty() {
        true => finding,
        false => finding.tagged("variables").with("variables", set.join(" ")),
    }
}

fn is_plugin(package: &Package) -> bool {
    package.name.starts_with("jax-cuda") && package.name.ends_with("-plugin")
}

fn told(case: &Case) -> Vec<Finding> {
    let said = packages::told_symptoms(case, &["jax-no-cuda-jaxlib", "jax-falls-back"]);
    let plugins = packages::matching(case.facts, is_plugin);
    match (said.is_empty(), plugins.first()) {
        (false, Some((plugin, fact))) => {
            let text = format!("installed: {} {}", plugin.name, plugin.version);
            let finding = Finding::machine(Level::Supported).because(Evidence::of(fact, text)).explaining(said);
            vec![advice::with_package(with_variables(finding, case), case.facts, "jax")]
        }
        _ => Vec::new(),
    }
}
