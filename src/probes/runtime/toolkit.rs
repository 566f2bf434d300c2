//! CUDA toolkits: folders of known names, and nvcc on PATH. Versions are read from files; nvcc is not run.

use crate::facts::{Facts, cuda};
use crate::machine::Machine;
use crate::subject::Subject;
use std::path::Path;

/// Folders in which toolkits are installed, by their parent: every `cuda` and `cuda-*` in it.
const PARENTS: [&str; 2] = ["/usr/local", "/opt"];
/// Folders that are looked at.
const MOST: usize = 100;
/// Debian's own package.
const DEBIAN: &str = "/usr/lib/cuda";

/// Adds every toolkit, and nvcc.
pub fn look(machine: &Machine, facts: &mut Facts) {
    for folder in folders(machine) {
        if let Some((version, source)) = version_of(machine, &folder) {
            facts.seen(&cuda::TOOLKIT, &Subject::file(folder), version, source);
        }
    }
    let here = Subject::machine();
    let programs = machine.programs("nvcc");
    if programs.is_empty() {
        facts.absent(&cuda::NVCC, &here, "PATH");
    }
    for program in programs {
        let subject = Subject::file(program.display().to_string());
        let real = machine.resolve(&program).unwrap_or(program);
        let home = real.parent().and_then(Path::parent).unwrap_or(Path::new("/usr")).display().to_string();
        match version_of(machine, &home).or_else(|| version_in_conda(machine, &home)) {
            Some((version, source)) => facts.seen(&cuda::NVCC, &subject, version, source),
            None => facts.failed(&cuda::NVCC, &subject, "no file beside it tells its version", home),
        }
    }
}

/// Folders with libraries of the toolkits.
pub fn library_folders(machine: &Machine) -> Vec<String> {
    folders(machine).into_iter().map(|folder| format!("{folder}/lib64")).collect()
}

/// The folders that are there, each once, links resolved.
fn folders(machine: &Machine) -> Vec<String> {
    let mut candidates: Vec<String> = Vec::new();
    for parent in PARENTS {
        let names = machine.list(parent).unwrap_or_default();
        let cuda = names.into_iter().filter(|name| name == "cuda" || name.starts_with("cuda-"));
        candidates.extend(cuda.map(|name| format!("{parent}/{name}")));
    }
    candidates.push(DEBIAN.to_string());
    let variables = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(|name| machine.variable(name));
    candidates.extend(variables.filter(|folder| folder.len() > 1 && folder.starts_with('/')));
    let mut found: Vec<String> = Vec::new();
    for candidate in candidates.into_iter().take(MOST) {
        let Ok(target) = machine.resolve(&candidate) else { continue };
        let target = target.display().to_string();
        if !found.contains(&target) {
            found.push(target);
        }
    }
    found
}

/// The version of a toolkit, and the file that tells it: `version.json` from 11.1 on, `version.txt` before, else the header
/// or the folder's own name.
fn version_of(machine: &Machine, folder: &str) -> Option<(String, String)> {
    let read = |file: &str, parse: fn(&str) -> Option<String>| {
        let path = format!("{folder}/{file}");
        Some((parse(&machine.text(&path).ok()?)?, path))
    };
    read("version.json", from_json)
        .or_else(|| read("version.txt", from_text))
        .or_else(|| read("include/cuda.h", from_header))
        .or_else(|| {
            let version = folder.rsplit_once("/cuda-")?.1;
            let is_version = version.split('.').all(|part| part.parse::<u32>().is_ok());
            // An empty folder of an uninstalled toolkit keeps its name.
            let is_there = machine.exists(format!("{folder}/bin")) || machine.exists(format!("{folder}/lib64"));
            (is_version && is_there).then(|| (version.to_string(), folder.to_string()))
        })
}

/// `{"cuda": {"name": "CUDA SDK", "version": "12.4.20240405"}, "cuda_nvcc": {"version": "12.4.131"}}`. The first one is a
/// date in some releases, then the compiler's own version is the better one.
fn from_json(text: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(text).ok()?;
    let version = |name: &str| value[name]["version"].as_str().map(str::to_string);
    let is_date = |version: &String| version.split('.').any(|part| part.len() >= 8);
    version("cuda").filter(|version| !is_date(version)).or_else(|| version("cuda_nvcc")).or_else(|| version("cuda"))
}

/// `CUDA Version 10.2.89`.
fn from_text(text: &str) -> Option<String> {
    let version = text.trim().strip_prefix("CUDA Version ")?.split_whitespace().next()?;
    Some(version.to_string())
}

/// `#define CUDA_VERSION 12040`.
fn from_header(text: &str) -> Option<String> {
    let line = text.lines().find_map(|line| line.trim().strip_prefix("#define CUDA_VERSION"))?;
    let number: u32 = line.trim().parse().ok()?;
    let (major, minor) = crate::tables::drivers::cuda_of_code(number);
    Some(format!("{major}.{minor}"))
}

/// In a conda environment the package's record names the version: `conda-meta/cuda-nvcc-12.4.131-0.json`.
fn version_in_conda(machine: &Machine, folder: &str) -> Option<(String, String)> {
    let records = format!("{folder}/conda-meta");
    machine.list(&records).ok()?.into_iter().find_map(|name| {
        let rest = name.strip_prefix("cuda-nvcc-").filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))?;
        Some((rest.split('-').next()?.to_string(), format!("{records}/{name}")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_release_tells_its_version_in_its_own_way() {
        let json = r#"{"cuda": {"name": "CUDA SDK", "version": "12.4.1"}, "cuda_nvcc": {"version": "12.4.131"}}"#;
        assert_eq!(from_json(json).as_deref(), Some("12.4.1"));
        let dated = r#"{"cuda": {"version": "11.3.20210326"}, "cuda_nvcc": {"version": "11.3.58"}}"#;
        assert_eq!(from_json(dated).as_deref(), Some("11.3.58"));
        assert_eq!(from_json("{}"), None);
        assert_eq!(from_json("no json"), None);
        assert_eq!(from_text("CUDA Version 10.2.89\n").as_deref(), Some("10.2.89"));
        assert_eq!(from_header("#ifndef X\n#define CUDA_VERSION 11080\n").as_deref(), Some("11.8"));
        assert_eq!(from_header("#define CUDA_VERSION x\n"), None);
    }
}
