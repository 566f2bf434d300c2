//! Where an interpreter looks for packages, as its `site` module puts the folders together; told from files alone.
//!
//! The order is that of CPython's `site.py`: PYTHONPATH; of a virtual environment its own folder; the user's own; those of the
//! interpreter, or of the one under an environment that is open to it. Each folder is followed by what its `.pth` files add.
//! Debian looks into `dist-packages` instead, and Fedora into `/usr/local` first: their `site.py` says so itself.

use super::super::Chosen;
use super::super::environments::settings;
use crate::machine::Machine;
use std::path::{Component, Path, PathBuf};

/// Files with further paths that are read in one folder, paths that one may add, and how much of one is read.
const MOST_FILES: usize = 200;
const MOST_PATHS: usize = 200;
const MOST_BYTES: u64 = 64 << 10;
/// Folders in all.
const MOST_FOLDERS: usize = 400;

/// Words for how an import gets to a folder; a `.pth` file stands for itself, by its path.
pub const ENVIRONMENT: &str = "environment";
/// The interpreter under a virtual environment.
pub const SYSTEM: &str = "system";
/// The user's own packages.
pub const USER_SITE: &str = "user site";
/// The variable.
pub const PYTHONPATH: &str = "PYTHONPATH";
/// Code of an editable install, which finds one package by itself.
pub const EDITABLE: &str = "editable";

/// A folder with packages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    /// The folder.
    pub path: PathBuf,
    /// How an import gets there; nothing where no file tells it.
    pub through: Option<String>,
}

/// Where an import looks.
#[derive(Clone, Debug, Default)]
pub struct Search {
    /// The folders, in the order of the search.
    pub folders: Vec<Folder>,
    /// Modules that `.pth` files run at every start: those of editable installs find packages that lie in no folder.
    pub finders: Vec<PathBuf>,
    /// Whether PYTHONSAFEPATH keeps the current directory and the program's folder out.
    pub safe: bool,
}

/// Where the interpreter with this prefix would look, as far as files tell: code that runs at start-up may change it.
pub fn guess(machine: &Machine, chosen: &Chosen, prefix: &Path, version: Option<&str>) -> Search {
    let mut all = Folders { machine, real: Vec::new(), found: Search::default() };
    let set = |name: &str| {
        let own = chosen.variables.iter().rev().find(|(own, _)| own == name).map(|(_, value)| value.clone());
        own.or_else(|| machine.variable(name)).filter(|value| !value.is_empty())
    };
    // Python knows it since 3.11.
    let minor = version.and_then(|version| version.split('.').nth(1)?.parse::<u32>().ok());
    all.found.safe = set("PYTHONSAFEPATH").is_some() && minor.is_none_or(|minor| minor >= 11);
    let listed = set("PYTHONPATH").unwrap_or_default();
    for part in listed.split(if cfg!(windows) { ';' } else { ':' }).filter(|part| !part.is_empty()) {
        let here = machine.current_dir().unwrap_or_default();
        all.add(straight(&here.join(part)), PYTHONPATH, false);
    }
    let settings = settings(machine, prefix);
    let value = |key: &str| settings.iter().flatten().rev().find(|(name, _)| name == key).map(|(_, v)| v.as_str());
    let is_venv = settings.is_some();
    // Where pyvenv.cfg does not say it, it is open.
    let open = value("include-system-site-packages").is_none_or(|v| v.eq_ignore_ascii_case("true"));
    let Some(minor) = minor_version(machine, chosen, version) else {
        // On Windows the folders carry no version.
        all.prefix(prefix, "", ENVIRONMENT, false, true);
        return all.found;
    };
    let minor = threaded(machine, prefix, minor);
    let base = match value("home") {
        Some(home) if is_venv => base(machine, Path::new(home), &minor),
        _ => prefix.to_path_buf(),
    };
    let site = site_file(machine, &base, &minor);
    let debian = site.contains("dist-packages");
    // An environment stands before the user's own packages, which one that is closed to the system does not see at all.
    if is_venv {
        all.prefix(prefix, &minor, ENVIRONMENT, false, true);
    }
    let user = (!is_venv || open) && set("PYTHONNOUSERSITE").is_none();
    if let Some(folder) = user.then(|| user_site(&set, &minor)).flatten() {
        all.add(folder, USER_SITE, true);
    }
    if !is_venv || open {
        let through = if is_venv { SYSTEM } else { ENVIRONMENT };
        if user && site.contains("RPM_BUILD_ROOT") {
            all.prefix(Path::new("/usr/local"), &minor, through, false, true);
        }
        all.prefix(&base, &minor, through, debian, is_venv || !debian);
    }
    all.found
}

struct Folders<'a> {
    machine: &'a Machine,
    /// The folders behind their links.
    real: Vec<PathBuf>,
    found: Search,
}

impl Folders<'_> {
    /// The folders of one prefix.
    fn prefix(&mut self, prefix: &Path, minor: &str, through: &str, debian: bool, plain: bool) {
        if cfg!(windows) {
            return self.add(prefix.join("Lib").join("site-packages"), through, true);
        }
        let python = format!("python{minor}");
        if plain {
            // Fedora and openSUSE keep what is compiled in lib64, and look there first; in a venv that is a link to lib.
            self.add(prefix.join("lib64").join(&python).join("site-packages"), through, true);
            self.add(prefix.join("lib").join(&python).join("site-packages"), through, true);
        }
        if debian {
            // Debian's own order: what pip put there for all, then what its packages bring.
            self.add(prefix.join("local/lib").join(&python).join("dist-packages"), through, true);
            self.add(prefix.join("lib/python3/dist-packages"), through, true);
            self.add(prefix.join("lib").join(&python).join("dist-packages"), through, true);
        }
    }

    /// One folder, once, and those that its `.pth` files add.
    fn add(&mut self, folder: PathBuf, through: &str, with_paths: bool) {
        let Ok(real) = self.machine.resolve(&folder) else { return };
        if self.real.contains(&real) || self.real.len() >= MOST_FOLDERS {
            return;
        }
        // A venv's lib64 is a link to its lib, by which people know it.
        let link = folder.parent().and_then(Path::parent).filter(|lib| lib.ends_with("lib64"));
        let known_as = match link.and_then(|lib| Some((lib, self.machine.link(lib).ok()?))) {
            Some((lib, target)) if target == Path::new("lib") => {
                let rest = folder.strip_prefix(lib).unwrap_or(&folder);
                lib.with_file_name("lib").join(rest)
            }
            _ => folder,
        };
        self.real.push(real);
        self.found.folders.push(Folder { path: known_as.clone(), through: Some(through.to_string()) });
        if !with_paths {
            return;
        }
        let names = self.machine.list(&known_as).unwrap_or_default();
        let pths = names.iter().filter(|name| name.ends_with(".pth") && !name.starts_with('.'));
        for name in pths.take(MOST_FILES) {
            let file = known_as.join(name);
            let bytes = self.machine.range(&file, 0, MOST_BYTES).unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes);
            for path in paths(&text) {
                self.add(straight(&known_as.join(path)), &file.display().to_string(), false);
            }
            self.found.finders.extend(run_by(&text).map(|module| known_as.join(format!("{module}.py"))));
        }
    }
}

/// A path without `..` and `.`, as Python's `abspath` makes it: by its letters, whatever is a link.
fn straight(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(out.pop()),
            Component::CurDir => {}
            part => out.push(part),
        }
    }
    out
}

/// The paths in a `.pth` file: a line each; lines of code and comments are none.
fn paths(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.filter(|line| !is_code(line)).take(MOST_PATHS)
}

fn is_code(line: &str) -> bool {
    line.starts_with("import ") || line.starts_with("import\t")
}

/// The modules that a `.pth` file runs: `import __editable___torch_2_5_0_finder; ...`.
fn run_by(text: &str) -> impl Iterator<Item = &str> {
    let modules = text.lines().filter(|line| is_code(line)).filter_map(|line| line[7..].trim_start().split(';').next());
    let is_name = |name: &&str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    // The standard library's stand in other lines: `import sys; ...`, `import os, sys`.
    modules.map(str::trim).filter(|name| name.starts_with('_')).filter(is_name).take(MOST_PATHS)
}

/// The folder that a finder of an editable install maps a module to. setuptools writes `MAPPING = {'torch': '/src/torch'}`, and
/// scikit-build-core `'llama_cpp': '/src/llama_cpp/__init__.py'`.
pub fn mapped(text: &str, module: &str) -> Option<PathBuf> {
    let quoted = ['\'', '"'].iter().find_map(|quote| {
        let rest = text.split_once(&format!("{quote}{module}{quote}"))?.1.trim_start().strip_prefix(':')?;
        let rest = rest.trim_start().trim_start_matches('[').trim_start();
        rest.strip_prefix(*quote)?.split(*quote).next()
    })?;
    let path = Path::new(quoted);
    let folder = if path.ends_with("__init__.py") { path.parent()? } else { path };
    folder.is_absolute().then(|| folder.to_path_buf())
}

/// `3.11`: from what is known of the version, else from the name of the real program.
fn minor_version(machine: &Machine, chosen: &Chosen, version: Option<&str>) -> Option<String> {
    if let Some(version) = version {
        let mut parts = version.split('.');
        return Some(format!("{}.{}", parts.next()?, parts.next()?));
    }
    let real = machine.resolve(&chosen.path).ok()?;
    let version = real.file_name()?.to_str()?.strip_prefix("python")?;
    let plain =
        version.strip_suffix('t').unwrap_or(version).split_once('.').is_some_and(|(major, minor)| {
            major == "3" && !minor.is_empty() && minor.bytes().all(|b| b.is_ascii_digit())
        });
    plain.then(|| version.to_string())
}

/// The same with the `t` of a build without the global lock, whose folders carry it.
fn threaded(machine: &Machine, prefix: &Path, minor: String) -> String {
    let has = |minor: &str| machine.exists(prefix.join("lib").join(format!("python{minor}")));
    let other = format!("{minor}t");
    if !minor.ends_with('t') && !has(&minor) && has(&other) { other } else { minor }
}

/// The prefix of the interpreter under a virtual environment: the folder above `home` in which its library lies.
fn base(machine: &Machine, home: &Path, minor: &str) -> PathBuf {
    let has = |folder: &&Path| {
        ["lib", "lib64"].iter().any(|lib| machine.exists(folder.join(lib).join(format!("python{minor}/os.py"))))
    };
    let usual = || home.parent().unwrap_or(home);
    home.ancestors().find(has).unwrap_or_else(usual).to_path_buf()
}

/// The text of the module that puts the folders together.
fn site_file(machine: &Machine, base: &Path, minor: &str) -> String {
    let files = ["lib", "lib64"].map(|lib| base.join(lib).join(format!("python{minor}/site.py")));
    let text = files.iter().find_map(|file| machine.text(file).ok());
    // Without it, the place of Debian's packages tells.
    let debian = || machine.exists(base.join("lib/python3/dist-packages")).then(|| "dist-packages".to_string());
    text.or_else(debian).unwrap_or_default()
}

/// The user's own site-packages.
fn user_site(set: &dyn Fn(&str) -> Option<String>, minor: &str) -> Option<PathBuf> {
    if cfg!(windows) {
        let base = set("PYTHONUSERBASE").map(PathBuf::from);
        let base = base.or_else(|| Some(PathBuf::from(set("APPDATA")?).join("Python")))?;
        return Some(base.join(format!("Python{}", minor.replace('.', ""))).join("site-packages"));
    }
    let home = || Some(PathBuf::from(set("HOME")?).join(".local"));
    let base = set("PYTHONUSERBASE").map(PathBuf::from).or_else(home)?;
    Some(base.join(format!("lib/python{minor}/site-packages")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pth_file_adds_paths_and_not_its_code() {
        let text = "# comment\nimport sys; sys.path.append('x')\n/opt/extra\n\n../shared  \nimportant\n\
                    import __editable___torch_finder; __editable___torch_finder.install()\nimport _x_editable\n";
        assert_eq!(paths(text).collect::<Vec<_>>(), ["/opt/extra", "../shared", "important"]);
        assert_eq!(run_by(text).collect::<Vec<_>>(), ["__editable___torch_finder", "_x_editable"]);
    }

    #[cfg(unix)]
    #[test]
    fn an_editable_install_maps_a_module_to_a_folder() {
        let setuptools = "MAPPING: dict[str, str] = {'torchgen': '/src/torchgen', 'torch': '/src/torch'}\n";
        assert_eq!(mapped(setuptools, "torch").as_deref(), Some(Path::new("/src/torch")));
        let scikit = "install({'llama_cpp': '/src/llama_cpp/__init__.py'}, {'llama_cpp.lib': 'x'})\n";
        assert_eq!(mapped(scikit, "llama_cpp").as_deref(), Some(Path::new("/src/llama_cpp")));
        assert_eq!(mapped(scikit, "jax"), None);
        assert_eq!(mapped("{'torch': 'torch'}", "torch"), None);
    }
}
