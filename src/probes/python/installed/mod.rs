//! What is installed in an environment, read from its files, without starting or importing anything.
//!
//! [`folders`] says where an interpreter would look; [`listing`] what lies there, by the metadata of pip and of conda;
//! [`builds`] what the frameworks are built for, from the small files that they bring; [`overlaps`] which packages own the
//! same files.

mod builds;
mod folders;
mod listing;
mod overlaps;

use super::environments::Found;
use crate::facts::python::{self as keys, Distribution, Package};
use crate::facts::{Facts, cuda};
use crate::machine::Machine;
use crate::subject::Subject;
use crate::tables::frameworks::{self, Framework};
use listing::Listing;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Where packages are looked for.
pub struct Places {
    /// The folders, in the order in which an import looks through them.
    pub folders: Vec<PathBuf>,
    /// Modules with the folder of each, where the interpreter itself says what an import would find.
    pub modules: Option<BTreeMap<String, PathBuf>>,
}

impl Places {
    /// As an interpreter told it, in its stages `interpreter` and `packages`.
    pub fn told(interpreter: &Value, packages: &Value) -> Places {
        let path = |value: &Value| Some(PathBuf::from(value.as_str()?));
        let folders = interpreter["sys_path"].as_array().into_iter().flatten().filter_map(path).collect();
        let modules = packages["present"].as_object();
        let modules = modules.map(|all| all.iter().filter_map(|(name, at)| Some((name.clone(), path(at)?))).collect());
        Places { folders, modules }
    }

    /// The folder of a module.
    fn module(&self, machine: &Machine, name: &str) -> Option<PathBuf> {
        match &self.modules {
            Some(all) => all.get(name).cloned(),
            None => {
                let mut folders = self.folders.iter().map(|folder| folder.join(name));
                folders.find(|folder| machine.exists(folder.join("__init__.py")))
            }
        }
    }
}

/// Adds what is installed in an environment that is not asked, as far as its files tell where it looks.
pub fn guessed(machine: &Machine, found: &Found, facts: &mut Facts) {
    look(machine, &found.prefix.display().to_string(), &folders::guess(machine, found), facts);
}

/// The folders in which an interpreter would look for packages, as far as files tell.
pub fn folders_of(machine: &Machine, found: &Found) -> Vec<PathBuf> {
    folders::guess(machine, found).folders
}

/// Adds what is installed in the environment with this prefix.
pub fn look(machine: &Machine, prefix: &str, places: &Places, facts: &mut Facts) {
    let environment = Subject::environment(prefix);
    let listing = Listing::of(machine, Path::new(prefix), &places.folders);
    packages(&listing, &environment, facts);
    for framework in frameworks::ALL {
        one(machine, framework, &listing, places, prefix, facts);
    }
    for (overlap, source) in overlaps::find(machine, &listing) {
        facts.seen(&keys::OVERLAP, &environment, overlap, source);
    }
    for path in &listing.leftovers {
        facts.seen(&keys::LEFTOVER, &environment, path.clone(), path.clone());
    }
}

fn packages(listing: &Listing, environment: &Subject, facts: &mut Facts) {
    for row in &listing.pip {
        if row.name.starts_with("nvidia-cuda-runtime") {
            let place = Subject::file(format!("{}/{}", row.folder, row.name));
            facts.seen(&cuda::CUDART, &place, row.version.clone(), row.metadata());
        }
        let (name, version) = (row.name.clone(), row.version.clone());
        let package = Package { name, version, location: Some(row.folder.clone()), ..Package::default() };
        facts.seen(&keys::PACKAGE, environment, package, row.metadata());
    }
    for row in &listing.conda {
        let package = Package {
            name: row.name.clone(),
            version: row.version.clone(),
            location: None,
            build: Some(row.build.clone()),
            channel: row.channel.clone(),
        };
        facts.seen(&keys::PACKAGE, environment, package, row.file.clone());
    }
}

/// A framework: which copy an import would take, and what that is built for. Of torch its absence is told as well.
fn one(machine: &Machine, framework: &Framework, listing: &Listing, places: &Places, prefix: &str, facts: &mut Facts) {
    let subject = Subject::framework(framework.name, prefix);
    let Some(files) = places.module(machine, framework.module) else {
        if framework.name == "torch" {
            let looked: Vec<String> = places.folders.iter().map(|folder| folder.display().to_string()).collect();
            facts.absent(&keys::DISTRIBUTION, &subject, looked.join(", "));
        }
        return;
    };
    let folder = files.parent().unwrap_or(&files);
    let location = folder.display().to_string();
    let of_framework = |name: &str| framework.is_brought_by(name);
    // The metadata beside the package that is imported, where there are several.
    let mut rows: Vec<_> = listing.pip.iter().filter(|row| of_framework(&row.name)).collect();
    rows.sort_by_key(|row| row.folder != location);
    let row = rows.first();
    let conda = listing.conda.iter().find(|row| of_framework(&row.name));
    let own = builds::version(machine, &files);
    let distribution = Distribution {
        // The package's own file has the tag (+cpu) that the name of the metadata may lack.
        version: own
            .or(row.map(|row| row.version.clone()))
            .or(conda.map(|row| row.version.clone()))
            .unwrap_or_default(),
        location,
        installer: row.and_then(|row| row.installer(machine)).or(conda.map(|_| "conda".to_string())),
        conda_build: conda.map(|row| row.build.clone()),
        channel: conda.and_then(|row| row.channel.clone()),
    };
    let source = row.map_or_else(|| files.display().to_string(), |row| row.metadata());
    let version = distribution.version.clone();
    facts.seen(&keys::DISTRIBUTION, &subject, distribution, source);
    if let Some((build, source)) = builds::build(machine, framework.name, &files, &version, listing) {
        facts.seen(&keys::BUILD, &subject, build, source);
    }
    if let Some((list, source)) = builds::architectures(machine, framework.name, &files) {
        facts.seen(&keys::ARCHITECTURES, &subject, list, source);
    }
    if let Some(file) = machine.current_dir().and_then(|here| shadow(machine, &here, framework.module))
        && !file.starts_with(folder)
    {
        let source = format!("import {} in this directory", framework.module);
        facts.seen(&keys::SHADOWED_BY, &Subject::environment(prefix), file.display().to_string(), source);
    }
}

/// The file or folder in the current directory that a program started here would import instead.
fn shadow(machine: &Machine, here: &Path, module: &str) -> Option<PathBuf> {
    let files = [here.join(module).join("__init__.py"), here.join(format!("{module}.py"))];
    files.into_iter().find(|file| machine.exists(file))
}
