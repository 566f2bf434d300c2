//! What is installed in an environment, from the stage `packages`.

use super::parse::{list, text};
use crate::facts::python::{self as keys, Build, Distribution, Package};
use crate::facts::{Facts, cuda};
use crate::subject::Subject;
use crate::tables::frameworks;
use serde_json::Value;

/// Everything that the list of packages says.
pub fn read(facts: &mut Facts, environment: &Subject, packages: &Value, path: &str) {
    cudarts(facts, packages);
    listed(facts, environment, packages);
    torch(facts, &Subject::framework("torch", &environment.id), packages, path);
    others(facts, &environment.id, packages, path);
    if let Some(shadow) = text(&packages["torch"], "cwd_shadow") {
        facts.seen(&keys::SHADOWED_BY, environment, shadow, format!("{path}: import torch in this directory"));
    }
}

/// Whether there is anything that `import torch` would take.
pub fn has_torch(packages: &Value) -> bool {
    packages["torch"]["origin"].is_string() || packages["torch"]["folder"].is_string()
}

/// Who installs packages there. What is known of the installed torch comes first: in a conda environment it may be pip's.
pub fn manager(interpreter: &Value, packages: &Value) -> String {
    let managers: Vec<&str> = list(interpreter, "managers").iter().filter_map(|m| m["name"].as_str()).collect();
    let torch = list(packages, "distributions").iter().find(|d| d["name"] == "torch");
    let installer = torch.and_then(|d| d["installer"].as_str());
    let from_conda = list(packages, "conda").iter().any(|row| row["name"] == "pytorch");
    let is = |name: &str| managers.contains(&name);
    let name = match installer {
        _ if from_conda && is("pixi") => "pixi",
        _ if from_conda => "conda",
        Some("uv") => "uv",
        _ if is("poetry") => "poetry",
        Some("pip") => "pip",
        _ if is("pixi") => "pixi",
        _ if is("conda") => "conda",
        _ if is("uv") => "uv",
        _ if is("pipx") => "pipx",
        _ if interpreter["externally_managed"] == true => "system",
        _ => "pip",
    };
    name.to_string()
}

/// The CUDA runtimes among the installed wheels.
fn cudarts(facts: &mut Facts, packages: &Value) {
    for row in list(packages, "distributions") {
        let name = text(row, "name").unwrap_or_default();
        if name.starts_with("nvidia-cuda-runtime")
            && let (Some(version), Some(location)) = (text(row, "version"), text(row, "location"))
        {
            let place = Subject::file(format!("{location}/{name}"));
            facts.seen(&cuda::CUDART, &place, version, format!("{location}: {name}"));
        }
    }
}

/// The installed packages that have to do with GPUs, from the metadata of pip and of conda.
fn listed(facts: &mut Facts, environment: &Subject, packages: &Value) {
    let rows = list(packages, "distributions").iter().chain(list(packages, "conda"));
    for row in rows {
        let Some(name) = text(row, "name").filter(|name| name != "pip" && name != "numpy") else { continue };
        let package = Package {
            version: text(row, "version").unwrap_or_default(),
            location: text(row, "location"),
            build: text(row, "build").filter(|_| row["form"].is_null()),
            channel: text(row, "channel"),
            name,
        };
        let source = package.location.clone().unwrap_or_else(|| format!("{}/conda-meta", environment.id));
        facts.seen(&keys::PACKAGE, environment, package, source);
    }
}

/// The installed torch: absent is a fact.
fn torch(facts: &mut Facts, framework: &Subject, packages: &Value, path: &str) {
    let torch = &packages["torch"];
    let source = format!("{path}: importlib, dist-info");
    if packages.is_null() {
        facts.failed(&keys::DISTRIBUTION, framework, "the list of packages could not be read", source);
        return;
    }
    if !has_torch(packages) {
        facts.absent(&keys::DISTRIBUTION, framework, source);
        return;
    }
    let rows = list(packages, "distributions");
    let folder = text(torch, "folder").unwrap_or_default();
    // The metadata beside the package that is really imported, where there are several.
    let row = rows
        .iter()
        .filter(|d| d["name"] == "torch")
        .max_by_key(|d| d["location"].as_str().is_some_and(|location| folder.starts_with(location)))
        .unwrap_or(&Value::Null);
    let conda = list(packages, "conda").iter().find(|row| row["name"] == "pytorch").unwrap_or(&Value::Null);
    let version_py = &torch["version_py"];
    let distribution = Distribution {
        // version.py has the local tag (+cpu) that the name of the metadata may lack.
        version: text(version_py, "version").or(text(row, "version")).or(text(conda, "version")).unwrap_or_default(),
        location: text(row, "location").unwrap_or(folder.clone()),
        installer: text(row, "installer").or_else(|| text(conda, "build").map(|_| "conda".to_string())),
        conda_build: text(conda, "build"),
        channel: text(conda, "channel"),
    };
    facts.seen(&keys::DISTRIBUTION, framework, distribution, source);
    if version_py.is_object() {
        let build = Build {
            cuda: text(version_py, "cuda"),
            hip: text(version_py, "hip").or(text(version_py, "rocm")),
            xpu: text(version_py, "xpu"),
        };
        facts.seen(&keys::BUILD, framework, build, format!("{folder}/version.py"));
    }
}

/// The other frameworks that an import would find. Of one that is not there nothing is said.
fn others(facts: &mut Facts, prefix: &str, packages: &Value, path: &str) {
    let present = list(packages, "present");
    for framework in frameworks::ALL.iter().filter(|f| f.name != "torch") {
        if !present.iter().any(|module| module == framework.module) {
            continue;
        }
        let brings = |row: &&Value| row["name"].as_str().is_some_and(|name| framework.is_brought_by(name));
        let row = list(packages, "distributions").iter().find(brings);
        let conda = list(packages, "conda").iter().find(brings);
        let Some(any) = row.or(conda) else { continue };
        let distribution = Distribution {
            version: text(any, "version").unwrap_or_default(),
            location: text(any, "location").unwrap_or_default(),
            installer: text(any, "installer").or_else(|| conda.map(|_| "conda".to_string())),
            conda_build: conda.and_then(|row| text(row, "build")),
            channel: conda.and_then(|row| text(row, "channel")),
        };
        let subject = Subject::framework(framework.name, prefix);
        facts.seen(&keys::DISTRIBUTION, &subject, distribution, format!("{path}: importlib, dist-info"));
    }
}
