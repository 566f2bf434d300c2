//! What is wrong with an interpreter as it lies there: the Python under a virtual environment is gone, the program is one for
//! another processor, or conda's scripts would set what nobody set.

use super::{layout, lines};
use crate::facts::python::Trouble;
use crate::machine::Machine;
use std::path::Path;

/// Scripts of one environment that are read.
const MOST_SCRIPTS: usize = 50;
/// The variables that decide where libraries come from.
const OF_LIBRARIES: [&str; 3] = ["LD_LIBRARY_PATH", "LD_PRELOAD", "DYLD_LIBRARY_PATH"];

/// What is wrong, worst first.
pub fn troubles(machine: &Machine, prefix: &Path, program: &Path) -> Vec<Trouble> {
    let mut found = Vec::new();
    found.extend(base_missing(machine, prefix, program));
    found.extend(architecture(machine, program));
    found.extend(activation(machine, prefix));
    found
}

/// The program is a link to nothing, or `home` of `pyvenv.cfg` is no folder any more.
fn base_missing(machine: &Machine, prefix: &Path, program: &Path) -> Option<Trouble> {
    let trouble = |missing: &Path, detail: String| {
        let file = Some(missing.display().to_string());
        Some(Trouble { kind: "base_missing".to_string(), detail, file })
    };
    if machine.exists(program) {
        let settings = layout::settings(machine, prefix)?;
        let home = Path::new(layout::setting(&settings, "home")?);
        // A relative one is of no tool that is known.
        let gone = home.is_absolute() && !machine.exists(home);
        return gone.then(|| trouble(home, format!("pyvenv.cfg says that its Python is in {}", home.display())))?;
    }
    let target = machine.link(program).ok()?;
    // bin/python is often a link to bin/python3, and only that one leads out.
    let inside = program.parent().map(|folder| folder.join(&target)).filter(|path| machine.link(path).is_ok());
    let target = inside.and_then(|path| machine.link(path).ok()).unwrap_or(target);
    trouble(&target, format!("{} leads to {}", program.display(), target.display()))
}

/// The program is made for another processor than this machine's.
fn architecture(machine: &Machine, program: &Path) -> Option<Trouble> {
    let made_for = machine_of(&machine.range(program, 0, 4096).ok()?)?;
    let here = std::env::consts::ARCH;
    // A 64-bit x86 runs 32-bit programs as well.
    let runs = made_for == here || (made_for == "x86" && here == "x86_64") || cfg!(not(target_os = "linux"));
    (!runs).then(|| Trouble {
        kind: "architecture".to_string(),
        detail: format!("it is made for {made_for}, and this machine is {here}"),
        file: Some(program.display().to_string()),
    })
}

/// The processor that a program of Linux is made for, from its ELF header.
pub fn machine_of(header: &[u8]) -> Option<&'static str> {
    if header.len() < 20 || !header.starts_with(b"\x7fELF") {
        return None;
    }
    let bytes = [header[18], header[19]];
    let number = if header[5] == 2 { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) };
    Some(match number {
        3 => "x86",
        21 => "powerpc64",
        22 => "s390x",
        40 => "arm",
        62 => "x86_64",
        183 => "aarch64",
        243 => "riscv64",
        258 => "loongarch64",
        _ => return None,
    })
}

/// Whether a program is one of 32 or of 64 bits, from the header of ELF or of Windows' PE.
pub fn bits(header: &[u8]) -> Option<u32> {
    if header.starts_with(b"\x7fELF") {
        return match header.get(4)? {
            1 => Some(32),
            2 => Some(64),
            _ => None,
        };
    }
    if header.starts_with(b"MZ") {
        let at = u32::from_le_bytes(header.get(0x3c..0x40)?.try_into().ok()?) as usize;
        let machine = header.get(at..at.checked_add(6)?)?.strip_prefix(b"PE\0\0")?;
        return match machine {
            [0x4c, 0x01] | [0xc4, 0x01] => Some(32),
            [0x64, 0x86] | [0x64, 0xaa] => Some(64),
            _ => None,
        };
    }
    None
}

/// Scripts of `activate.d`, and variables of `conda env config vars`, that set a search path for libraries, in an environment
/// that is not activated here.
fn activation(machine: &Machine, prefix: &Path) -> Option<Trouble> {
    let active = machine.variable("CONDA_PREFIX").is_some_and(|active| Path::new(&active) == prefix);
    if active || !machine.exists(prefix.join("conda-meta")) {
        return None;
    }
    let trouble = |variable: &str, file: &Path| Trouble {
        kind: "not_activated".to_string(),
        detail: variable.to_string(),
        file: Some(file.display().to_string()),
    };
    let state = prefix.join("conda-meta/state");
    if let Ok(text) = machine.text(&state)
        && let Ok(value) = serde_json::from_str::<serde_json::Value>(&text)
        && let Some(variable) = OF_LIBRARIES.iter().find(|name| value["env_vars"][**name].is_string())
    {
        return Some(trouble(variable, &state));
    }
    let folder = prefix.join("etc/conda/activate.d");
    let scripts = machine.list(&folder).unwrap_or_default();
    scripts.iter().filter(|name| name.ends_with(".sh")).take(MOST_SCRIPTS).find_map(|name| {
        let file = folder.join(name);
        let text = machine.text(&file).ok()?;
        Some(trouble(OF_LIBRARIES.iter().find(|variable| lines::exports(&text, variable))?, &file))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first bytes of a program: class 1 is 32 bits, byte order 1 is little-endian.
    fn elf(class: u8, order: u8, machine: [u8; 2]) -> Vec<u8> {
        let mut header = b"\x7fELF".to_vec();
        header.extend([class, order, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0]);
        header.extend(machine);
        header
    }

    #[test]
    fn headers_tell_the_processor_and_the_bits() {
        assert_eq!(machine_of(&elf(2, 1, [183, 0])), Some("aarch64"));
        assert_eq!(machine_of(&elf(2, 1, [62, 0])), Some("x86_64"));
        assert_eq!(machine_of(&elf(2, 2, [0, 22])), Some("s390x"));
        assert_eq!(machine_of(b"#!/bin/sh"), None);
        assert_eq!(bits(&elf(1, 1, [3, 0])), Some(32));
        assert_eq!(bits(&elf(2, 1, [62, 0])), Some(64));
        let mut pe = vec![0; 0x80];
        pe[..2].copy_from_slice(b"MZ");
        pe[0x3c] = 0x40;
        pe[0x40..0x46].copy_from_slice(b"PE\0\0\x64\x86");
        assert_eq!(bits(&pe), Some(64));
        pe[0x44..0x46].copy_from_slice(&[0x4c, 0x01]);
        assert_eq!(bits(&pe), Some(32));
        pe[0x3c..0x40].copy_from_slice(&[0xff; 4]);
        assert_eq!(bits(&pe), None);
        assert_eq!(bits(b"MZ"), None);
    }
}
