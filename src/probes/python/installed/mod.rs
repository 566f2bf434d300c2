//! What is installed in an environment, read from its files, without starting or importing anything.
//!
//! [`folders`] says where an interpreter would look; [`listing`] what lies there, by the metadata of pip and of conda;
//! [`origin`] where that came from; [`builds`] what the frameworks are built for, from the small files that they bring;
//! [`overlaps`] which packages own the same files; [`damage`] which are only half there.

mod builds;
mod damage;
mod folders;
mod listing;
mod origin;
mod overlaps;
mod places;

pub use places::Places;

use super::environments::Found;
use crate::facts::python::{self as keys, Build, Distribution, Hidden, Package};
use crate::facts::{Facts, cuda};
use crate::machine::Machine;
use crate::subject::Subject;
use crate::tables::frameworks::{self, Framework};
use listing::{Listing, Pip};
use places::Module;
use std::path::{Path, PathBuf};

/// Adds what is installed in an environment that is not asked, as far as its files tell where it looks.
pub fn guessed(machine: &Machine, found: &Found, facts: &mut Facts) {
    look(machine, &found.prefix.display().to_string(), &Places::guessed(machine, found), facts);
}

/// The folders in which an interpreter would look for packages, as far as files tell.
pub fn folders_of(machine: &Machine, found: &Found) -> Vec<PathBuf> {
    Places::guessed(machine, found).paths()
}

/// Adds what is installed in the environment with this prefix.
pub fn look(machine: &Machine, prefix: &str, places: &Places, facts: &mut Facts) {
    let environment = Subject::environment(prefix);
    let listing = Listing::of(machine, Path::new(prefix), &places.paths());
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
    for damage in damage::find(machine, &listing, places) {
        let source = damage.path.clone();
        facts.seen(&keys::DAMAGE, &environment, damage, source);
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

/// A framework: which copy an import would take, what that is built for, and which it hides. Of torch its absence is told as
/// well.
fn one(machine: &Machine, framework: &Framework, listing: &Listing, places: &Places, prefix: &str, facts: &mut Facts) {
    let subject = Subject::framework(framework.name, prefix);
    let Some(module) = places.module(machine, framework.module) else {
        if framework.name == "torch" {
            let looked: Vec<String> = places.paths().iter().map(|folder| folder.display().to_string()).collect();
            match listing.unread.is_empty() {
                true => facts.absent(&keys::DISTRIBUTION, &subject, looked.join(", ")),
                false => facts.failed(&keys::DISTRIBUTION, &subject, listing.unread.join(", "), looked.join(", ")),
            }
        }
        return;
    };
    let files = &module.files;
    let folder = files.parent().unwrap_or(files);
    let location = folder.display().to_string();
    let row = beside(listing, framework, &location);
    let conda = listing.conda.iter().find(|row| framework.is_brought_by(&row.name));
    let distribution = Distribution {
        // The package's own file has the tag (+cpu) that the name of the metadata may lack.
        version: builds::version(machine, files)
            .or(row.map(|row| row.version.clone()))
            .or(conda.map(|row| row.version.clone()))
            .unwrap_or_default(),
        location,
        installer: row.and_then(|row| row.installer(machine)).or(conda.map(|_| "conda".to_string())),
        conda_build: conda.map(|row| row.build.clone()),
        channel: conda.and_then(|row| row.channel.clone()),
        through: module.through.clone(),
    };
    let source = row.map_or_else(|| files.display().to_string(), |row| row.metadata());
    let version = distribution.version.clone();
    facts.seen(&keys::DISTRIBUTION, &subject, distribution, source);
    // `setup.py develop` leaves nothing but the path to its source.
    let developed = || module.through.as_deref().and_then(|through| origin::of_path(through, folder));
    let origin = row.and_then(|row| origin::of_pip(machine, row)).or(conda.map(origin::of_conda)).or_else(developed);
    if let Some((origin, source)) = origin {
        facts.seen(&keys::ORIGIN, &subject, origin, source);
    }
    let build = builds::build(machine, framework.name, files, &version, listing);
    if let Some((build, source)) = &build {
        facts.seen(&keys::BUILD, &subject, build.clone(), source.clone());
    }
    if let Some((list, source)) = builds::architectures(machine, framework.name, files) {
        facts.seen(&keys::ARCHITECTURES, &subject, list, source);
    }
    for other in places.others(machine, framework.module, &module) {
        let source = other.files.display().to_string();
        facts.seen(&keys::HIDDEN, &subject, hidden(machine, framework, listing, other), source);
    }
    if let Some((file, source)) = places.shadow(machine, framework.module, &module) {
        facts.seen(&keys::SHADOWED_BY, &Subject::environment(prefix), file.display().to_string(), source);
    }
}

/// The metadata beside the package that is imported, where there are several.
fn beside<'a>(listing: &'a Listing, framework: &Framework, location: &str) -> Option<&'a Pip> {
    let rows = listing.pip.iter().filter(|row| framework.is_brought_by(&row.name));
    rows.min_by_key(|row| row.folder != location)
}

/// What is known of a copy that is not taken.
fn hidden(machine: &Machine, framework: &Framework, listing: &Listing, module: Module) -> Hidden {
    let location = module.files.parent().unwrap_or(&module.files).display().to_string();
    let row = beside(listing, framework, &location).filter(|row| row.folder == location);
    let version = builds::version(machine, &module.files).or(row.map(|row| row.version.clone())).unwrap_or_default();
    // What is known by the lists of packages alone is not known of this copy.
    let by_file = !matches!(framework.name, "jax" | "cupy");
    let build = || builds::build(machine, framework.name, &module.files, &version, listing).map(|(build, _)| build);
    let build: Option<Build> = by_file.then(build).flatten();
    Hidden { version, location, through: module.through, build }
}
