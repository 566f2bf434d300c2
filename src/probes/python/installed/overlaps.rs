//! Packages that own the same files: two of ONNX Runtime, two of CuPy, two releases of one package. What was installed last has
//! overwritten the other, and removing one takes files from both.

use super::listing::{Listing, Pip};
use crate::facts::python::Overlap;
use crate::machine::Machine;
use crate::tables::frameworks;
use std::collections::HashMap;
use std::path::Path;

/// A list of files is never longer; TensorFlow's has 2.7 MB.
const LONGEST: u64 = 8 << 20;
/// Files that are compared with the disk, and how many have to agree.
const COMPARED: usize = 16;

/// Pairs of one environment that are compared, and how much of their lists is read in all.
const MOST_PAIRS: usize = 16;
const MOST_BYTES: usize = 24 << 20;

/// Each pair that owns the same files, with where that is written.
pub fn find(machine: &Machine, listing: &Listing) -> Vec<(Overlap, String)> {
    let mut found = Vec::new();
    let (mut pairs, mut bytes) = (0, 0);
    for (n, one) in listing.pip.iter().enumerate() {
        for other in listing.pip[n + 1..].iter().filter(|other| are_rivals(one, other)) {
            if pairs == MOST_PAIRS || bytes > MOST_BYTES {
                return found;
            }
            pairs += 1;
            let Some(texts) = record(machine, one).zip(record(machine, other)) else { continue };
            bytes += texts.0.len() + texts.1.len();
            found.extend(pair(machine, one, other, &texts));
        }
    }
    found
}

/// Only packages that bring one and the same framework are worth reading two long lists for.
fn are_rivals(one: &Pip, other: &Pip) -> bool {
    let same = || frameworks::ALL.iter().any(|f| f.is_brought_by(&one.name) && f.is_brought_by(&other.name));
    one.folder == other.folder && (one.name == other.name || same())
}

fn pair(machine: &Machine, one: &Pip, other: &Pip, texts: &(String, String)) -> Option<(Overlap, String)> {
    let theirs: HashMap<&str, Option<u64>> = rows(&texts.1).collect();
    let both = |(file, size)| Some((file, size, *theirs.get(file)?));
    let shared: Vec<Shared> = rows(&texts.0).filter(|(file, _)| !is_metadata(file)).filter_map(both).collect();
    let named = |row: &Pip| format!("{} {}", row.name, row.version);
    // The largest file that differs tells best whose files they are.
    let mut telling: Vec<&Shared> = shared.iter().filter(|(_, mine, theirs)| mine != theirs).collect();
    telling.sort_by_key(|(_, mine, _)| std::cmp::Reverse(*mine));
    let example = telling.first().copied().or(shared.first())?.0.to_string();
    telling.truncate(COMPARED);
    let on_disk = |file: &str| machine.stat(Path::new(&one.folder).join(file)).ok().map(|entry| entry.size);
    let sizes: Vec<(Option<u64>, &Shared)> = telling.iter().map(|row| (on_disk(row.0), *row)).collect();
    let all = |of: fn(&Shared) -> Option<u64>| {
        !sizes.is_empty() && sizes.iter().all(|(size, row)| size.is_none() || *size == of(row))
    };
    let kept = match (all(|row| row.1), all(|row| row.2)) {
        (true, false) => Some(named(one)),
        (false, true) => Some(named(other)),
        _ => None,
    };
    let packages = vec![named(one), named(other)];
    let overlap = Overlap { packages, files: shared.len() as u32, example, kept };
    Some((overlap, format!("{}/RECORD, {}/RECORD", one.metadata(), other.metadata())))
}

/// A file that both own, with the size that each says.
type Shared<'a> = (&'a str, Option<u64>, Option<u64>);

/// The list of a package's files.
fn record(machine: &Machine, row: &Pip) -> Option<String> {
    let bytes = machine.range(Path::new(&row.metadata()).join("RECORD"), 0, LONGEST).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// `PATH,HASH,SIZE` a line; a path with a comma stands in quotes.
fn rows(text: &str) -> impl Iterator<Item = (&str, Option<u64>)> {
    text.lines().filter_map(|line| {
        let mut cells = line.rsplitn(3, ',');
        let size = cells.next()?.trim().parse().ok();
        let path = cells.nth(1)?.trim_matches('"');
        (!path.is_empty()).then_some((path, size))
    })
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
        let files: Vec<_> = rows(text).collect();
        assert_eq!(files, [("a/b.py", Some(12)), ("a/c,d.py", Some(3)), ("a/RECORD", None)]);
    }
}
