//! The kernel log, where it can be read: the lines that speak of NVIDIA, of module signatures, and of the GPUs' places on
//! the bus.

use crate::facts::{Facts, kernel, pci};
use crate::machine::Machine;
use crate::subject::Subject;

const NODE: &str = "/dev/kmsg";
/// Lines that are kept: the first half and the last half of more. What comes first tells the cause, what comes last the
/// state now.
const MOST: usize = 500;
/// Characters of a line that are kept.
const MOST_CHARACTERS: usize = 400;

/// Adds the lines that matter, and how many were read.
pub fn look(machine: &Machine, facts: &mut Facts) {
    let here = Subject::machine();
    let gpus: Vec<String> = facts
        .all(&pci::VENDOR)
        .filter(|(vendor, _)| vendor == "0x10de")
        .filter_map(|(_, fact)| Some(fact.subject.id.rsplit_once('.')?.0.to_string()))
        .collect();
    let mut kept = Kept::default();
    let read = machine.kernel_log(|line| {
        if matters(line, &gpus) {
            kept.add(line);
        }
    });
    match read {
        Ok(count) => {
            facts.seen(&kernel::LOG, &here, count, NODE);
            for line in kept.first.into_iter().chain(kept.last) {
                facts.seen(&kernel::LOG_LINE, &here, line, "kernel log");
            }
        }
        Err(e) => facts.failed(&kernel::LOG, &here, reason(&e), NODE),
    }
}

fn reason(e: &std::io::Error) -> String {
    match e.kind() {
        std::io::ErrorKind::PermissionDenied => "reading the kernel log needs root".to_string(),
        std::io::ErrorKind::NotFound => "there is no kernel log here".to_string(),
        _ => e.to_string(),
    }
}

#[derive(Default)]
struct Kept {
    first: Vec<String>,
    last: std::collections::VecDeque<String>,
}

impl Kept {
    fn add(&mut self, line: &str) {
        let line = line.chars().take(MOST_CHARACTERS).collect();
        if self.first.len() < MOST / 2 {
            self.first.push(line);
            return;
        }
        if self.last.len() == MOST / 2 {
            self.last.pop_front();
        }
        self.last.push_back(line);
    }
}

/// Words that make a line matter, in lower case.
const WORDS: [&str; 14] = [
    "nvrm",
    "nvidia",
    "nouveau",
    "sxid",
    "nvswitch",
    "vfio-pci",
    "module verification failed",
    "unsigned module",
    "key was rejected",
    "unavailable key",
    "secureboot",
    "secure boot",
    "lockdown:",
    "locked down",
];

/// Whether a line is kept. A GPU's address alone is enough: bus errors and windows without room name it.
fn matters(line: &str, gpus: &[String]) -> bool {
    let lower = line.to_ascii_lowercase();
    // A program that crashed inside a library is no line of the driver's; and the kernel's command line, with secrets or
    // not, is read elsewhere, in part.
    if lower.contains(": segfault at ") || lower.contains("command line") {
        return false;
    }
    WORDS.iter().any(|word| lower.contains(word)) || gpus.iter().any(|gpu| lower.contains(gpu.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_about_the_gpu_are_kept_and_others_are_not() {
        let gpus = ["0000:01:00".to_string()];
        for line in [
            "[    5.1] NVRM: The NVIDIA probe routine was not called for 1 device(s).",
            "[    5.2] nouveau 0000:01:00.0: fifo: fault 01",
            "[    1.0] pci 0000:01:00.0: BAR 1: no space for [mem size 0x800000000 64bit pref]",
            "[    9.0] Loading of unsigned module is rejected",
            "[    9.0] Loading of module with unavailable key is rejected",
            "[    0.0] secureboot: Secure boot enabled",
            "[    9.1] Lockdown: modprobe: unsigned module loading is restricted; see man kernel_lockdown.7",
            "[   14.3] pcieport 0000:00:01.0: AER: Corrected error received: 0000:01:00.0",
        ] {
            assert!(matters(line, &gpus), "{line}");
        }
        let crash = "[    3.0] python[66]: segfault at 0 ip 00007f57 error 6 in libnvidia-ml.so.535.183.01";
        let arguments = "[    0.0] Kernel command line: root=/dev/sda1 nvidia-drm.modeset=1 password=x";
        assert!(!matters(arguments, &gpus));
        for line in ["[    1.0] pci 0000:02:00.0: BAR 0: assigned", "[    2.0] usb 1-1: new device", crash, ""] {
            assert!(!matters(line, &gpus), "{line}");
        }
    }

    #[test]
    fn of_too_many_lines_the_ends_are_kept() {
        let mut kept = Kept::default();
        for number in 0..1000 {
            kept.add(&number.to_string());
        }
        assert_eq!((kept.first.len(), kept.last.len()), (250, 250));
        assert_eq!(kept.first.last().map(String::as_str), Some("249"));
        assert_eq!(kept.last.front().map(String::as_str), Some("750"));
        assert_eq!(kept.last.back().map(String::as_str), Some("999"));
    }
}
