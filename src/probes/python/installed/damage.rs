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

/// Every damage, each with the folder of its metadata.
pub fn find(machine: &Machine, listing: &Listing, places: &Places) -> Vec<Damage> {
    let rows = listing.pip.iter().filter(|row| row.entry.ends_with(".dist-info"));
    let found = rows.filter_map(|row| {
        let kind = kind(machine, row, places)?;
        let (package, version, path) = (row.name.clone(), row.version.clone(), row.metadata());
        Some(Damage { package, version, kind: kind.to_string(), path })
    });
    found.collect()
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
