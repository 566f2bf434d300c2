//! `nvidia-smi -q`, whole or an excerpt: headings, and below them `Name : value`.

use super::parts::{self, label};
use super::{Found, Line, Reader};
use crate::facts::nvidia::{self, Ecc, Fabric, Mig, Pcie};
use crate::subject::{Subject, pci_address};

/// Reads it.
#[derive(Default)]
pub struct SmiQuery {
    gpu: Option<Subject>,
    /// The headings under which the line stands, the nearest last.
    heading: String,
    ecc: Ecc,
    ecc_seen: bool,
    volatile: bool,
    pcie: [Option<u32>; 4],
    fabric: Option<u32>,
    reasons: u64,
    reasons_seen: bool,
    mig: Option<(bool, bool)>,
    /// Lines that are awaited after the last one of a list.
    left: u32,
}

/// Lines of a list between two that are known.
const GAP: u32 = 80;

/// Headings that matter, in lower case.
const HEADINGS: &[&str] = &[
    "volatile",
    "aggregate",
    "fabric",
    "remapped rows",
    "ecc mode",
    "mig mode",
    "link width",
    "pcie generation",
    "clocks event reasons",
    "clocks throttle reasons",
    "gpu link info",
    "ecc errors",
    "vgpu software licensed product",
    "gpu virtualization mode",
];

/// Bits of NVML's clock event reasons by the words of `-q`.
const REASONS: &[(&str, u64)] = &[
    ("idle", 1),
    ("applications clocks setting", 2),
    ("sw power cap", 4),
    ("hw slowdown", 8),
    ("sync boost", 0x10),
    ("sw thermal slowdown", 0x20),
    ("hw thermal slowdown", 0x40),
    ("hw power brake slowdown", 0x80),
    ("hw power brake", 0x80),
    ("display clock setting", 0x100),
];

impl Reader for SmiQuery {
    fn waits(&self) -> bool {
        self.left > 0
    }

    fn line(&mut self, line: Line, found: &mut Found) {
        let text = line.text.trim();
        self.left = self.left.saturating_sub(1);
        if let Some(address) = text.strip_prefix("GPU ").and_then(|rest| pci_address(rest.trim())) {
            self.finish(found);
            self.gpu = Some(Subject::gpu(&address));
            self.left = GAP;
            return;
        }
        // `Name                : value`: a blank before the colon tells it from prose.
        let Some((key, value)) = label(text).filter(|_| text.contains(" : ") || text.ends_with(':')) else {
            if !text.is_empty() && text.len() < 40 && !text.contains(['|', '=', ':', '$']) {
                self.heading = text.to_ascii_lowercase();
                if HEADINGS.contains(&self.heading.as_str()) {
                    self.left = GAP;
                }
                match self.heading.as_str() {
                    "volatile" => self.volatile = true,
                    "aggregate" => self.volatile = false,
                    _ => {}
                }
            }
            return;
        };
        self.field(&key, value, found);
    }

    fn end(&mut self, found: &mut Found) {
        self.finish(found);
    }
}

impl SmiQuery {
    fn gpu(&self) -> Subject {
        self.gpu.clone().unwrap_or_else(|| parts::gpu_number(0))
    }

    fn field(&mut self, key: &str, value: &str, found: &mut Found) {
        let gpu = self.gpu();
        let machine = Subject::machine();
        let yes = |value: &str| match value {
            "Yes" | "Active" | "Enabled" => Some(true),
            "No" | "Not Active" | "Disabled" => Some(false),
            _ => None,
        };
        match (self.heading.as_str(), key) {
            (_, "driver version") if self.gpu.is_some() || parts::version(value).is_some_and(|v| v.contains('.')) => {
                if let Some(version) = parts::version(value) {
                    found.seen(&nvidia::NVML_DRIVER, &machine, version.to_string());
                }
            }
            (_, "attached gpus") => {
                if let Ok(count) = value.parse::<u32>() {
                    found.seen(&nvidia::NVML_INIT, &machine, 0);
                    found.seen(&nvidia::NVML_COUNT, &machine, count);
                }
            }
            ("vgpu software licensed product", "license status") => {
                // `Licensed (Expiry: ...)`, `Unlicensed (Unrestricted)`, `N/A` for a physical card.
                match parts::word(value) {
                    "Licensed" => found.seen(&nvidia::NVML_VGPU_LICENSED, &gpu, true),
                    "Unlicensed" => found.seen(&nvidia::NVML_VGPU_LICENSED, &gpu, false),
                    _ => {}
                }
            }
            // The name of the licence, not of the card.
            ("vgpu software licensed product", _) => {}
            (_, "virtualization mode") => {
                let mode = match value.to_ascii_lowercase().as_str() {
                    "none" => "none",
                    "pass-through" => "pass-through",
                    "vgpu" => "vgpu",
                    "host vgpu" => "host-vgpu",
                    "host vsga" => "host-vsga",
                    _ => return,
                };
                found.seen(&nvidia::NVML_VIRTUALIZATION, &gpu, mode.to_string());
            }
            (_, "product name") if self.gpu.is_some() => {
                found.seen(&nvidia::NVML_HANDLE, &gpu, 0);
                found.seen(&nvidia::NVML_NAME, &gpu, value.to_string());
            }
            (_, "gpu uuid") => found.seen(&nvidia::NVML_UUID, &gpu, value.to_string()),
            (_, "compute mode") => {
                let mode = match value {
                    "Default" => "default",
                    "Exclusive_Process" | "Exclusive_Thread" => "exclusive_process",
                    "Prohibited" => "prohibited",
                    _ => return,
                };
                found.seen(&nvidia::NVML_COMPUTE_MODE, &gpu, mode.to_string());
            }
            (_, "persistence mode") => {
                if let Some(is) = yes(value) {
                    found.seen(&nvidia::NVML_PERSISTENCE, &gpu, is);
                }
            }
            ("mig mode", "current") => self.mig = yes(value).map(|is| (is, is)),
            ("mig mode", "pending") => self.mig = self.mig.zip(yes(value)).map(|((now, _), pending)| (now, pending)),
            ("fabric", "state") => {
                self.fabric = match value.to_ascii_lowercase().as_str() {
                    "n/a" | "not supported" => Some(0),
                    "not started" => Some(1),
                    "in progress" => Some(2),
                    "completed" => Some(3),
                    _ => None,
                };
            }
            ("fabric", "status") => {
                if let Some(state) = self.fabric.take() {
                    let status = if value.eq_ignore_ascii_case("success") || value == "N/A" { 0 } else { 999 };
                    found.seen(&nvidia::NVML_FABRIC, &gpu, Fabric { state, status });
                }
            }
            ("ecc mode", "current") => (self.ecc.enabled, self.ecc_seen) = (yes(value), true),
            ("remapped rows", "pending") => (self.ecc.remap_pending, self.ecc_seen) = (yes(value), true),
            ("remapped rows", "remapping failure occurred") => {
                (self.ecc.remap_failure, self.ecc_seen) = (yes(value), true);
            }
            (_, "remapping failure occurred") => (self.ecc.remap_failure, self.ecc_seen) = (yes(value), true),
            (
                _,
                "dram uncorrectable"
                | "sram uncorrectable"
                | "sram uncorrectable parity"
                | "sram uncorrectable sec-ded",
            ) => {
                if let Ok(count) = value.parse::<u64>() {
                    let sum = match self.volatile {
                        true => &mut self.ecc.uncorrected_volatile,
                        false => &mut self.ecc.uncorrected_aggregate,
                    };
                    *sum = Some(sum.unwrap_or(0).saturating_add(count));
                    self.ecc_seen = true;
                }
            }
            (_, "gpu recovery action") => {
                let action = match value.to_ascii_lowercase().as_str() {
                    "none" => 0,
                    "reset" | "gpu reset" | "reset gpu" => 1,
                    "reboot" | "node reboot" | "node reboot required" => 2,
                    "drain p2p" => 3,
                    "drain and reset" => 4,
                    _ => return,
                };
                found.seen(&nvidia::NVML_RECOVERY, &gpu, action as u32);
            }
            ("pcie generation", "max") => self.pcie[1] = number(value),
            ("pcie generation", "current") => self.pcie[0] = number(value),
            ("link width", "max") => self.pcie[3] = number(value),
            ("link width", "current") => {
                self.pcie[2] = number(value);
                if let [Some(generation), Some(generation_max), Some(width), Some(width_max)] = self.pcie {
                    let pcie = Pcie { generation, generation_max, width, width_max };
                    found.seen(&nvidia::NVML_PCIE, &gpu, pcie);
                }
            }
            (_, reason) if REASONS.iter().any(|(name, _)| *name == reason) => {
                self.reasons_seen = true;
                if yes(value) == Some(true) {
                    self.reasons |= REASONS.iter().find(|(name, _)| *name == reason).map_or(0, |(_, bit)| *bit);
                }
            }
            _ => {}
        }
    }

    /// The part of one GPU is over.
    fn finish(&mut self, found: &mut Found) {
        let gpu = self.gpu();
        if let Some(state) = self.fabric {
            found.seen(&nvidia::NVML_FABRIC, &gpu, Fabric { state, status: 0 });
        }
        if self.ecc_seen {
            found.seen(&nvidia::NVML_ECC, &gpu, self.ecc.clone());
        }
        if self.reasons_seen {
            found.seen(&nvidia::NVML_CLOCK_REASONS, &gpu, self.reasons);
        }
        // Instances stand elsewhere (`-L`), so only that it is off says all.
        if let Some((false, pending)) = self.mig {
            found.seen(&nvidia::NVML_MIG, &gpu, Mig { enabled: false, pending, instances: Vec::new() });
        }
        *self = SmiQuery::default();
    }
}

/// `4`, `16x`, `4 (16 GT/s)`.
fn number(value: &str) -> Option<u32> {
    parts::number(value).and_then(|n| u32::try_from(n).ok())
}
