//! Access control (ACS) of the PCIe bridges above the GPUs: where it redirects, traffic between two GPUs takes the way through
//! the root complex. Looked at only where there are two GPUs, and never by waking a bridge up.

use crate::facts::links::{self, Acs};
use crate::facts::{Facts, pci};
use crate::machine::Machine;
use crate::subject::{Subject, pci_address};

const BUS: &str = "/sys/bus/pci/devices";
/// Where PCI Express keeps the list of a function's further capabilities, and how much there can be of it.
const EXTENDED: usize = 0x100;
const WHOLE: u64 = 4096;
/// The number of the ACS capability in that list.
const ACS: u16 = 0x000d;

/// Fills `links::ACS` of each NVIDIA GPU of a machine with several.
pub fn look(machine: &Machine, facts: &mut Facts) {
    let gpus: Vec<Subject> = facts
        .all(&pci::VENDOR)
        .filter(|(vendor, _)| vendor == "0x10de")
        .map(|(_, fact)| fact.subject.clone())
        .collect();
    if gpus.len() < 2 {
        return;
    }
    for gpu in gpus {
        // The entry on the bus is a link to the place in the tree of bridges.
        let Ok(place) = machine.link(format!("{BUS}/{}", gpu.id)) else { continue };
        let names = place.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
        let bridges = names.filter(|name| pci_address(name).as_deref() == Some(name) && *name != gpu.id);
        let (mut found, mut hidden) = (Vec::new(), None);
        for bridge in bridges {
            let path = format!("{BUS}/{bridge}/config");
            let power = |file: &str| machine.line(format!("{BUS}/{bridge}/{file}")).unwrap_or_default();
            if power("power/runtime_status") == "suspended" || power("power_state") == "D3cold" {
                hidden = Some((format!("the bridge {bridge} is asleep and was not woken up"), path));
                continue;
            }
            match machine.range(&path, 0, WHOLE) {
                // What the kernel shows to everybody.
                Ok(bytes) if bytes.len() <= 64 => {
                    let why = format!(
                        "without root only the first 64 bytes of the configuration space of {bridge} can be read"
                    );
                    hidden = Some((why, path));
                }
                Ok(bytes) => {
                    found.extend(control(&bytes).map(|control| Acs { bridge: bridge.clone(), control: control.into() }))
                }
                Err(e) => hidden = Some((e.to_string(), path)),
            }
        }
        match hidden {
            Some((why, path)) if found.is_empty() => facts.failed(&links::ACS, &gpu, why, path),
            _ => facts.seen(&links::ACS, &gpu, found, format!("{BUS}/{}", gpu.id)),
        }
    }
}

/// The ACS control register of a function's configuration space; nothing where it has no such capability.
fn control(config: &[u8]) -> Option<u16> {
    let word = |at: usize| Some(u16::from_le_bytes(config.get(at..at + 2)?.try_into().ok()?));
    let mut at = EXTENDED;
    // Each entry is four bytes at least, so the list cannot be longer than this.
    for _ in 0..(WHOLE as usize - EXTENDED) / 4 {
        let (id, next) = (word(at)?, usize::from(word(at + 2)? >> 4));
        if id == ACS {
            return word(at + 6);
        }
        if next < EXTENDED {
            return None;
        }
        at = next;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::control;

    /// A configuration space with a capability at 0x100 that points to one at 0x140.
    fn config(second: u16, control: u16) -> Vec<u8> {
        let mut bytes = vec![0; 4096];
        // Advanced error reporting, version 1, next at 0x140.
        bytes[0x100..0x104].copy_from_slice(&[0x01, 0x00, 0x01, 0x14]);
        bytes[0x140..0x142].copy_from_slice(&second.to_le_bytes());
        bytes[0x146..0x148].copy_from_slice(&control.to_le_bytes());
        bytes
    }

    #[test]
    fn the_register_is_found_in_the_list_of_capabilities() {
        assert_eq!(control(&config(0x000d, 0x1d)), Some(0x1d));
        assert_eq!(control(&config(0x0003, 0x1d)), None);
        assert_eq!(control(&[0; 64]), None);
        // A list that points to itself has an end all the same.
        let mut circle = config(0x0003, 0);
        circle[0x142..0x144].copy_from_slice(&0x1000u16.to_le_bytes());
        assert_eq!(control(&circle), None);
    }
}
