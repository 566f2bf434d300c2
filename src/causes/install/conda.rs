//! Packages of conda-forge, for conda and mamba, and for pixi.
//!
//! Solvers take a build with CUDA where the virtual package `__cuda` is there: conda makes it of the driver, pixi of what the
//! project declares. The pin `cuda-version` keeps the environment with a CUDA that both the driver and the GPU can do with.

use super::{BY_PIP, Command, Install};

/// Says that the CUDA of the driver is known.
pub const DRIVER_CUDA: &str = "driver_cuda";
/// Says that the major version of CUDA is to be pinned.
pub const CUDA_MAJOR: &str = "cuda_major";

/// The commands; nothing for another manager.
pub fn commands(install: &Install, tags: &[String]) -> Option<Vec<Command>> {
    let is = |word: &str| tags.iter().any(|tag| tag == word);
    let by_pip = |name: &&str| tags.iter().any(|tag| tag.strip_prefix(BY_PIP) == Some(*name));
    let old: Vec<&str> = install.remove.iter().map(String::as_str).filter(by_pip).collect();
    let pin = if is(CUDA_MAJOR) && !["cuda-version", "cudatoolkit"].iter().any(|name| install.packages.contains(name)) {
        " \"cuda-version={cuda_major}\""
    } else {
        ""
    };
    let packages = format!("{}{pin}", install.packages);
    if is("pixi") && is("global") {
        return Some(vec![(format!("pixi global add --environment {{app}} {packages}"), true)]);
    }
    if is("pixi") {
        let at = if is("project") { " --manifest-path {project}" } else { "" };
        let mut commands: Vec<Command> =
            old.iter().map(|name| (format!("pixi remove{at} --pypi {name}"), false)).collect();
        if is(DRIVER_CUDA) {
            commands.push((format!("pixi workspace system-requirements add{at} cuda {{driver_cuda}}"), true));
        }
        commands.push((format!("pixi add{at} {packages}"), true));
        return Some(commands);
    }
    let mut commands = Vec::new();
    if !old.is_empty() {
        commands.push((format!("{{python}} -m pip uninstall -y {}", old.join(" ")), true));
    }
    commands.push((by_conda(&packages), true));
    is("conda").then_some(commands)
}

/// The same for an environment of which nothing is known.
pub fn plain(install: &Install) -> Vec<Command> {
    vec![(by_conda(&install.packages), true)]
}

fn by_conda(packages: &str) -> String {
    format!("{{conda}} install -p {{prefix}} -c conda-forge --override-channels {packages}")
}
