//! Which interpreter is meant.

use super::Chosen;
use crate::machine::Machine;
use std::path::{Path, PathBuf};

/// An interpreter that is asked, or that cannot be, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Candidate {
    /// It is asked.
    Ask(Chosen),
    /// It is not asked.
    Leave {
        /// The program.
        path: PathBuf,
        /// Why not, in words.
        why: String,
    },
}

/// The interpreters named by `--python`, or else the one in use: of the active virtual environment, of the active conda
/// environment, `./.venv`, `python3` or `python` on PATH. The second value says where was looked, for a machine without any.
pub fn choose(machine: &Machine, named: &[PathBuf]) -> (Vec<Candidate>, Vec<String>) {
    if !machine.is_live() {
        return (Vec::new(), Vec::new());
    }
    if !named.is_empty() {
        // The user named it, so it is run whoever owns it.
        let ask = |path: &PathBuf| Candidate::Ask(Chosen { path: path.clone(), by: "--python" });
        return (named.iter().map(ask).collect(), Vec::new());
    }
    let mut looked = Vec::new();
    let mut left = Vec::new();
    for (path, by) in in_use(machine) {
        looked.push(path.display().to_string());
        if !machine.exists_here(&path) {
            continue;
        }
        match distrust(machine, &path) {
            Some(why) => left.push(Candidate::Leave { path, why }),
            None => {
                left.push(Candidate::Ask(Chosen { path, by }));
                return (left, looked);
            }
        }
    }
    looked.push("python3 and python on PATH".to_string());
    (left, looked)
}

fn in_use(machine: &Machine) -> Vec<(PathBuf, &'static str)> {
    let mut places = Vec::new();
    for name in ["VIRTUAL_ENV", "CONDA_PREFIX"] {
        if let Some(prefix) = machine.variable(name).filter(|p| !p.is_empty()) {
            places.push((interpreter_of(Path::new(&prefix), name == "CONDA_PREFIX"), name));
        }
    }
    if let Some(here) = machine.current_dir() {
        places.push((interpreter_of(&here.join(".venv"), false), ".venv"));
    }
    places.extend(on_path(|name| machine.programs(name), cfg!(windows)).into_iter().map(|path| (path, "PATH")));
    places
}

/// The interpreters that PATH offers, the likeliest first. Windows has no python3, except for aliases in `WindowsApps`, which
/// stand before what was really installed and may lead to the Store and to no Python.
fn on_path(programs: impl Fn(&str) -> Vec<PathBuf>, windows: bool) -> Vec<PathBuf> {
    if !windows {
        return ["python3", "python"].iter().filter_map(|name| programs(name).into_iter().next()).collect();
    }
    let mut found: Vec<PathBuf> = ["python", "python3"].iter().flat_map(|name| programs(name)).collect();
    found.sort_by_key(|path| path.to_string_lossy().contains("WindowsApps"));
    found
}

fn interpreter_of(prefix: &Path, conda: bool) -> PathBuf {
    match (cfg!(windows), conda) {
        (true, true) => prefix.join("python.exe"),
        (true, false) => prefix.join("Scripts").join("python.exe"),
        (false, _) => prefix.join("bin").join("python"),
    }
}

/// As root, a program that somebody else owns is not run: in a cloned repository, `./.venv/bin/python` is theirs. What
/// counts is the file behind the links and the folders that could swap it.
fn distrust(machine: &Machine, path: &Path) -> Option<String> {
    if machine.is_root() != Some(true) {
        return None;
    }
    let folder = path.parent()?;
    let (what, uid) = [Some(path), Some(folder), folder.parent()]
        .into_iter()
        .flatten()
        .find_map(|p| machine.owner_here(p).filter(|uid| *uid != 0).map(|uid| (p, uid)))?;
    Some(format!(
        "this runs as root, and {} belongs to user {uid}; --python {} runs it all the same",
        what.display(),
        path.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_real_python_of_windows_goes_before_an_alias_of_the_store() {
        let alias = r"C:\Users\u\AppData\Local\Microsoft\WindowsApps\";
        let programs = |name: &str| match name {
            "python" => vec![PathBuf::from(format!("{alias}python.exe")), PathBuf::from(r"C:\Python312\python.exe")],
            _ => vec![PathBuf::from(format!("{alias}python3.exe"))],
        };
        assert_eq!(on_path(programs, true)[0], Path::new(r"C:\Python312\python.exe"));
        assert_eq!(on_path(programs, false)[0], Path::new(&format!("{alias}python3.exe")));
    }
}
