//! What a fact, a result or a root cause is about.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The kinds of thing that can be well or ill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The whole machine (or container), seen from this process.
    Machine,
    /// One GPU, by PCI address (`0000:01:00.0`), or by what its reader calls it where no address is known (`cuda:0`).
    Gpu,
    /// One file: a device node, a library, a program; by path.
    File,
    /// One Python environment, by its prefix.
    Environment,
    /// One framework in one environment: `torch@PREFIX`.
    Framework,
    /// One probe of this program, by name.
    Probe,
    /// One environment variable, by name.
    Variable,
}

/// A kind and an identifier. The machine has the identifier `machine`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Subject {
    /// What kind of thing.
    pub kind: Kind,
    /// Which one of its kind.
    pub id: String,
}

impl Subject {
    /// The machine, as this process sees it.
    pub fn machine() -> Subject {
        Subject::new(Kind::Machine, "machine")
    }

    /// The GPU at a PCI address, in any of the spellings that tools print.
    pub fn gpu(address: &str) -> Subject {
        Subject::new(Kind::Gpu, pci_address(address).unwrap_or_else(|| address.to_string()))
    }

    /// A file by its path.
    pub fn file(path: impl Into<String>) -> Subject {
        Subject::new(Kind::File, path)
    }

    /// A Python environment by its prefix.
    pub fn environment(prefix: impl Into<String>) -> Subject {
        Subject::new(Kind::Environment, prefix)
    }

    /// A framework in the environment with this prefix.
    pub fn framework(name: &str, prefix: &str) -> Subject {
        Subject::new(Kind::Framework, format!("{name}@{prefix}"))
    }

    /// A probe of this program.
    pub fn probe(name: &str) -> Subject {
        Subject::new(Kind::Probe, name)
    }

    /// An environment variable.
    pub fn variable(name: &str) -> Subject {
        Subject::new(Kind::Variable, name)
    }

    /// Any subject.
    pub fn new(kind: Kind, id: impl Into<String>) -> Subject {
        Subject { kind, id: id.into() }
    }

    /// For a framework: its name and the prefix of its environment.
    pub fn framework_parts(&self) -> Option<(&str, &str)> {
        (self.kind == Kind::Framework).then(|| self.id.split_once('@'))?
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.kind, self.framework_parts()) {
            (Kind::Machine, _) => f.write_str("machine"),
            (Kind::Gpu, _) => write!(f, "GPU {}", self.id),
            (Kind::Framework, Some((name, prefix))) => write!(f, "{name} in {prefix}"),
            _ => f.write_str(&self.id),
        }
    }
}

/// Brings a PCI address to the form `dddd:bb:dd.f`, lower case: NVML writes an eight-digit domain, the kernel log leaves
/// the function out, CUDA writes capitals. Returns nothing for text that is no address.
pub fn pci_address(text: &str) -> Option<String> {
    let hex =
        |s: &str, most: usize| (!s.is_empty() && s.len() <= most).then(|| u32::from_str_radix(s, 16).ok()).flatten();
    let parts: Vec<&str> = text.trim().split(':').collect();
    let (domain, bus, rest) = match parts[..] {
        [bus, rest] => (0, hex(bus, 2)?, rest),
        [domain, bus, rest] => (hex(domain, 8)?, hex(bus, 2)?, rest),
        _ => return None,
    };
    let (device, function) = rest.split_once('.').unwrap_or((rest, "0"));
    Some(format!("{domain:04x}:{bus:02x}:{:02x}.{:x}", hex(device, 2)?, hex(function, 1)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_an_address_is_the_same_gpu() {
        for text in ["0000:01:00.0", "00000000:01:00.0", "0000:01:00", "01:00.0", "00000000:01:00.0 "] {
            assert_eq!(Subject::gpu(text).id, "0000:01:00.0", "{text}");
        }
        assert_eq!(pci_address("0000:0B:00.0").as_deref(), Some("0000:0b:00.0"));
        assert_eq!(pci_address("10de:2684"), None);
        assert_eq!(pci_address("cuda:0"), None);
        assert_eq!(pci_address(""), None);
    }
}
