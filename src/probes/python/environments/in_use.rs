//! The environment in which a program started here and now would run: of the active virtual environment, of the active conda
//! environment, of the project in the current folder or above, or what `python` on PATH is.

use super::search::{Hint, Search};
use super::{layout, lines, of, poetry, pyenv};
use crate::facts::python::Trouble;
use std::path::{Path, PathBuf};

/// Folders above the current one that are looked at.
const HIGHEST: usize = 32;

/// Finds the one in use; with `all`, also those that would be in use if it were not.
pub fn find(search: &mut Search, all: bool) {
    for (variable, what, prefix) in active(search) {
        if done(search, all) {
            return;
        }
        search.looked.push(prefix.display().to_string());
        let name = (!what.is_empty()).then(|| what.to_string());
        search.prefix(&prefix, Hint { by: variable, name, project: project_of(search, &prefix), in_use: true });
        others(search, &prefix);
    }
    let here = search.machine.current_dir();
    let mut folder = here.as_deref();
    for _ in 0..HIGHEST {
        let Some(at) = folder else { break };
        if done(search, all) {
            return;
        }
        project(search, at, all && here.as_deref() == Some(at));
        folder = at.parent();
    }
    if let Some(here) = here {
        search.looked.push(here.join(".venv").display().to_string());
    }
    for program in on_path(|name| search.machine.programs(name), cfg!(windows)) {
        if done(search, all) {
            return;
        }
        let name = program.file_name().map(|name| format!("{} on PATH", name.to_string_lossy()));
        search.program(&program, Hint { by: "PATH", name, project: None, in_use: true });
    }
    search.looked.push("python3 and python on PATH".to_string());
}

/// The environments that variables call active: variable, name, prefix. Each stays set while another one is activated on top of
/// it; the one whose Python comes first on PATH is the one that a program runs in.
fn active(search: &Search) -> Vec<(&'static str, &'static str, PathBuf)> {
    let set = |(variable, what)| Some((variable, what, PathBuf::from(search.variable(variable)?)));
    let variables = [("VIRTUAL_ENV", "active virtual environment"), ("CONDA_PREFIX", "")];
    let mut active: Vec<_> = variables.into_iter().filter_map(set).collect();
    let folders = search.machine.path_folders();
    let real = |path: &Path| search.machine.resolve(path).unwrap_or_else(|_| path.to_path_buf());
    let place = |prefix: &Path| {
        let prefix = real(prefix);
        folders.iter().position(|folder| real(folder).starts_with(&prefix)).unwrap_or(usize::MAX)
    };
    // One alone is the active one, wherever it stands.
    if active.len() > 1 {
        active.sort_by_key(|(_, _, prefix)| place(prefix));
    }
    active
}

/// The other Pythons that run where this environment is called active: `python` on PATH, and what uv takes for its project.
fn others(search: &mut Search, prefix: &Path) {
    let machine = search.machine;
    let real = |path: &Path| machine.resolve(path).unwrap_or_else(|_| path.to_path_buf());
    let mut troubles = Vec::new();
    let mut trouble = |kind: &str, detail: &Path| {
        troubles.push(Trouble { kind: kind.to_string(), detail: detail.display().to_string(), file: None });
    };
    let first = ["python", "python3"].iter().find_map(|name| machine.programs(name).into_iter().next());
    if let Some(program) = first {
        let program = pyenv::behind_shim(machine, &program).unwrap_or(program);
        if real(&layout::prefix_of(machine, &program)) != real(prefix) {
            trouble("another_on_path", &program);
        }
    }
    let here = machine.current_dir();
    let project =
        here.iter().flat_map(|here| here.ancestors()).take(HIGHEST).find(|at| machine.exists(at.join("uv.lock")));
    if let Some(project) = project {
        let place = search.variable("UV_PROJECT_ENVIRONMENT").unwrap_or_else(|| ".venv".to_string());
        let own = project.join(place);
        if let Some(program) = layout::program_in(machine, &own).filter(|_| real(&own) != real(prefix)) {
            trouble("another_of_uv", &program);
        }
    }
    search.troubled(prefix, troubles);
}

fn done(search: &Search, all: bool) -> bool {
    !all && search.has_one_in_use()
}

/// The project whose `.venv` this is.
fn project_of(search: &Search, prefix: &Path) -> Option<PathBuf> {
    let folder = prefix.parent()?;
    let files = ["uv.lock", "poetry.lock", "pdm.lock", "pyproject.toml"];
    (prefix.ends_with(".venv") && files.iter().any(|file| search.machine.exists(folder.join(file))))
        .then(|| folder.to_path_buf())
}

/// The environment of a project in this folder, wherever its tool keeps it.
fn project(search: &mut Search, folder: &Path, siblings: bool) {
    let machine = search.machine;
    let hint = |by, name: String| Hint { by, name: Some(name), project: Some(folder.to_path_buf()), in_use: true };
    let declared = || machine.text(folder.join("pyproject.toml")).unwrap_or_default();
    // uv takes the place for its projects' environments from a variable, relative to the project.
    if let Some(place) = search.variable("UV_PROJECT_ENVIRONMENT").filter(|_| machine.exists(folder.join("uv.lock"))) {
        search.prefix(&folder.join(place), hint("uv project", of("uv environment", folder)));
    }
    let venv = folder.join(".venv");
    let named = Hint { project: project_of(search, &venv), ..hint(".venv", of(".venv", folder)) };
    search.prefix(&venv, named);
    search.prefix(
        &folder.join(".pixi").join("envs").join("default"),
        hint("pixi project", of("pixi environment default", folder)),
    );
    // pdm keeps the interpreter that it chose in a file.
    if let Ok(program) = machine.line(folder.join(".pdm-python")) {
        let program = PathBuf::from(program.lines().next().unwrap_or_default());
        if program.is_absolute() && machine.is_program(&program) {
            search.program(&program, hint("pdm project", of("pdm environment", folder)));
        }
    }
    if machine.exists(folder.join("poetry.lock")) || lines::has_table(&declared(), "tool.poetry") {
        for prefix in poetry::of_project(search, folder, &declared()) {
            search.prefix(&prefix, hint("poetry project", of("poetry environment", folder)));
        }
    }
    if machine.exists(folder.join("hatch.toml")) || lines::has_table(&declared(), "tool.hatch.envs") {
        for prefix in poetry::hatch_of_project(search, folder, &declared()) {
            search.prefix(&prefix, hint("hatch project", of("hatch environment default", folder)));
        }
    }
    if siblings {
        for name in ["venv", "env"] {
            let prefix = folder.join(name);
            if layout::settings(machine, &prefix).is_some() {
                search.prefix(&prefix, Hint::other(of(name, folder)));
            }
        }
        for name in search.entries(&folder.join(".pixi").join("envs")) {
            let what = of(&format!("pixi environment {name}"), folder);
            let hint = Hint { project: Some(folder.to_path_buf()), ..Hint::other(what) };
            search.prefix(&folder.join(".pixi").join("envs").join(&name), hint);
        }
    }
}

/// The interpreters that PATH offers, the likeliest first. Windows has no python3, except for aliases in `WindowsApps`, which
/// stand before what was really installed and may lead to the Store and to no Python.
pub fn on_path(programs: impl Fn(&str) -> Vec<PathBuf>, windows: bool) -> Vec<PathBuf> {
    if !windows {
        return ["python3", "python"].iter().filter_map(|name| programs(name).into_iter().next()).collect();
    }
    let mut found: Vec<PathBuf> = ["python", "python3"].iter().flat_map(|name| programs(name)).collect();
    found.sort_by_key(|path| path.to_string_lossy().contains("WindowsApps"));
    found
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
