//! Where an interpreter looks for packages, as its `site` module puts the folders together; told from files alone.

use super::super::environments::{Found, settings};
use super::Places;
use crate::machine::Machine;
use std::path::{Path, PathBuf};

/// Files with further paths that are read in one folder, and paths that one may add.
const MOST_FILES: usize = 200;
const MOST_PATHS: usize = 200;

/// Where an import looks, as far as files tell.
pub fn guess(machine: &Machine, found: &Found) -> Places {
    Places { folders: folders(machine, found), modules: None }
}

/// The folders with packages, in the order in which an import looks through them. A guess: code that runs at start-up may
/// change it.
fn folders(machine: &Machine, found: &Found) -> Vec<PathBuf> {
    let mut all = Folders { machine, list: Vec::new() };
    let set = |name: &str| machine.variable(name).filter(|value| !value.is_empty());
    let listed = set("PYTHONPATH").unwrap_or_default();
    for part in listed.split(if cfg!(windows) { ';' } else { ':' }).filter(|part| !part.is_empty()) {
        all.add(PathBuf::from(part), false);
    }
    let settings = settings(machine, &found.prefix);
    let value = |key: &str| settings.iter().flatten().find(|(name, _)| name == key).map(|(_, value)| value.as_str());
    let is_venv = settings.is_some();
    let with_system = value("include-system-site-packages").is_some_and(|v| v.eq_ignore_ascii_case("true"));
    let Some(minor) = minor_version(machine, found) else {
        // On Windows the folders carry no version.
        all.prefix(&found.prefix, "", false);
        return all.list;
    };
    // A venv that is closed to the system is closed to the user's own packages too.
    if (!is_venv || with_system)
        && set("PYTHONNOUSERSITE").is_none()
        && let Some(folder) = user_site(machine, &minor)
    {
        all.add(folder, true);
    }
    all.prefix(&found.prefix, &minor, !is_venv);
    // `home` is the folder of the base's program.
    let base = value("home").map(Path::new).and_then(Path::parent);
    if let (true, Some(base)) = (with_system, base) {
        all.prefix(base, &minor, true);
    }
    all.list
}

struct Folders<'a> {
    machine: &'a Machine,
    list: Vec<PathBuf>,
}

impl Folders<'_> {
    /// The folders of one prefix; with `system`, Debian's among them.
    fn prefix(&mut self, prefix: &Path, minor: &str, system: bool) {
        if cfg!(windows) {
            return self.add(prefix.join("Lib").join("site-packages"), true);
        }
        let python = format!("python{minor}");
        // Fedora and openSUSE keep what is compiled in lib64, and look there first; in a venv that is a link to lib.
        let [lib64, lib] = ["lib64", "lib"].map(|lib| prefix.join(lib).join(&python).join("site-packages"));
        let real = |folder: &Path| self.machine.resolve(folder).ok();
        if real(&lib64) != real(&lib) {
            self.add(lib64, true);
        }
        self.add(lib, true);
        if system {
            // Debian's own order: what pip put there for all, then what its packages bring.
            self.add(prefix.join("local/lib").join(&python).join("dist-packages"), true);
            self.add(prefix.join("lib/python3/dist-packages"), true);
            self.add(prefix.join("lib").join(&python).join("dist-packages"), true);
        }
    }

    /// One folder, once, and those that its `.pth` files add.
    fn add(&mut self, folder: PathBuf, with_paths: bool) {
        let real = self.machine.resolve(&folder);
        let Ok(real) = real else { return };
        if self.list.iter().any(|known| self.machine.resolve(known).is_ok_and(|known| known == real)) {
            return;
        }
        self.list.push(folder.clone());
        if !with_paths {
            return;
        }
        let names = self.machine.list(&folder).unwrap_or_default();
        for name in names.iter().filter(|name| name.ends_with(".pth")).take(MOST_FILES) {
            let text = self.machine.text(folder.join(name)).unwrap_or_default();
            for path in paths(&text) {
                self.add(folder.join(path), false);
            }
        }
    }
}

/// The paths in a `.pth` file: a line each; lines of code and comments are none.
fn paths(text: &str) -> impl Iterator<Item = &str> {
    let is_code = |line: &str| line.starts_with("import ") || line.starts_with("import\t") || line.starts_with('#');
    text.lines().map(str::trim_end).filter(move |line| !line.is_empty() && !is_code(line)).take(MOST_PATHS)
}

/// `3.11`: from what is known of the version, else from the name of the real program, else from the only library folder.
fn minor_version(machine: &Machine, found: &Found) -> Option<String> {
    if let Some(version) = &found.about.version {
        let mut parts = version.split('.');
        return Some(format!("{}.{}", parts.next()?, parts.next()?));
    }
    let real = machine.resolve(&found.chosen.path).ok()?;
    let version = real.file_name()?.to_str()?.strip_prefix("python")?;
    let plain = version
        .split_once('.')
        .is_some_and(|(major, minor)| major == "3" && !minor.is_empty() && minor.bytes().all(|b| b.is_ascii_digit()));
    plain.then(|| version.to_string())
}

/// The user's own site-packages.
fn user_site(machine: &Machine, minor: &str) -> Option<PathBuf> {
    if let Some(base) = machine.variable("PYTHONUSERBASE").filter(|value| !value.is_empty()) {
        return Some(PathBuf::from(base).join(format!("lib/python{minor}/site-packages")));
    }
    if cfg!(windows) {
        let folder = format!("Python{}", minor.replace('.', ""));
        return Some(PathBuf::from(machine.variable("APPDATA")?).join("Python").join(folder).join("site-packages"));
    }
    let home = PathBuf::from(machine.variable("HOME").filter(|home| !home.is_empty())?);
    Some(home.join(format!(".local/lib/python{minor}/site-packages")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pth_file_adds_paths_and_not_its_code() {
        let text = "# comment\nimport sys; sys.path.append('x')\n/opt/extra\n\n../shared  \nimportant\n";
        assert_eq!(paths(text).collect::<Vec<_>>(), ["/opt/extra", "../shared", "important"]);
    }
}
