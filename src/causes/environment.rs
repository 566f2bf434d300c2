//! Who manages the packages of an environment, as conditions for the steps of a page.

use super::advice;
use super::install::INSTALLED;
use crate::facts::Facts;
use crate::facts::python::{self, Environment};
use crate::subject::Subject;

/// Managers whose projects declare what is installed: another way in lasts until their next sync.
const DECLARE: [&str; 4] = ["uv", "poetry", "pdm", "pixi"];
/// Managers with a command of their own for an environment of no project.
const OWN: [&str; 2] = ["pdm", "pipx"];

/// The words that are true of the environment of a subject: `pip`, `uv`, `conda`, `poetry`, `pdm`, `pixi`, `pipx` or `system`,
/// with `project` where a project declares its packages; `kernel` for a notebook's; `colab` or `kaggle`.
pub fn tags(facts: &Facts, subject: &Subject) -> Vec<String> {
    let mut tags = Vec::new();
    for (variable, tag) in [("COLAB_RELEASE_TAG", "colab"), ("KAGGLE_KERNEL_RUN_TYPE", "kaggle")] {
        if facts.variable(variable).seen().is_some() {
            tags.push(tag.to_string());
        }
    }
    let Some(prefix) = advice::prefix(subject) else { return tags };
    let place = Subject::environment(prefix);
    let interpreter = facts.look(&python::INTERPRETER, &place).seen();
    let environment = facts.look(&python::ENVIRONMENT, &place).seen();
    let installer = facts.look(&python::DISTRIBUTION, subject).seen().and_then(|d| d.installer);
    let found = environment.as_ref().map(|e| e.manager.as_str());
    let told = interpreter.as_ref().map(|i| i.manager.as_str()).or(found);
    let declared = environment.as_ref().filter(|e| e.project.is_some() && DECLARE.contains(&e.manager.as_str()));
    let manager = match (declared, found, told, installer.as_deref()) {
        (Some(environment), ..) => {
            tags.push("project".to_string());
            Some(environment.manager.as_str())
        }
        // What pip or uv put into a conda environment is not conda's to replace: two copies would lie there.
        (_, _, Some("conda"), Some(installer @ ("pip" | "uv"))) => Some(installer),
        (_, Some(found), ..) if OWN.contains(&found) => Some(found),
        (_, _, Some("hatch"), _) => Some("pip"),
        (_, _, told, _) => told,
    };
    tags.extend(manager.map(str::to_string));
    let here = facts.all(&python::PACKAGE).filter(|(_, fact)| fact.subject == place);
    tags.extend(here.map(|(package, _)| format!("{INSTALLED}{}", package.name)));
    let named = |environment: &Environment| environment.names.iter().any(|name| name.starts_with("kernel "));
    if environment.as_ref().is_some_and(named) || interpreter.is_some_and(|i| i.chosen_by == "--kernel") {
        tags.push("kernel".to_string());
    }
    tags
}
