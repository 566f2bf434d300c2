//! Lists of packages: collect_env's `[pip3]` and `[conda]` rows, pip list and freeze, conda list, lock files, and what
//! installers print.

use super::parts;
use super::torch::Sure;
use super::{Found, Line, Reader};
use crate::facts::cuda;
use crate::facts::python::{self, Package};
use crate::subject::Subject;
use crate::tables::packages;

/// Reads the lists outside of collect_env.
#[derive(Default)]
pub struct Packages {
    /// A header of a list was seen, and its rows follow.
    in_list: Option<List>,
    /// In a lock file: the name of the package, and whether its version was shown.
    locked: Option<(String, u64)>,
    /// The line before named the package of `pip show`.
    shown: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum List {
    Pip,
    Conda,
}

impl Reader for Packages {
    fn waits(&self) -> bool {
        self.in_list.is_some() || self.locked.is_some() || self.shown.is_some()
    }

    fn line(&mut self, line: Line, found: &mut Found) {
        let text = line.text.trim();
        if text.is_empty() || text.len() > 300 {
            self.in_list = self.in_list.filter(|_| text.is_empty());
            return;
        }
        if self.header(text) || self.lock_file(text, line.number, found) {
            return;
        }
        // `pip show NAME`.
        if let Some(version) = text.strip_prefix("Version: ")
            && let Some(name) = self.shown.take()
        {
            put(&name, version.trim(), None, None, found);
            return;
        }
        self.shown = text.strip_prefix("Name: ").map(|name| name.trim().to_string()).filter(|name| is_name(name));
        // `name==version`, alone or after a prompt's command or a bullet; `name @ url` has no version.
        if let Some(at) = text.find("==").filter(|_| !text.contains(" if ") && !text.starts_with("pip ")) {
            let name = text[..at].trim_start_matches(['-', '*', '|', ' ']).trim();
            let rest = text[at + 2..].trim_start_matches('=');
            let end = rest.find([' ', ';', ',', '"', '\'', '\\']).unwrap_or(rest.len());
            // A requirement of an installer's command is a wish, not a package that is there.
            if is_name(name) && !name.contains(' ') {
                put(name, &rest[..end], None, None, found);
            }
            return;
        }
        if let Some(rest) = text.strip_prefix("Successfully installed ") {
            return installed(rest, found);
        }
        let Some(list) = self.in_list else { return };
        let cells: Vec<&str> = text.trim_matches(['│', '┃', '|', ' ']).split_whitespace().collect();
        match (list, cells[..].first().copied()) {
            (_, Some(first)) if !is_name(first) || first.starts_with('-') => {}
            (List::Pip, _) if cells.len() >= 2 && starts_as_version(cells[1]) => {
                put(cells[0], cells[1], None, None, found)
            }
            (List::Conda, _) if cells.len() >= 2 && starts_as_version(cells[1]) => {
                put(cells[0], cells[1], cells.get(2).copied(), cells.get(3).copied(), found);
            }
            _ => self.in_list = None,
        }
    }
}

impl Packages {
    /// `Package    Version` of pip, `# Name  Version  Build  Channel` of conda.
    fn header(&mut self, text: &str) -> bool {
        let mut words = text.trim_start_matches(['#', ' ', '│', '┃']).split_whitespace();
        match (words.next(), words.next(), words.next()) {
            (Some("Package"), Some("Version"), _) => self.in_list = Some(List::Pip),
            (Some("Name"), Some("Version"), Some("Build")) => self.in_list = Some(List::Conda),
            _ => return false,
        }
        true
    }

    /// `name = "torch"` and `version = "2.4.0"` of uv.lock and poetry.lock.
    fn lock_file(&mut self, text: &str, line: u64, found: &mut Found) -> bool {
        let quoted = |rest: &str| rest.trim().trim_matches('"').to_string();
        if let Some(rest) = text.strip_prefix("name = \"") {
            self.locked = Some((quoted(rest), line));
            return true;
        }
        if let (Some(rest), Some((name, _))) = (text.strip_prefix("version = \""), &self.locked) {
            put(name, &quoted(rest), None, None, found);
            self.locked = None;
            return true;
        }
        false
    }
}

/// A row of collect_env: `[pip3] torch==2.4.0`, `[conda] pytorch  1.3.0  py3.7_cuda10.1.243_cudnn7.6.3_0  pytorch`.
pub fn collect_env_row(text: &str, found: &mut Found) {
    let Some((kind, rest)) = text.split_once(']') else { return };
    let rest = rest.trim();
    if rest.starts_with("Could not collect") || rest.starts_with("No relevant packages") {
        return;
    }
    if let Some((name, version)) = rest.split_once("==") {
        return put(name, parts::word(version), None, None, found);
    }
    let cells: Vec<&str> = rest.split_whitespace().collect();
    let [name, version, ..] = cells[..] else { return };
    if kind.contains("conda") {
        // pip's packages stand in conda's list with `<pip>` or `pypi` in the place of the build or the channel.
        let (build, channel) = match (cells.get(2).copied(), cells.get(3).copied()) {
            (Some("<pip>"), _) => (None, Some("pypi")),
            (build, channel) => (build, channel),
        };
        put(name, version, build, channel, found);
    }
}

/// `torch-2.4.0+cpu numpy-1.26`.
fn installed(rest: &str, found: &mut Found) {
    for word in rest.split_whitespace().take(400) {
        if let Some((name, version)) = word.rsplit_once('-').filter(|(_, version)| starts_as_version(version)) {
            put(name, version, None, None, found);
        }
    }
}

fn starts_as_version(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.len() < 60 && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.[]".contains(&b))
}

fn put(name: &str, version: &str, build: Option<&str>, channel: Option<&str>, found: &mut Found) {
    let name = packages::normal(name.split('[').next().unwrap_or_default());
    if !packages::matters(&name) || version.is_empty() || version.len() > 60 {
        return;
    }
    let line = found.line_number();
    let channel = channel.map(|c| if c == "<pip>" { "pypi" } else { c }).filter(|c| !c.contains(' '));
    let by_pip = channel == Some("pypi") || build == Some("pypi_0");
    if name == "torch" || (name == "pytorch" && !by_pip) || name == "pytorch-gpu" {
        found.torch.version(version, Sure::Listed, line);
        if let Some(build) = build.filter(|_| !by_pip) {
            found.torch.conda(build, channel, line);
        }
    }
    if name.starts_with("nvidia-cuda-runtime") {
        found.seen(&cuda::CUDART, &Subject::file(&name), version.to_string());
    }
    let package = Package {
        name,
        version: version.to_string(),
        location: None,
        build: build.filter(|_| !by_pip).map(str::to_string),
        channel: if by_pip { Some("pypi".to_string()) } else { channel.map(str::to_string) },
    };
    found.seen(&python::PACKAGE, &Subject::machine(), package);
}
