//! What the dynamic table of an ELF file says: which libraries it needs, and where it says that they lie (RPATH, RUNPATH).

use object::elf::{DT_NEEDED, DT_RPATH, DT_RUNPATH, FileHeader64};
use object::read::elf::{Dyn, FileHeader};
use object::{Endianness, ReadCache};
use std::io::{Read, Seek};

/// The folders that a library names for what it needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Paths {
    /// RPATH: searched before LD_LIBRARY_PATH, and not at all where there is a RUNPATH.
    pub before: Vec<String>,
    /// RUNPATH: searched after LD_LIBRARY_PATH.
    pub after: Vec<String>,
}

/// The folders in a 64-bit ELF file that lies in `origin`; none in anything else. Reads the headers and one table.
pub fn paths(file: impl Read + Seek, origin: &str) -> Paths {
    let data = ReadCache::new(file);
    let read = || -> object::read::Result<Paths> {
        let header = FileHeader64::<Endianness>::parse(&data)?;
        let endian = header.endian()?;
        let sections = header.sections(endian, &data)?;
        let mut paths = Paths::default();
        let Some((entries, link)) = sections.dynamic(endian, &data)? else { return Ok(paths) };
        let strings = sections.strings(endian, &data, link)?;
        for entry in entries {
            let place = match entry.d_tag(endian) {
                DT_RPATH => &mut paths.before,
                DT_RUNPATH => &mut paths.after,
                _ => continue,
            };
            let text = String::from_utf8_lossy(entry.string(endian, strings)?).into_owned();
            place.extend(text.split(':').filter(|folder| !folder.is_empty()).map(|folder| folders(folder, origin)));
        }
        if !paths.after.is_empty() {
            paths.before.clear();
        }
        Ok(paths)
    };
    read().unwrap_or_default()
}

/// The names of the libraries that a 64-bit ELF file needs; nothing for anything else. Reads the headers and one table.
pub fn needed(file: impl Read + Seek) -> Option<Vec<String>> {
    let data = ReadCache::new(file);
    let read = || -> object::read::Result<Vec<String>> {
        let header = FileHeader64::<Endianness>::parse(&data)?;
        let endian = header.endian()?;
        let sections = header.sections(endian, &data)?;
        let Some((entries, link)) = sections.dynamic(endian, &data)? else { return Ok(Vec::new()) };
        let strings = sections.strings(endian, &data, link)?;
        let names = entries.iter().filter(|entry| entry.d_tag(endian) == DT_NEEDED);
        names.map(|entry| Ok(String::from_utf8_lossy(entry.string(endian, strings)?).into_owned())).collect()
    };
    read().ok()
}

/// `$ORIGIN/../../nvidia/cublas/lib` with the folder of the library in place.
fn folders(folder: &str, origin: &str) -> String {
    folder.replace("${ORIGIN}", origin).replace("$ORIGIN", origin)
}
