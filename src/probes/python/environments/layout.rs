//! How an environment lies on disk, whatever made it.

use super::{condition, lines};
use crate::facts::python::Environment;
use crate::machine::Machine;
use std::path::{Path, PathBuf};

/// The interpreter of an environment: the one that is there, or else the link that leads nowhere. Nothing where the folder
/// is no environment.
pub fn program_in(machine: &Machine, prefix: &Path) -> Option<PathBuf> {
    let places: &[&str] = match cfg!(windows) {
        true => &["Scripts/python.exe", "python.exe", "bin/python.exe"],
        false => &["bin/python", "bin/python3"],
    };
    // Part by part, so that Windows' paths have one kind of separator.
    let programs = || places.iter().map(|place| prefix.join(place.split('/').collect::<PathBuf>()));
    programs().find(|path| machine.is_program(path)).or_else(|| programs().find(|path| machine.link(path).is_ok()))
}

/// What `sys.prefix` will be for an interpreter: the folder with `pyvenv.cfg` beside or above the program, links left as
/// they are; else the folder above the real program's.
pub fn prefix_of(machine: &Machine, program: &Path) -> PathBuf {
    let folder = program.parent().unwrap_or(program);
    for place in [folder, folder.parent().unwrap_or(folder)] {
        if machine.exists(place.join("pyvenv.cfg")) {
            return place.to_path_buf();
        }
    }
    let real = machine.resolve(program).unwrap_or_else(|_| program.to_path_buf());
    let folder = real.parent().unwrap_or(&real);
    match folder.file_name().and_then(|name| name.to_str()) {
        Some("bin" | "Scripts") => folder.parent().unwrap_or(folder).to_path_buf(),
        _ => folder.to_path_buf(),
    }
}

/// `pyvenv.cfg` of a virtual environment: keys in lower case.
pub fn settings(machine: &Machine, prefix: &Path) -> Option<Vec<(String, String)>> {
    let text = machine.text(prefix.join("pyvenv.cfg")).ok()?;
    Some(lines::pairs(&text))
}

/// The value of a key in `pyvenv.cfg`.
pub fn setting<'a>(settings: &'a [(String, String)], key: &str) -> Option<&'a str> {
    settings.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
}

/// What the files of an environment tell of it. It has no name yet, and is not in use.
pub fn about(machine: &Machine, prefix: &Path, program: &Path, project: Option<&Path>) -> Environment {
    let settings = settings(machine, prefix);
    let header = machine.range(program, 0, 4096).ok();
    Environment {
        path: program.display().to_string(),
        version: version(machine, prefix, settings.as_deref()),
        names: Vec::new(),
        in_use: false,
        bits: header.as_deref().and_then(condition::bits),
        kind: kind(machine, prefix, settings.as_deref(), header.as_deref().unwrap_or_default()),
        manager: manager(machine, prefix, settings.as_deref(), project).to_string(),
        project: project.map(|path| path.display().to_string()),
    }
}

/// A name that an environment has by itself, whoever found it.
pub fn own_name(machine: &Machine, prefix: &Path) -> Option<String> {
    let name = prefix.file_name()?.to_str()?;
    if has_part(prefix, &[".pixi", "envs"]) {
        return Some(format!("pixi environment {name}"));
    }
    if machine.exists(prefix.join("conda-meta")) {
        let base = machine.exists(prefix.join("condabin"));
        return Some(format!("conda environment {}", if base { "base" } else { name }));
    }
    None
}

/// `3.11.7`, from `pyvenv.cfg` or conda's list; else `3.11`, from the name of the library folder.
fn version(machine: &Machine, prefix: &Path, settings: Option<&[(String, String)]>) -> Option<String> {
    if let Some(settings) = settings {
        // venv writes `version`; uv and virtualenv write `version_info`, the latter as 3.11.7.final.0.
        let written = setting(settings, "version_info").or_else(|| setting(settings, "version"))?;
        let parts: Vec<&str> = written.split('.').take(3).collect();
        let plain = parts.iter().all(|part| !part.is_empty() && part.len() < 4);
        return (parts.len() >= 2 && plain && written.starts_with('3')).then(|| parts.join("."));
    }
    let of_conda = |name: &String| {
        let rest = name.strip_prefix("python-")?.strip_suffix(".json")?;
        let (version, _build) = rest.rsplit_once('-')?;
        version.starts_with(|c: char| c.is_ascii_digit()).then(|| version.to_string())
    };
    let names = |folder: &str| machine.list(prefix.join(folder)).unwrap_or_default();
    if let Some(version) = names("conda-meta").iter().find_map(of_conda) {
        return Some(version);
    }
    let libraries: Vec<String> = names("lib")
        .iter()
        .filter_map(|name| name.strip_prefix("python").filter(|version| version.starts_with("3.")))
        // `python3.14t` is the free-threaded one.
        .map(|version| version.strip_suffix('t').unwrap_or(version))
        .filter(|version| version[2..].bytes().all(|b| b.is_ascii_digit()))
        .map(str::to_string)
        .collect();
    // A folder that several share says nothing about one of them.
    libraries.first().filter(|_| libraries.len() == 1).cloned()
}

/// What sets its Python apart from the usual CPython: the loader that the program names, `implementation` in `pyvenv.cfg`, and
/// the name of the library folder (`python3.14t`, `pypy3.11`).
fn kind(machine: &Machine, prefix: &Path, settings: Option<&[(String, String)]>, header: &[u8]) -> Option<String> {
    let said = settings.and_then(|settings| setting(settings, "implementation")).map(str::to_lowercase);
    let libraries = machine.list(prefix.join("lib")).unwrap_or_default();
    let is_free_threaded = |name: &String| {
        let version = name.strip_prefix("python3.").and_then(|rest| rest.strip_suffix('t'));
        version.is_some_and(|minor| !minor.is_empty() && minor.bytes().all(|b| b.is_ascii_digit()))
    };
    let usual =
        |name: &String| name.strip_prefix("python3.").is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()));
    let kind = match said.as_deref() {
        Some(other @ ("pypy" | "graalpy")) => other,
        None if !libraries.iter().any(usual) && libraries.iter().any(|name| name.starts_with("pypy3.")) => "pypy",
        _ if header.windows(b"/ld-musl-".len()).any(|bytes| bytes == b"/ld-musl-") => "musl",
        _ if !libraries.iter().any(usual) && libraries.iter().any(is_free_threaded) => "free-threaded",
        _ => return None,
    };
    Some(kind.to_string())
}

/// Who installs packages there, as far as the folders tell.
fn manager(
    machine: &Machine,
    prefix: &Path,
    settings: Option<&[(String, String)]>,
    project: Option<&Path>,
) -> &'static str {
    let conda = prefix.join("conda-meta");
    if has_part(prefix, &[".pixi", "envs"]) || machine.exists(conda.join("pixi")) {
        return "pixi";
    }
    if machine.exists(&conda) {
        return "conda";
    }
    let Some(settings) = settings else {
        // One that a tool unpacked for the user takes packages from pip; that of the system from the system.
        let own = has_part(prefix, &[".pyenv", "versions"]) || has_part(prefix, &["uv", "python"]);
        return if own { "pip" } else { "system" };
    };
    if machine.exists(prefix.join("pipx_metadata.json")) {
        return "pipx";
    }
    if has_part(prefix, &["uv", "tools"]) {
        return "uv";
    }
    if has_part(prefix, &["pypoetry", "virtualenvs"]) {
        return "poetry";
    }
    if has_part(prefix, &["hatch", "env", "virtual"]) {
        return "hatch";
    }
    let has = |name: &str| project.is_some_and(|folder| machine.exists(folder.join(name)));
    let locked = [("uv.lock", "uv"), ("poetry.lock", "poetry"), ("pdm.lock", "pdm")];
    if let Some((_, manager)) = locked.iter().find(|(lock, _)| has(lock)) {
        return manager;
    }
    if setting(settings, "uv").is_some() { "uv" } else { "pip" }
}

/// Whether these folders follow each other in a path.
fn has_part(path: &Path, parts: &[&str]) -> bool {
    let all: Vec<&str> = path.iter().filter_map(|part| part.to_str()).collect();
    all.windows(parts.len()).any(|window| window == parts)
}
