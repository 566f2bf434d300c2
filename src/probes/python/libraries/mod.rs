//! The shared libraries that a framework wanted and did not get: which one, and where the loader could have found it.
//!
//! Nothing is loaded. What is wanted is read from the words of the framework ([`words`]); where a file of that name lies, in
//! the order of the loader: RPATH of the file that needs it, LD_LIBRARY_PATH, RUNPATH, what ldconfig knows; and then the
//! places that the loader does not know and people expect it to: the `nvidia-*` wheels, `torch/lib`, the environment's `lib`.

pub(in crate::probes) mod elf;
mod words;

pub(super) use words::telling;

use crate::facts::python::{self as keys, Library, Place};
use crate::facts::{Facts, Look};
use crate::machine::Machine;
use crate::probes::runtime;
use crate::subject::{Kind, Subject};
use std::path::Path;
use words::Wanted;

/// Libraries of one framework that are looked for.
const MOST: usize = 12;

/// Adds the libraries that the frameworks of all environments wanted.
pub fn look(machine: &Machine, facts: &mut Facts) {
    for framework in facts.subjects(Kind::Framework) {
        let mut wanted: Vec<Wanted> = Vec::new();
        for text in said(facts, &framework) {
            for one in words::wanted(&text) {
                if wanted.len() < MOST && !wanted.iter().any(|w| w.name == one.name && w.problem == one.problem) {
                    wanted.push(one);
                }
            }
        }
        if wanted.is_empty() {
            continue;
        }
        let search = Search::new(machine, facts, &framework);
        for one in wanted {
            let (library, source) = search.library(one);
            facts.seen(&keys::LIBRARY, &framework, library, source);
        }
    }
}

/// Everything that a framework said that did not work.
fn said(facts: &Facts, framework: &Subject) -> Vec<String> {
    let mut texts = Vec::new();
    match facts.look(&keys::IMPORT, framework) {
        Look::Seen(import, _) if !import.ok => texts.extend(import.message),
        _ => {}
    }
    texts.extend(facts.look(&keys::AVAILABLE, framework).why_failed().map(str::to_string));
    let of = |fact: &crate::facts::Fact| fact.subject == *framework;
    texts.extend(facts.all(&keys::MESSAGE).filter(|(_, fact)| of(fact)).map(|(text, _)| text));
    texts.extend(facts.all(&keys::TENSOR).filter(|(t, fact)| !t.ok && of(fact)).filter_map(|(t, _)| t.message));
    texts
}

struct Search<'a> {
    machine: &'a Machine,
    /// The folders and how one gets there, in the order of the loader; those of the wheels and of the environment come last.
    named: Vec<String>,
    known: Vec<String>,
    expected: Vec<(String, &'static str)>,
}

impl Search<'_> {
    fn new<'a>(machine: &'a Machine, facts: &Facts, framework: &Subject) -> Search<'a> {
        let prefix = framework.framework_parts().map(|(_, prefix)| prefix).unwrap_or_default();
        let mut expected = Vec::new();
        for site in sites(facts, framework, prefix) {
            let nvidia = format!("{site}/nvidia");
            for part in machine.list(&nvidia).unwrap_or_default() {
                expected.push((format!("{nvidia}/{part}/lib"), "nvidia wheel"));
            }
            expected.push((format!("{site}/torch/lib"), "torch"));
        }
        expected.push((format!("{prefix}/lib"), "environment"));
        let named = machine.variable("LD_LIBRARY_PATH").unwrap_or_default();
        let named = named.split([':', ';']).filter(|folder| folder.starts_with('/'));
        Search {
            machine,
            named: named.map(|folder| folder.trim_end_matches('/').to_string()).collect(),
            known: runtime::loader_folders(machine),
            expected,
        }
    }

    /// The fact about one library, and its source.
    fn library(&self, wanted: Wanted) -> (Library, String) {
        let paths = wanted.needed_by.as_deref().map(|file| self.paths_in(file)).unwrap_or_default();
        let through = |folders: &[String], way: &'static str| -> Vec<(String, &'static str)> {
            folders.iter().map(|folder| (folder.clone(), way)).collect()
        };
        let mut folders = through(&paths.before, "RPATH");
        folders.extend(through(&self.named, "LD_LIBRARY_PATH"));
        folders.extend(through(&paths.after, "RPATH"));
        folders.extend(through(&self.known, "ldconfig"));
        folders.extend(self.expected.iter().cloned());
        let mut found = self.exactly(&folders, &wanted.name);
        let mut problem = wanted.problem;
        if let Some(file) = &wanted.file
            && !found.iter().any(|place| place.path == *file)
        {
            found.insert(0, Place { path: file.clone(), through: "system".to_string() });
        }
        if found.is_empty() && problem == "missing" {
            found = self.others(&folders, &wanted.name);
            // Files of another version of it are no help, and a hint.
            problem = if found.is_empty() { "missing" } else { "version" };
        }
        let source = wanted.needed_by.clone().unwrap_or_else(|| "the loader's folders".to_string());
        let library = Library { name: wanted.name, found, problem: problem.to_string(), message: Some(wanted.line) };
        (library, source)
    }

    fn paths_in(&self, file: &str) -> elf::Paths {
        let origin = Path::new(file).parent().map(|folder| folder.display().to_string()).unwrap_or_default();
        self.machine.contents(Path::new(file)).map(|contents| elf::paths(contents, &origin)).unwrap_or_default()
    }

    /// Files of exactly this name; of a name without a version, of any.
    fn exactly(&self, folders: &[(String, &'static str)], name: &str) -> Vec<Place> {
        if name.ends_with(".so") {
            return self.others(folders, name);
        }
        let mut found: Vec<Place> = Vec::new();
        for (folder, through) in folders {
            let path = format!("{folder}/{name}");
            if self.machine.exists(&path) && !found.iter().any(|place| place.path == path) {
                found.push(Place { path, through: through.to_string() });
            }
        }
        found
    }

    /// Files of the same library in whatever version.
    fn others(&self, folders: &[(String, &'static str)], name: &str) -> Vec<Place> {
        const MOST_FILES: usize = 8;
        let Some((stem, _)) = name.split_once(".so") else { return Vec::new() };
        let start = format!("{stem}.so");
        let mut found: Vec<Place> = Vec::new();
        for (folder, through) in folders {
            for file in self.machine.list(folder).unwrap_or_default() {
                let path = format!("{folder}/{file}");
                let fits = file.strip_prefix(&start).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
                if fits && found.len() < MOST_FILES && !found.iter().any(|place| place.path == path) {
                    found.push(Place { path, through: through.to_string() });
                }
            }
        }
        found
    }
}

/// The folders in which packages of an environment lie.
fn sites(facts: &Facts, framework: &Subject, prefix: &str) -> Vec<String> {
    let environment = Subject::environment(prefix);
    let own = facts.look(&keys::DISTRIBUTION, framework).seen().map(|d| d.location);
    let packages = facts.all(&keys::PACKAGE).filter(|(_, fact)| fact.subject == environment);
    let mut sites: Vec<String> = Vec::new();
    for site in own.into_iter().chain(packages.filter_map(|(package, _)| package.location)) {
        if !site.is_empty() && !sites.contains(&site) {
            sites.push(site);
        }
    }
    sites
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::*;
    use crate::machine::Scope;
    use std::time::Duration;

    #[test]
    fn a_wanted_library_is_found_where_it_lies_and_told_by_which_way() {
        let root = tempfile::tempdir().unwrap();
        let site = "/venv/lib/python3.11/site-packages";
        let files = [
            &format!("{site}/nvidia/nvjitlink/lib/libnvJitLink.so.12"),
            &format!("{site}/nvidia/cublas/lib/libcublasLt.so.12"),
            "/usr/lib/libnvJitLink.so.12",
        ];
        for file in files {
            let path = root.path().join(&file[1..]);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let machine = Machine::new(Scope::Image(root.path().to_path_buf()), Duration::from_secs(1));
        let framework = Subject::framework("onnxruntime", "/venv");
        let mut facts = Facts::new();
        let package = keys::Package { location: Some(site.to_string()), ..keys::Package::default() };
        facts.seen(&keys::PACKAGE, &Subject::environment("/venv"), package, "");
        let says = "x with error: libcublasLt.so.13: cannot open shared object file\n\
                    /v/libcusparse.so.12: undefined symbol: __nvJitLinkCreate_12_8, version libnvJitLink.so.12\n\
                    libcudnn.so.9: cannot open shared object file";
        facts.seen(&keys::MESSAGE, &framework, says.to_string(), "");
        look(&machine, &mut facts);
        let found: Vec<Library> = facts.all(&keys::LIBRARY).map(|(library, _)| library).collect();
        let places = |library: &Library| -> Vec<(String, String)> {
            library.found.iter().map(|place| (place.path.clone(), place.through.clone())).collect()
        };
        assert_eq!((found[0].name.as_str(), found[0].problem.as_str()), ("libcublasLt.so.13", "version"));
        assert_eq!(places(&found[0]), [(files[1].to_string(), "nvidia wheel".to_string())]);
        assert_eq!((found[1].name.as_str(), found[1].problem.as_str()), ("libnvJitLink.so.12", "symbol"));
        assert_eq!(
            places(&found[1]),
            [
                ("/usr/lib/libnvJitLink.so.12".to_string(), "ldconfig".to_string()),
                (files[0].to_string(), "nvidia wheel".to_string()),
            ]
        );
        assert_eq!((found[2].problem.as_str(), found[2].found.len()), ("missing", 0));
    }
}
