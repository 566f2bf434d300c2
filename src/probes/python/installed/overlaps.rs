//! Packages that own the same files: two of ONNX Runtime, two of CuPy, two releases of one package. What was installed last has
//! overwritten the other, and removing one takes files from both.

use super::listing::{Listing, Pip};
use crate::facts::python::Overlap;
use crate::machine::Machine;
use crate::tables::frameworks;
use std::collections::BTreeMap;
use std::path::Path;

/// A list of files is never longer; TensorFlow's has 2.7 MB.
const LONGEST: u64 = 16 << 20;
/// Files that are compared with the disk, and how many have to agree.
const COMPARED: usize = 16;

/// Each pair that owns the same files, with where that is written.
pub fn find(machine: &Machine, listing: &Listing) -> Vec<(Overlap, String)> {
    let mut found = Vec::new();
    for (n, one) in listing.pip.iter().enumerate() {
        for other in listing.pip[n + 1..].iter().filter(|other| are_rivals(one, other)) {
            found.extend(pair(machine, one, other));
        }
    }
    found
}

/// Only packages that bring one and the same framework are worth reading two long lists for.
fn are_rivals(one: &Pip, other: &Pip) -> bool {
    let same = || frameworks::ALL.iter().any(|f| f.is_brought_by(&one.name) && f.is_brought_by(&other.name));
    one.folder == other.folder && (one.name == other.name || same())
}

fn pair(machine: &Machine, one: &Pip, other: &Pip) -> Option<(Overlap, String)> {
    let (mine, theirs) = (files(machine, one)?, files(machine, other)?);
    let shared: Vec<&String> = mine.keys().filter(|file| theirs.contains_key(*file) && !is_metadata(file)).collect();
    let named = |row: &Pip| format!("{} {}", row.name, row.version);
    // The largest file that differs tells best whose files they are.
    let mut telling: Vec<_> = shared.iter().filter(|file| mine[**file] != theirs[**file]).collect();
    telling.sort_by_key(|file| std::cmp::Reverse(mine[**file].unwrap_or_default()));
    let example = telling.first().copied().or(shared.first())?.to_string();
    let on_disk: Vec<(u64, &String)> = telling
        .iter()
        .take(COMPARED)
        .filter_map(|file| Some((machine.stat(Path::new(&one.folder).join(file)).ok()?.size, **file)))
        .collect();
    let all_of = |list: &BTreeMap<String, Option<u64>>| {
        !on_disk.is_empty() && on_disk.iter().all(|(size, file)| list[*file] == Some(*size))
    };
    let kept = match (all_of(&mine), all_of(&theirs)) {
        (true, false) => Some(named(one)),
        (false, true) => Some(named(other)),
        _ => None,
    };
    let packages = vec![named(one), named(other)];
    let overlap = Overlap { packages, files: shared.len() as u32, example, kept };
    Some((overlap, format!("{}/RECORD, {}/RECORD", one.metadata(), other.metadata())))
}

/// The files of a package with their sizes, by its RECORD.
fn files(machine: &Machine, row: &Pip) -> Option<BTreeMap<String, Option<u64>>> {
    let bytes = machine.range(Path::new(&row.metadata()).join("RECORD"), 0, LONGEST).ok()?;
    Some(parse(&String::from_utf8_lossy(&bytes)))
}

/// `PATH,HASH,SIZE` a line; a path with a comma stands in quotes.
fn parse(text: &str) -> BTreeMap<String, Option<u64>> {
    let row = |line: &str| {
        let mut cells = line.rsplitn(3, ',');
        let size = cells.next()?.trim().parse().ok();
        let path = cells.nth(1)?.trim_matches('"');
        (!path.is_empty()).then(|| (path.to_string(), size))
    };
    text.lines().filter_map(row).collect()
}

fn is_metadata(file: &str) -> bool {
    file.contains(".dist-info/") || file.contains("__pycache__/") || file.starts_with("..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_a_list_of_files() {
        let text = "a/b.py,sha256=x,12\n\"a/c,d.py\",sha256=y,3\na/RECORD,,\n";
        let files = parse(text);
        assert_eq!(files["a/b.py"], Some(12));
        assert_eq!(files["a/c,d.py"], Some(3));
        assert_eq!(files["a/RECORD"], None);
    }
}
