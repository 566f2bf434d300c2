//! The kernel log in all its spellings: dmesg with and without times, journalctl, syslog; NVRM, Xid, SXid, nouveau, module
//! loading, bus errors.
//!
//! A message of several lines is put together: the driver writes sentences over five lines, each with its `NVRM:`.

use super::finder::Finder;
use super::messages::Messages;
use super::parts::{after, has, version};
use super::{Found, Line, Reader};
use crate::facts::kernel;
use crate::subject::Subject;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::LazyLock;

/// Words that make a line one of the kernel's about GPUs.
const WORDS: &[&str] = &[
    "NVRM:",
    "nvidia-nvlink:",
    "nvidia-modeset:",
    "nvidia-uvm:",
    "nvidia_uvm:",
    "nvidia: module",
    "nvidia: loading",
    "nvidia: version magic",
    "nvidia 0000:",
    "[drm] [nvidia-drm]",
    "nouveau 0000:",
    "nouveau:",
    "SXid",
    "kfd kfd:",
    "amdgpu 0000:",
    "amdgpu:",
    "PCIe Bus Error",
    "AER:",
    "Lockdown:",
    "lockdown:",
    "secureboot:",
    "Secure boot",
    "Loading of unsigned module",
    "Loading of module with",
    "PKCS#7 signature",
    "BAR 1: no space",
    "BAR 1: failed",
    "BAR 15: no space",
    "BAR 15: failed",
    "BAR 0: no space",
    "can't change power state",
    "Unable to change power state",
    "Refused to change power state",
    "link is down",
    "Card not present",
    "Slot(",
    "request_free_mem_region",
    "vgaarb:",
    "vfio-pci 0000:",
    "i915 0000:",
    "xe 0000:",
];

/// The most that is kept of a message, in characters.
const LONGEST: usize = 600;

/// Reads it.
#[derive(Default)]
pub struct KernelLog {
    open: Option<(String, u64, usize)>,
    /// How often a message was seen, whatever its numbers.
    shapes: HashMap<u64, u32>,
}

impl Reader for KernelLog {
    fn waits(&self) -> bool {
        self.open.is_some()
    }

    fn line(&mut self, line: Line, found: &mut Found) {
        let text = line.text.trim();
        // All words but a few hold one of these bytes; most lines of a log hold none of the words.
        if text.len() < 8 || text.len() > 2000 {
            return self.flush(found);
        }
        if !is_kernels(text) {
            return self.flush(found);
        }
        if let Some((message, _, lines)) = &mut self.open
            && let Some(rest) = continuation(text)
            && *lines < 12
            && message.len() < LONGEST
        {
            message.push(' ');
            message.push_str(rest);
            *lines += 1;
            return;
        }
        self.flush(found);
        self.open = Some((text.to_string(), line.number, 1));
    }

    fn end(&mut self, found: &mut Found) {
        self.flush(found);
    }
}

impl KernelLog {
    fn flush(&mut self, found: &mut Found) {
        let Some((message, number, lines)) = self.open.take() else { return };
        let here = found.line_number();
        found.set_line(number);
        if lines > 1 {
            // What is known of a message may stand across its lines.
            Messages::new().line(Line { text: &message, number }, found);
        }
        let machine = Subject::machine();
        module(&message, found);
        if self.is_news(&message) {
            let kept: String = message.chars().take(LONGEST).collect();
            found.seen(&kernel::LOG_LINE, &machine, kept);
        }
        found.set_line(here);
    }
}

/// The most messages of one shape that are kept, and the most shapes.
const ALIKE: u32 = 12;
const SHAPES: usize = 4096;

impl KernelLog {
    /// A log that says a thing a thousand times, each time with other numbers, must not hide what it says once.
    fn is_news(&mut self, message: &str) -> bool {
        let mut hasher = DefaultHasher::new();
        message.bytes().filter(u8::is_ascii_alphabetic).for_each(|b| b.hash(&mut hasher));
        // Xids are told apart by their number.
        crate::tables::xid::parse(message).hash(&mut hasher);
        if self.shapes.len() >= SHAPES {
            return false;
        }
        let count = self.shapes.entry(hasher.finish()).or_default();
        *count += 1;
        *count <= ALIKE
    }
}

fn is_kernels(text: &str) -> bool {
    static INDEX: LazyLock<Finder> = LazyLock::new(|| Finder::new(WORDS));
    INDEX.is_in(text)
}

/// What a line adds to the message before: a line of the driver's without a time, that does not begin a sentence.
fn continuation(text: &str) -> Option<&str> {
    let at = text.find("NVRM:")?;
    let rest = &text[at + 5..];
    let message = rest.trim_start();
    let bare = at == 0;
    let indented = rest.starts_with("  ");
    let goes_on = message.starts_with(|c: char| c.is_ascii_lowercase())
        || message.starts_with("BAR")
        || message.starts_with("System Processor");
    (!message.is_empty()
        && !message.starts_with("Xid")
        && !has(message, "loading NVIDIA")
        && (bare && (indented || goes_on)
            || (indented && goes_on)
            || (bare && (message.starts_with("Please see") || message.starts_with("Firmware")))))
    .then_some(message)
}

/// Version and flavour of the module that says it is being loaded, and of one that complains about a client.
pub fn module(text: &str, found: &mut Found) {
    let machine = Subject::machine();
    if let Some(rest) = after(text, "NVIDIA UNIX") {
        let open = has(rest, "Open Kernel Module");
        // `x86_64 Kernel Module  470.223.02` and `Open Kernel Module for x86_64  580.95.05`.
        let number = rest.split_whitespace().find_map(|word| version(word).filter(|v| v.contains('.') && v.len() > 4));
        if let Some(number) = number {
            found.seen(&kernel::MODULE_VERSION, &machine, number.to_string());
            let flavour = if open { "open" } else { "closed" };
            found.seen(&kernel::MODULE_FLAVOUR, &machine, flavour.to_string());
        }
    }
    if let Some(rest) = after(text, "kernel module has the version") {
        if let Some(number) = version(rest) {
            found.seen(&kernel::MODULE_VERSION, &machine, number.to_string());
        }
        if let Some(client) = after(text, "client has the version").and_then(version) {
            found.library(client);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::read_str;
    use crate::facts::kernel;

    #[test]
    fn a_message_over_several_lines_is_one() {
        let text = "[ 1157.046099] NVRM: The NVIDIA GPU 0000:af:00.0 (PCI ID: 10de:1db5)\n               NVRM: installed in this system is not supported by open\n               NVRM: nvidia.ko because it does not include the required GPU\n[ 1157.1] NVRM: None of the NVIDIA devices were initialized.\n";
        let facts = read_str(text);
        let lines: Vec<String> = facts.all(&kernel::LOG_LINE).map(|(line, _)| line).collect();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].ends_with("is not supported by open nvidia.ko because it does not include the required GPU"));
    }

    #[test]
    fn the_module_says_its_version_and_flavour() {
        let facts = read_str("NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build\n");
        assert_eq!(facts.value(&kernel::MODULE_VERSION).as_deref(), Some("580.95.05"));
        assert_eq!(facts.value(&kernel::MODULE_FLAVOUR).as_deref(), Some("open"));
        let facts =
            read_str("NVRM version: NVIDIA UNIX x86_64 Kernel Module  520.56.06  Thu Oct  6 21:38:55 UTC 2022\n");
        assert_eq!(facts.value(&kernel::MODULE_VERSION).as_deref(), Some("520.56.06"));
        assert_eq!(facts.value(&kernel::MODULE_FLAVOUR).as_deref(), Some("closed"));
    }
}
