//! Environments of conda, mamba and micromamba, and those of `pixi global`.
//!
//! conda lists every environment that it ever made or saw in `~/.conda/environments.txt`, a path a line; the folders with
//! named environments are `envs_dirs` of a condarc file, and `envs` below every root.

use super::lines;
use super::search::{Hint, Search};
use std::path::{Path, PathBuf};

/// Where installers put a root, below the home folder and elsewhere.
const AT_HOME: [&str; 10] = [
    "miniconda3",
    "miniforge3",
    "anaconda3",
    "mambaforge",
    "micromamba",
    "miniconda",
    "anaconda",
    ".local/share/mamba",
    ".micromamba",
    ".conda",
];
const ELSEWHERE: [&str; 7] = [
    "/opt/conda",
    "/opt/miniconda3",
    "/opt/miniforge3",
    "/opt/anaconda3",
    "/opt/mambaforge",
    "/usr/local/miniconda3",
    "/usr/local/anaconda3",
];

/// Finds them.
pub fn find(search: &mut Search) {
    let mut roots: Vec<PathBuf> = AT_HOME.iter().filter_map(|name| search.at_home(name)).collect();
    roots.extend(ELSEWHERE.iter().map(PathBuf::from));
    for variable in ["MAMBA_ROOT_PREFIX", "CONDA_ROOT", "CONDA_PREFIX_1"] {
        roots.extend(search.folder(variable));
    }
    // CONDA_EXE is ROOT/bin/conda.
    let program = search.folder("CONDA_EXE");
    roots.extend(program.as_deref().and_then(Path::parent).and_then(Path::parent).map(Path::to_path_buf));

    let list = search.at_home(".conda/environments.txt").unwrap_or_default();
    for line in text(search, ".conda/environments.txt").lines() {
        if search.is_over(&list) {
            break;
        }
        let prefix = PathBuf::from(line.trim());
        if prefix.is_absolute() {
            one(search, &prefix);
        }
    }
    let mut folders: Vec<PathBuf> = Vec::new();
    for variable in ["CONDA_ENVS_PATH", "CONDA_ENVS_DIRS"] {
        let value = search.variable(variable).unwrap_or_default();
        folders.extend(value.split([':', ',']).filter(|part| !part.is_empty()).map(|part| search.expanded(part)));
    }
    for file in condarcs(search, &roots) {
        let text = search.machine.text(&file).unwrap_or_default();
        folders.extend(lines::yaml_list(&text, "envs_dirs").iter().map(|item| search.expanded(item)));
    }
    for root in &roots {
        one(search, root);
        folders.push(root.join("envs"));
    }
    for folder in folders.iter().filter(|folder| folder.is_absolute()) {
        for name in search.entries(folder) {
            if search.is_over(folder) {
                break;
            }
            one(search, &folder.join(name));
        }
    }
    if let Some(global) = search.at_home(".pixi/envs") {
        search.children(&global, |name| format!("pixi global environment {name}"));
    }
}

/// An environment of conda; another folder there is none of its own. It has its name by itself.
fn one(search: &mut Search, prefix: &Path) {
    if search.machine.exists(prefix.join("conda-meta")) {
        search.prefix(prefix, Hint { name: None, ..Hint::other("") });
    }
}

fn condarcs(search: &Search, roots: &[PathBuf]) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = vec!["/etc/conda/.condarc".into(), "/var/lib/conda/.condarc".into()];
    files.extend(roots.iter().map(|root| root.join(".condarc")));
    let mine = [".condarc", ".config/conda/.condarc", ".conda/.condarc", ".mambarc"];
    files.extend(mine.iter().filter_map(|name| search.at_home(name)));
    files.extend(search.folder("CONDARC"));
    files
}

fn text(search: &Search, path: &str) -> String {
    search.at_home(path).and_then(|path| search.machine.text(path).ok()).unwrap_or_default()
}
