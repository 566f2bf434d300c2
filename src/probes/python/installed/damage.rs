//! Packages of which only one half is there: the files without what an installer needs to know about them, or that without the
//! files.

use super::Places;
use super::listing::{Listing, Pip};
use crate::facts::python::Damage;
use crate::machine::Machine;
use crate::tables::frameworks;
use std::path::Path;

/// Installers that write a list of the files, and need it to remove them.
const WITH_RECORD: [&str; 2] = ["pip", "uv"];

/// Damages of one environment that are told.
const MOST: usize = 20;

/// Every damage, each with the folder of its metadata.
pub fn find(machine: &Machine, listing: &Listing, places: &Places) -> Vec<Damage> {
    let rows = listing.pip.iter().filter(|row| row.entry.ends_with(".dist-info") && is_looked_into(&row.name));
    let found = rows.filter_map(|row| {
        let kind = kind(machine, row, places)?;
        let (package, version, path) = (row.name.clone(), row.version.clone(), row.metadata());
        Some(Damage { package, version, kind: kind.to_string(), path })
    });
    found.take(MOST).collect()
}

/// Looking into every folder takes its time on a disk that is far away: what brings a framework is worth it, and what belongs to it.
fn is_looked_into(name: &str) -> bool {
    let beside = ["torchvision", "torchaudio", "jaxlib", "jax-cuda"].iter().any(|begins| name.starts_with(begins));
    beside || frameworks::ALL.iter().any(|framework| framework.is_brought_by(name))
}

fn kind(machine: &Machine, row: &Pip, places: &Places) -> Option<&'static str> {
    let folder = row.metadata();
    let has = |name: &str| machine.exists(Path::new(&folder).join(name));
    if module_missing(machine, row, places) {
        return Some("no_files");
    }
    if !has("METADATA") {
        // What cannot be looked into says nothing.
        return machine.list(&folder).is_ok().then_some("no_metadata");
    }
    let by_pip = || row.installer(machine).is_some_and(|name| WITH_RECORD.contains(&name.as_str()));
    (!has("RECORD") && by_pip()).then_some("no_record")
}

/// Whether a package that brings a framework is listed, and no import would find the framework. An editable install has its
/// files elsewhere; and what a package of another name brings is there.
fn module_missing(machine: &Machine, row: &Pip, places: &Places) -> bool {
    let framework = frameworks::ALL.iter().find(|framework| framework.is_brought_by(&row.name));
    let elsewhere = || machine.exists(Path::new(&row.metadata()).join("direct_url.json"));
    framework.is_some_and(|framework| places.module(machine, framework.module).is_none()) && !elsewhere()
}
