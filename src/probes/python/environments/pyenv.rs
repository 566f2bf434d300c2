//! The versions of pyenv, and which of them its shims mean.

use super::search::Search;
use crate::machine::Machine;
use std::path::{Path, PathBuf};

/// Finds every version; those of pyenv-virtualenv are among them.
pub fn find(search: &mut Search) {
    let root = search.folder("PYENV_ROOT").or_else(|| search.at_home(".pyenv"));
    if let Some(root) = root {
        search.children(&root.join("versions"), |name| format!("pyenv {name}"));
    }
}

/// The interpreter that a shim of pyenv starts, as PYENV_VERSION, the nearest `.python-version` or the global `version` says.
/// Nothing for what is no shim, and where the version is not there: then the shim has to say so itself.
pub fn behind_shim(machine: &Machine, program: &Path) -> Option<PathBuf> {
    let shims = program.parent().filter(|folder| folder.ends_with("shims"))?;
    let root = shims.parent()?;
    let installed = machine.list(root.join("versions")).ok()?;
    let name = program.file_name()?;
    for version in versions(machine, root) {
        if version == "system" {
            let name = name.to_str()?;
            return machine.programs(name).into_iter().find(|path| path.parent() != Some(shims));
        }
        let folder = exact_or_latest(&version, &installed)?;
        let path = root.join("versions").join(folder).join("bin").join(name);
        if machine.is_program(&path) {
            return Some(path);
        }
    }
    None
}

/// The versions that are switched on here, in order; `system` where none is.
fn versions(machine: &Machine, root: &Path) -> Vec<String> {
    if let Some(value) = machine.variable("PYENV_VERSION").filter(|value| !value.is_empty()) {
        return value.split(':').map(str::to_string).collect();
    }
    let here = machine.current_dir();
    let local = here.iter().flat_map(|here| here.ancestors()).map(|folder| folder.join(".python-version"));
    let files = local.chain([root.join("version")]);
    let text = files.filter_map(|file| machine.text(file).ok()).find(|text| !parse(text).is_empty());
    match text {
        Some(text) => parse(&text),
        None => vec!["system".to_string()],
    }
}

fn parse(text: &str) -> Vec<String> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
    lines.flat_map(str::split_whitespace).map(str::to_string).collect()
}

/// A version as it is named, or the latest of that series: `3.11` means the latest 3.11.
fn exact_or_latest<'a>(version: &'a str, installed: &'a [String]) -> Option<&'a str> {
    if let Some(exact) = installed.iter().find(|name| *name == version) {
        return Some(exact);
    }
    let patch = |name: &&String| name.strip_prefix(version)?.strip_prefix('.')?.parse::<u32>().ok();
    installed.iter().filter(|name| patch(name).is_some()).max_by_key(patch).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_means_its_latest_release() {
        let installed = ["3.11.9", "3.11.15", "3.12.1", "ml"].map(str::to_string);
        assert_eq!(exact_or_latest("3.11", &installed), Some("3.11.15"));
        assert_eq!(exact_or_latest("3.11.9", &installed), Some("3.11.9"));
        assert_eq!(exact_or_latest("ml", &installed), Some("ml"));
        assert_eq!(exact_or_latest("3.1", &installed), None);
        assert_eq!(parse("# mine\n3.11.9 # the old one\n3.12.1\n"), ["3.11.9", "3.12.1"]);
    }
}
