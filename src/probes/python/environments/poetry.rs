//! Environments of poetry (in its cache, unless in the project), and of hatch: both name the folder after the project and a
//! digest of its path.

use super::digest::short;
use super::lines;
use super::search::Search;
use crate::tables::packages::normal;
use std::path::{Path, PathBuf};

/// Finds those in poetry's cache.
pub fn find(search: &mut Search) {
    if let Some(folder) = folder(search) {
        search.children(&folder, |name| format!("poetry environment {name}"));
    }
}

/// Where poetry keeps environments: `virtualenvs.path`, else in its cache.
fn folder(search: &Search) -> Option<PathBuf> {
    if let Some(path) = search.folder("POETRY_VIRTUALENVS_PATH") {
        return Some(path);
    }
    let cache = search.folder("POETRY_CACHE_DIR").or_else(|| match () {
        () if cfg!(windows) => Some(search.folder("LOCALAPPDATA")?.join("pypoetry").join("Cache")),
        () if cfg!(target_os = "macos") => search.at_home("Library/Caches/pypoetry"),
        () => Some(search.folder("XDG_CACHE_HOME").or_else(|| search.at_home(".cache"))?.join("pypoetry")),
    });
    let config = match () {
        () if cfg!(windows) => search.folder("APPDATA").map(|data| data.join("pypoetry")),
        () if cfg!(target_os = "macos") => search.at_home("Library/Application Support/pypoetry"),
        () => search.folder("XDG_CONFIG_HOME").or_else(|| search.at_home(".config")).map(|c| c.join("pypoetry")),
    };
    let config = search.folder("POETRY_CONFIG_DIR").or(config);
    let text = config.and_then(|folder| search.machine.text(folder.join("config.toml")).ok()).unwrap_or_default();
    if let Some(path) = lines::in_table(&text, "virtualenvs", "path").filter(|path| !path.contains('{')) {
        return Some(search.expanded(path));
    }
    let cache = lines::in_table(&text, "", "cache-dir").map(|path| search.expanded(path)).or(cache)?;
    Some(cache.join("virtualenvs"))
}

/// The environments of the project in this folder: `NAME-DIGEST-py3.11`, the one that was activated first.
pub fn of_project(search: &mut Search, project: &Path, declared: &str) -> Vec<PathBuf> {
    let name = lines::in_table(declared, "project", "name").or(lines::in_table(declared, "tool.poetry", "name"));
    let (Some(folder), Some(name)) = (folder(search), name) else { return Vec::new() };
    let real = search.machine.resolve(project).unwrap_or_else(|_| project.to_path_buf());
    let base = base_name(name, &real.display().to_string());
    let mut names = search.entries(&folder);
    names.retain(|entry| entry.strip_prefix(&base).is_some_and(|rest| rest.starts_with("-py")));
    // `poetry env use` keeps its choice here.
    let text = search.machine.text(folder.join("envs.toml")).unwrap_or_default();
    let chosen = lines::in_table(&text, &base, "minor").map(|minor| format!("{base}-py{minor}"));
    names.sort_by_key(|entry| Some(entry) != chosen.as_ref());
    names.into_iter().map(|entry| folder.join(entry)).collect()
}

/// poetry's name for the environments of a project.
fn base_name(name: &str, path: &str) -> String {
    let name: String =
        normal(name).chars().map(|c| if " $`!*@\"\\\r\n\t".contains(c) { '_' } else { c }).take(42).collect();
    format!("{name}-{}", short(path.as_bytes()))
}

/// The default environment of hatch for the project in this folder.
pub fn hatch_of_project(search: &mut Search, project: &Path, declared: &str) -> Vec<PathBuf> {
    let data = search.folder("HATCH_DATA_DIR").or_else(|| Some(search.data()?.join("hatch")));
    let (Some(data), Some(name)) = (data, lines::in_table(declared, "project", "name")) else { return Vec::new() };
    let path = project.display().to_string();
    let path = if cfg!(any(windows, target_os = "macos")) { path.to_lowercase() } else { path };
    let name = normal(name);
    vec![data.join("env").join("virtual").join(&name).join(short(path.as_bytes())).join(&name)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn poetry_names_an_environment_after_name_and_path() {
        // By hand: sha256 of the path, its first six bytes in URL-safe base64.
        assert_eq!(base_name("My.App", "/home/u/app"), "my-app-K_fDpmu2");
    }
}
