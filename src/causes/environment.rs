//! Who manages the packages of an environment, as conditions for the steps of a page.

use super::advice;
use super::install::{BY_PIP, INSTALLED};
use crate::checks::given;
use crate::facts::{Facts, cuda, nvidia, python};
use crate::subject::Subject;
use crate::tables::drivers::{self, Cuda};

/// The value that names conda's program.
const CONDA: &str = "conda";
/// Managers whose projects declare what is installed: another way in lasts until their next sync.
const DECLARE: [&str; 4] = ["uv", "poetry", "pdm", "pixi"];
/// Managers with a command of their own for an environment of no project.
const OWN: [&str; 2] = ["pdm", "pipx"];

/// The words that are true of the environment of a subject: `pip`, `uv`, `conda`, `poetry`, `pdm`, `pixi`, `pipx` or `system`,
/// with `project` where a project declares its packages; `hatch` besides; `global` for `pixi global`; `kernel` for a notebook's; `colab` or `kaggle`;
/// `driver_cuda` and `cuda_major` where the values of these names are known.
pub fn tags(facts: &Facts, subject: &Subject) -> Vec<String> {
    let mut tags = Vec::new();
    for (variable, tag) in [("COLAB_RELEASE_TAG", "colab"), ("KAGGLE_KERNEL_RUN_TYPE", "kaggle")] {
        if facts.variable(variable).seen().is_some() {
            tags.push(tag.to_string());
        }
    }
    let cloud = !tags.is_empty();
    if driver_cuda(facts).is_some() {
        tags.extend(["driver_cuda", "cuda_major"].map(str::to_string));
    }
    let Some(prefix) = advice::prefix(subject) else { return tags };
    let place = Subject::environment(prefix);
    let interpreter = facts.look(&python::INTERPRETER, &place).seen();
    let environment = facts.look(&python::ENVIRONMENT, &place).seen();
    let installer = facts.look(&python::DISTRIBUTION, subject).seen().and_then(|d| d.installer);
    let found = environment.as_ref().map(|e| e.manager.as_str());
    let told = interpreter.as_ref().map(|i| i.manager.as_str()).or(found);
    let named = |start: &str| environment.as_ref().is_some_and(|e| e.names.iter().any(|name| name.starts_with(start)));
    if named(PIXI_GLOBAL) {
        tags.push("global".to_string());
    }
    let declared =
        environment.as_ref().filter(|e| DECLARE.contains(&e.manager.as_str()) && project(facts, &place).is_some());
    let manager = match (declared, found, told, installer.as_deref()) {
        (Some(environment), ..) => {
            tags.push("project".to_string());
            Some(environment.manager.as_str())
        }
        // What pip or uv put into a conda environment is not conda's to replace: two copies would lie there.
        (_, _, Some("conda"), Some(installer @ ("pip" | "uv"))) => Some(installer),
        (_, Some(found), ..) if OWN.contains(&found) => Some(found),
        (_, _, Some("hatch"), installer) => {
            tags.push("hatch".to_string());
            Some(if installer == Some("uv") { "uv" } else { "pip" })
        }
        // A notebook in the cloud runs in the system's Python, and is thrown away with it.
        (_, _, Some("system"), _) if cloud => Some("pip"),
        (_, _, told, _) => told,
    };
    tags.extend(manager.map(str::to_string));
    let here: Vec<python::Package> =
        facts.all(&python::PACKAGE).filter(|(_, fact)| fact.subject == place).map(|(package, _)| package).collect();
    let of_conda = |name: &str| {
        let other = if name == "torch" { "pytorch" } else { name };
        here.iter().any(|package| package.build.is_some() && (package.name == name || package.name == other))
    };
    for package in &here {
        tags.push(format!("{INSTALLED}{}", package.name));
        if !of_conda(&package.name) {
            tags.push(format!("{BY_PIP}{}", package.name));
        }
    }
    if named("kernel ") || interpreter.is_some_and(|i| i.chosen_by == "--kernel") {
        tags.push("kernel".to_string());
    }
    tags
}

/// How environments of `pixi global` are called.
const PIXI_GLOBAL: &str = "pixi global environment ";

/// The folder of the project that declares what is installed in an environment; pixi's lie in their project's folder.
pub fn project(facts: &Facts, environment: &Subject) -> Option<String> {
    let found = facts.look(&python::ENVIRONMENT, environment).seen()?;
    found.project.clone().or_else(|| {
        let global = found.names.iter().any(|name| name.starts_with(PIXI_GLOBAL));
        let (folder, _) =
            environment.id.split_once("/.pixi/envs/").or_else(|| environment.id.split_once("\\.pixi\\envs\\"))?;
        (!global).then(|| folder.to_string())
    })
}

/// What a command of conda or pixi has to know: its program, `conda`; where the driver is known, its CUDA, `driver_cuda`, and
/// the newest major version of CUDA that both it and every GPU can do with, `cuda_major`.
pub fn values(facts: &Facts, subject: &Subject) -> Vec<(&'static str, String)> {
    let mut values = vec![(CONDA, program(advice::prefix(subject).unwrap_or_default()).to_string())];
    if let Some((major, minor)) = driver_cuda(facts) {
        values.push(("driver_cuda", format!("{major}.{minor}")));
        values.push(("cuda_major", major.min(newest_for_gpus(facts)).to_string()));
    }
    values
}

/// mamba and micromamba keep their environments in folders of their own, and may be there without conda.
pub fn program(prefix: &str) -> &'static str {
    let path = prefix.replace('\\', "/");
    let within = |folder: &str| path.contains(&format!("/{folder}/")) || path.ends_with(&format!("/{folder}"));
    match () {
        () if within("micromamba") || within(".micromamba") => "micromamba",
        () if within(".local/share/mamba") => "mamba",
        () => CONDA,
    }
}

/// The CUDA of the driver: as libcuda says it (conda asks it too), as NVML does, or that of its branch.
fn driver_cuda(facts: &Facts) -> Option<Cuda> {
    let code = facts.value(&cuda::DRIVER_VERSION).or_else(|| facts.value(&nvidia::NVML_CUDA));
    let told = code.and_then(|code| u32::try_from(code).ok()).filter(|code| *code > 0).map(drivers::cuda_of_code);
    told.or_else(|| drivers::native_cuda(advice::driver(facts)?, advice::platform(facts)))
}

/// The newest major version of CUDA that compiles for every GPU here: 11 for Kepler, 12 for Maxwell to Volta.
fn newest_for_gpus(facts: &Facts) -> u32 {
    let of_cuda = facts.subjects_with(&cuda::DEVICE);
    let gpus = if of_cuda.is_empty() { given::all_gpus(facts) } else { of_cuda };
    match gpus.iter().filter_map(|gpu| advice::capability(facts, gpu)).min() {
        Some(cc) if cc < (5, 0) => 11,
        Some(cc) if cc < (7, 5) => 12,
        _ => u32::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_the_one_that_keeps_the_environment() {
        assert_eq!(program("/opt/conda/envs/ml"), "conda");
        assert_eq!(program("/home/u/mambaforge/envs/ml"), "conda");
        assert_eq!(program("/home/u/micromamba/envs/ml"), "micromamba");
        assert_eq!(program("/home/u/.local/share/mamba"), "mamba");
        assert_eq!(program("C:\\Users\\u\\micromamba\\envs\\ml"), "micromamba");
    }
}
