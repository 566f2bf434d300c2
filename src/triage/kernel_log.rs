//! The kernel log in all its spellings: dmesg with and without times, journalctl, syslog; NVRM, Xid, SXid, nouveau, module
//! loading, bus errors.
//!
//! A message of several lines is put together: the driver writes sentences over five lines, each with its `NVRM:`.

use super::finder::Finder;
use super::gate::{self, Marks};
use super::messages::Messages;
use super::parts::{after, has, version};
use super::{Found, Line, Reader};
use crate::facts::kernel;
use crate::subject::Subject;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
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
    open: Option<Open>,
    /// How often a message was seen, whatever its numbers.
    shapes: HashMap<u64, u32>,
    /// How many were kept.
    kept: u32,
    /// For messages of several lines.
    messages: Messages,
}

/// A message that may go on.
struct Open {
    message: String,
    /// Number of its first line.
    number: u64,
    lines: usize,
    marks: Marks,
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
        if let Some(open) = &mut self.open
            && let Some(rest) = continuation(text)
            && open.lines < 12
            && open.message.len() < LONGEST
        {
            open.message.push(' ');
            open.message.push_str(rest);
            open.lines += 1;
            return;
        }
        self.flush(found);
        self.open = Some(Open { message: text.to_string(), number: line.number, lines: 1, marks: line.marks });
    }

    fn end(&mut self, found: &mut Found) {
        self.flush(found);
    }
}

impl KernelLog {
    fn flush(&mut self, found: &mut Found) {
        let Some(Open { message, number, lines, mut marks }) = self.open.take() else { return };
        let here = found.line_number();
        found.set_line(number);
        if lines > 1 {
            // What is known of a message may stand across its lines.
            marks = gate::marks(&message);
            self.messages.line(Line { text: &message, number, marks }, found);
        }
        let machine = Subject::machine();
        if marks.has(Marks::MODULE_VERSION) {
            module(&message, found);
        }
        if self.is_news(&message, found) {
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
    fn is_news(&mut self, message: &str, found: &mut Found) -> bool {
        let xid = crate::tables::xid::parse(message);
        if let Some((_, Some(address))) = xid
            && !found.counts.gpu(&Subject::gpu(address).id)
        {
            return false;
        }
        let shape = shape(message, xid);
        let room = self.shapes.len() < SHAPES;
        let count = match self.shapes.entry(shape) {
            Entry::Vacant(_) if !room => return false,
            entry => entry.or_default(),
        };
        *count += 1;
        // The fuller the list, the rarer must be what comes into it.
        let most = match self.kept {
            0..200 => ALIKE,
            200..300 => 2,
            300..400 => 1,
            _ => u32::from(xid.is_some()),
        };
        let is_news = *count <= most;
        self.kept += u32::from(is_news);
        is_news
    }
}

/// What messages have in common that differ in times, counters and addresses of memory. Those of two GPUs, or with two Xids,
/// have nothing in common.
fn shape(message: &str, xid: Option<(u32, Option<&str>)>) -> u64 {
    // FNV-1a: the standard hash takes its time for every byte.
    let mut shape = 0xcbf2_9ce4_8422_2325u64;
    let mut add = |byte: u8| shape = (shape ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    let within = |c: &u8| c.is_ascii_alphanumeric() || matches!(c, b'_' | b':' | b'.');
    for word in message.as_bytes().split(|c| !within(c)) {
        // A number in hexadecimal may have letters only.
        let number = word.iter().any(u8::is_ascii_digit) || word.iter().all(u8::is_ascii_hexdigit);
        if !number || is_address(word) {
            word.iter().chain(b" ").copied().for_each(&mut add);
        }
    }
    if let Some((xid, address)) = xid {
        xid.to_le_bytes().into_iter().chain(address.unwrap_or_default().bytes()).for_each(&mut add);
    }
    shape
}

/// `0000:3b:00.0`, `00000000:07:00.0:`, `3b:00.0`; not the time of day.
fn is_address(word: &[u8]) -> bool {
    let word = word.strip_suffix(b":").unwrap_or(word);
    let hex = |part: &[u8]| part.iter().all(u8::is_ascii_hexdigit);
    let mut parts = word.rsplitn(3, |b| *b == b':');
    let (Some(slot), Some(bus), domain) = (parts.next(), parts.next(), parts.next()) else { return false };
    let dotted = slot.len() == 4 && slot[2] == b'.' && hex(&slot[..2]) && hex(&slot[3..]);
    let whole = slot.len() == 2 && hex(slot) && domain.is_some();
    (dotted || whole) && bus.len() == 2 && hex(bus) && domain.is_none_or(|domain| domain.len() >= 4 && hex(domain))
}

fn is_kernels(text: &str) -> bool {
    static INDEX: LazyLock<Finder> = LazyLock::new(|| Finder::new(WORDS.iter().copied()));
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
    use super::is_address;
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
    fn a_flood_hides_neither_another_gpu_nor_another_xid() {
        let mut text = String::new();
        for n in 0..20_000 {
            text.push_str(&format!(
                "[{n}.125] NVRM: Xid (PCI:0000:3b:00): 31, pid={n}, Ch {n:08x}, faulted @ 0x{:x}_{n:08x}\n",
                n * 7919
            ));
            text.push_str(&format!("[{n}.25] nvidia 0000:3b:00.0: AER: can't recover {n:x} (no error_detected)\n"));
        }
        text.push_str("[99999.1] NVRM: Xid (PCI:0000:86:00): 31, pid=1, Ch 00000008, faulted @ 0x7f_00000000\n");
        text.push_str("[99999.2] NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.\n");
        text.push_str("[99999.3] nvidia 0000:86:00.0: AER: can't recover 1 (no error_detected)\n");
        let facts = read_str(&text);
        let lines: Vec<String> = facts.all(&kernel::LOG_LINE).map(|(line, _)| line).collect();
        let with = |words: &str| lines.iter().filter(|line| line.contains(words)).count();
        // Twelve of each, the first ones, and each of the last lines.
        assert_eq!((with("Xid (PCI:0000:3b:00): 31"), with("nvidia 0000:3b:00.0")), (12, 12));
        assert_eq!((with("PCI:0000:86:00"), with("79, GPU has fallen"), with("nvidia 0000:86:00.0")), (1, 1, 1));
        assert_eq!(lines.len(), 27);
        let sources: Vec<&str> = facts.all(&kernel::LOG_LINE).map(|(_, fact)| fact.source.as_str()).collect();
        assert_eq!((sources[0], sources[26]), ("-:1", "-:40003"));
    }

    #[test]
    fn addresses_are_told_from_times() {
        for word in ["0000:3b:00.0", "00000000:07:00.0:", "3b:00.0", "0000:3b:00"] {
            assert!(is_address(word.as_bytes()), "{word}");
        }
        for word in ["10:11:12", "10:11:12.345", "2025", "file.cc:123", ":", "", "a:b", "12:00"] {
            assert!(!is_address(word.as_bytes()), "{word}");
        }
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
