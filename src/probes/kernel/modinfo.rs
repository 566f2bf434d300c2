//! What a module file says of itself: the strings of its `.modinfo` section, and who signed it.
//!
//! A plain file is read here. For a compressed one the system's `modinfo` is asked, in a child, and only where the module
//! is not loaded: otherwise nobody needs to know.

use crate::facts::{Facts, kernel};
use crate::machine::Machine;
use crate::machine::child::{End, Spec};
use crate::subject::Subject;
use std::path::PathBuf;
use std::time::Duration;

/// What the kernel's sign-file writes at the end of a signed module.
const MARK: &[u8] = b"~Module signature appended~\n";
/// Bytes of a section that are read at most.
const MOST: u64 = 1 << 20;

/// Time for the system's modinfo, which unpacks some ten MB.
const LIMIT: Duration = Duration::from_secs(5);

/// Adds what the file says.
pub fn look(machine: &Machine, facts: &mut Facts, path: &str) {
    let here = Subject::machine();
    let (found, source) = if path.ends_with(".ko") {
        (read(machine, path), path.to_string())
    } else if !machine.is_live() || machine.is_moved() {
        (Err("the module is compressed; `modinfo nvidia` tells".to_string()), path.to_string())
    } else if facts.value(&kernel::MODULES).is_some_and(|loaded| loaded.iter().any(|name| name == "nvidia")) {
        (Err("the module is compressed, and loaded anyway".to_string()), path.to_string())
    } else {
        (ask(machine, path), format!("modinfo {path}"))
    };
    match found {
        Ok(info) => facts.seen(&kernel::MODINFO, &here, info, source),
        Err(why) => facts.failed(&kernel::MODINFO, &here, why, source),
    }
}

fn ask(machine: &Machine, path: &str) -> Result<kernel::Modinfo, String> {
    // The system's own first; Debian's users have no sbin on their PATH.
    let places = ["/usr/sbin/modinfo", "/sbin/modinfo", "/usr/bin/modinfo"].into_iter().map(PathBuf::from);
    let program = places
        .chain(machine.programs("modinfo"))
        .find(|program| machine.is_program(program))
        .ok_or("the module is compressed, and there is no modinfo program")?;
    let report = Spec::text(program, machine.limit.min(LIMIT)).arguments([path]).set("LC_ALL", "C").run();
    match report.end {
        End::Exited(0) => Ok(parse(&report.stdout)),
        _ => Err(format!("modinfo failed: {}", report.stderr.trim().lines().next().unwrap_or("no reason given"))),
    }
}

/// The text of modinfo: `license:        NVIDIA`. Where it cannot read the signer's name it still says `sig_id`.
fn parse(text: &str) -> kernel::Modinfo {
    let field = |name: &str| {
        text.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            (key == name).then(|| value.trim().to_string())
        })
    };
    let named = field("signer").filter(|name| !name.is_empty());
    let signed = || (field("sig_id").is_some() || field("signer").is_some()).then(|| "?".to_string());
    kernel::Modinfo { version: field("version"), license: field("license"), signer: named.or_else(signed) }
}

fn read(machine: &Machine, path: &str) -> Result<kernel::Modinfo, String> {
    let io = |e: std::io::Error| e.to_string();
    let header = machine.range(path, 0, 64).map_err(io)?;
    let table = section_table(&header).ok_or("not a 64-bit ELF file")?;
    let sections = machine.range(path, table.offset, table.length()).map_err(io)?;
    let names_at = table.section(&sections, table.names).ok_or("the section table is cut off")?;
    let names = machine.range(path, names_at.offset, names_at.size.min(MOST)).map_err(io)?;
    let place = table.find(&sections, &names, b".modinfo").ok_or("there is no .modinfo section")?;
    let strings = machine.range(path, place.offset, place.size.min(MOST)).map_err(io)?;

    let size = machine.stat(path).map_err(io)?.size;
    let tail = machine.range(path, size.saturating_sub(64 << 10), 64 << 10).map_err(io)?;
    Ok(kernel::Modinfo {
        version: value(&strings, b"version"),
        license: value(&strings, b"license"),
        signer: signer(&tail),
    })
}

/// Place of the section headers, from the ELF header.
struct Table {
    offset: u64,
    entry: u64,
    count: u64,
    names: u64,
}

/// Place of one section in the file.
struct Place {
    name: usize,
    offset: u64,
    size: u64,
}

fn number(bytes: &[u8], at: usize, width: usize) -> Option<u64> {
    let part = bytes.get(at..at.checked_add(width)?)?;
    Some(part.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
}

/// 64-bit little-endian ELF, which is what x86-64 and ARM64 modules are.
fn section_table(header: &[u8]) -> Option<Table> {
    if !header.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let table = Table {
        offset: number(header, 0x28, 8)?,
        entry: number(header, 0x3a, 2)?,
        count: number(header, 0x3c, 2)?,
        names: number(header, 0x3e, 2)?,
    };
    (table.entry >= 64).then_some(table)
}

impl Table {
    fn length(&self) -> u64 {
        (self.entry * self.count).min(MOST)
    }

    fn section(&self, sections: &[u8], index: u64) -> Option<Place> {
        let at = usize::try_from(index * self.entry).ok()?;
        let name = usize::try_from(number(sections, at, 4)?).ok()?;
        Some(Place { name, offset: number(sections, at + 0x18, 8)?, size: number(sections, at + 0x20, 8)? })
    }

    fn find(&self, sections: &[u8], names: &[u8], wanted: &[u8]) -> Option<Place> {
        (0..self.count).filter_map(|index| self.section(sections, index)).find(|place| {
            let name = names.get(place.name..).unwrap_or_default();
            name.strip_prefix(wanted).is_some_and(|rest| rest.first().is_none_or(|byte| *byte == 0))
        })
    }
}

/// A value of the NUL-separated `key=value` strings.
fn value(strings: &[u8], key: &[u8]) -> Option<String> {
    let value = strings.split(|byte| *byte == 0).find_map(|entry| entry.strip_prefix(key)?.strip_prefix(b"="))?;
    Some(String::from_utf8_lossy(value).into_owned())
}

/// The signer in the signature at the end of a file; nothing without a signature. A signature whose signer cannot be read
/// gives a question mark.
///
/// Before the mark stand twelve bytes that end with the signature's length; the signature is PKCS#7 and names the issuer
/// of the key, whose common name (object 2.5.4.3) is what modinfo prints.
fn signer(tail: &[u8]) -> Option<String> {
    let body = tail.strip_suffix(MARK)?;
    let name = || {
        let (rest, info) = body.split_at_checked(body.len().checked_sub(12)?)?;
        let length = info[8..].iter().fold(0usize, |sum, byte| sum << 8 | usize::from(*byte));
        let signature = rest.get(rest.len().checked_sub(length)?..)?;
        common_name(signature)
    };
    Some(name().unwrap_or_else(|| "?".to_string()))
}

fn common_name(der: &[u8]) -> Option<String> {
    const COMMON_NAME: [u8; 5] = [0x06, 0x03, 0x55, 0x04, 0x03];
    let at = der.windows(COMMON_NAME.len()).position(|window| window == COMMON_NAME)? + COMMON_NAME.len();
    // A string type, its length in one byte (names are shorter than 128), the string.
    let length = usize::from(*der.get(at + 1)?);
    let text = der.get(at + 2..)?.get(..length).filter(|_| length < 128)?;
    Some(String::from_utf8_lossy(text).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_of_the_section_are_read() {
        let strings = b"version=535.183.01\0supported=external\0license=NVIDIA\0srcversion=ABC\0parm=x:y\0";
        assert_eq!(value(strings, b"version").as_deref(), Some("535.183.01"));
        assert_eq!(value(strings, b"license").as_deref(), Some("NVIDIA"));
        assert_eq!(value(strings, b"signer"), None);
    }

    #[test]
    fn the_signer_is_the_issuers_common_name() {
        let mut signature = vec![0x30, 0x20, 0x06, 0x03, 0x55, 0x04, 0x03, 0x0c, 23];
        signature.extend(b"DKMS module signing key");
        let mut file = b"code".to_vec();
        file.extend(&signature);
        file.extend([0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, signature.len() as u8]);
        file.extend(MARK);
        assert_eq!(signer(&file).as_deref(), Some("DKMS module signing key"));
        assert_eq!(signer(b"code"), None);
        assert_eq!(signer(MARK).as_deref(), Some("?"));
    }

    #[test]
    fn the_systems_modinfo_is_read() {
        let text = "filename:       /lib/modules/6.8.0-40-generic/updates/dkms/nvidia.ko.zst\nalias:          char-major-195-*\n\
                    version:        535.183.01\nlicense:        NVIDIA\nsig_id:         PKCS#7\n\
                    signer:         host Secure Boot Module Signature key\nsig_key:        52:12\n";
        let info = parse(text);
        assert_eq!((info.version.as_deref(), info.license.as_deref()), (Some("535.183.01"), Some("NVIDIA")));
        assert_eq!(info.signer.as_deref(), Some("host Secure Boot Module Signature key"));
        assert_eq!(parse("license:        Dual MIT/GPL\n").signer, None);
        assert_eq!(parse("sig_id:         PKCS#7\nsigner:         \n").signer.as_deref(), Some("?"));
    }

    #[test]
    fn what_is_no_elf_file_has_no_sections() {
        assert!(section_table(b"").is_none());
        assert!(section_table(b"\x7fELF\x01\x01").is_none());
        assert!(section_table(b"\x7fELF\x02\x01").is_none());
    }
}
