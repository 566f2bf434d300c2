//! Devices as listings show them: `ls -l /dev/nvidia*`, `lspci -nnk`, `ldconfig -p`, `ldd`.

use super::gate::Marks;
use super::parts::{self, after, has};
use super::{Found, Line, Reader};
use crate::facts::kernel::{self, Node};
use crate::facts::nvidia::DriverLibrary;
use crate::facts::{nvidia, pci};
use crate::subject::{Subject, pci_address};
use crate::tables::pci_ids;

/// Reads them.
#[derive(Default)]
pub struct Devices {
    /// The GPU of lspci whose further lines are awaited.
    open: Option<(Subject, bool)>,
    gpus: u32,
}

/// Nodes that a pattern without a match stands for.
const PATTERN: &[&str] = &["/dev/nvidiactl", "/dev/nvidia-uvm"];

impl Reader for Devices {
    fn waits(&self) -> bool {
        self.open.is_some()
    }

    fn line(&mut self, line: Line, found: &mut Found) {
        let text = line.text.trim();
        if text.len() > 400 {
            return;
        }
        if line.marks.has(Marks::DEV) || text.starts_with('c') {
            node(text, found);
        }
        if line.marks.has(Marks::CONTROLLER) && (text.contains(" controller") || text.contains("accelerators")) {
            self.lspci(text, found);
        } else if let Some((gpu, driven)) = &mut self.open {
            if let Some(driver) = text.strip_prefix("Kernel driver in use:") {
                found.seen(&pci::DRIVER, gpu, driver.trim().to_string());
                *driven = true;
            } else if text.starts_with("Kernel modules:") {
                // lspci -k names the driver before the modules: without one, no driver has the device.
                if !*driven {
                    found.absent(&pci::DRIVER, &gpu.clone());
                }
                self.open = None;
            } else if has(text, "Unknown header type 7f") {
                found.seen(&pci::CONFIG_ALL_ONES, &gpu.clone(), true);
            } else if text.is_empty() || line.text.starts_with(|c: char| c.is_ascii_hexdigit()) {
                self.open = None;
            }
        }
        if !line.marks.has(Marks::LIBCUDA) {
            return;
        }
        if text.contains("libcuda.so.1 (libc6,x86-64)") || text.contains("libcuda.so.1 (libc6,AArch64)") {
            if let Some((_, path)) = text.split_once("=> ") {
                let path = path.trim().to_string();
                let library = DriverLibrary { name: "libcuda".to_string(), target: path.clone(), version: None };
                found.seen(&nvidia::LIBRARY, &Subject::file(path), library);
            }
        } else if let Some((_, file)) = text.split_once("libcuda.so.1 -> ")
            && let Some(version) =
                file.trim().strip_prefix("libcuda.so.").and_then(parts::version).filter(|v| v.contains('.'))
        {
            let library = DriverLibrary {
                name: "libcuda".to_string(),
                target: file.trim().to_string(),
                version: Some(version.to_string()),
            };
            found.seen(&nvidia::LIBRARY, &Subject::file("libcuda.so.1"), library);
        }
    }

    fn end(&mut self, found: &mut Found) {
        if self.gpus > 0 {
            found.seen(&pci::DEVICES, &Subject::machine(), self.gpus);
        }
    }
}

impl Devices {
    /// `01:00.0 VGA compatible controller [0300]: NVIDIA Corporation GA102 [GeForce RTX 3090] [10de:2204] (rev a1)`.
    fn lspci(&mut self, text: &str, found: &mut Found) {
        let Some((address, rest)) = text.split_once(' ') else { return };
        let Some(address) = pci_address(address).filter(|_| address.contains('.')) else { return };
        self.open = None;
        let class = ["VGA compatible controller", "3D controller", "Display controller", "Processing accelerators"];
        let codes = ["0x030000", "0x030200", "0x038000", "0x120000"];
        let Some(kind) = class.iter().position(|name| rest.contains(name)) else { return };
        let vendor = [
            ("NVIDIA", "0x10de", "10de:"),
            ("Advanced Micro Devices", "0x1002", "1002:"),
            ("Intel Corporation", "0x8086", "8086:"),
        ];
        let Some((_, vendor, prefix)) = vendor.iter().find(|(name, _, _)| rest.contains(name)) else { return };
        let gpu = Subject::gpu(&address);
        found.seen(&pci::VENDOR, &gpu, vendor.to_string());
        found.seen(&pci::CLASS, &gpu, codes[kind].to_string());
        if *vendor == "0x8086" {
            return;
        }
        self.gpus += 1;
        if let Some(id) = after(rest, &format!("[{prefix}")).and_then(|r| r.get(..4)) {
            found.seen(&pci::DEVICE, &gpu, format!("0x{id}"));
            if *vendor == "0x10de"
                && let Some(chip) = pci_ids::parse_id(id).and_then(pci_ids::chip)
            {
                found.seen(&pci::ARCHITECTURE, &gpu, chip.architecture.as_str().to_string());
            }
        }
        // The name stands in the second brackets where numbers are shown, else in the first.
        let name = rest.split('[').skip(1).filter_map(|part| part.split(']').next());
        let name =
            name.filter(|n| n.contains(' ') || n.len() > 4).find(|n| !n.contains(':') && n.parse::<u32>().is_err());
        if let Some(name) = name.filter(|n| !n.contains("AMD/ATI")) {
            found.seen(&pci::NAME, &gpu, name.to_string());
        }
        if rest.contains("(rev ff)") {
            found.seen(&pci::CONFIG_ALL_ONES, &gpu, true);
        }
        self.open = Some((gpu, false));
    }
}

/// `crw-rw-rw- 1 root root 195, 0 Jan  1 00:00 /dev/nvidia0`, or that there is no such file.
fn node(text: &str, found: &mut Found) {
    if has(text, "No such file or directory") || has(text, "no such file") {
        if has(text, "cannot access")
            || text.starts_with("ls:")
            || text.starts_with("stat:")
            || text.starts_with("cat:")
        {
            let Some(path) = quoted_path(text) else { return };
            let all = [path.as_str()];
            let paths: &[&str] = if path.contains('*') && path.starts_with("/dev/nvidia") { PATTERN } else { &all };
            for path in paths.iter().filter(|path| path.starts_with("/dev/") && !path.contains('*')) {
                found.absent(&kernel::NODE, &Subject::file(*path));
                found.absent(&kernel::NODE_OPEN, &Subject::file(*path));
            }
        }
        return;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let [mode, _, owner, group, major, minor, ..] = words[..] else { return };
    let Some(mode) = mode.strip_prefix('c').and_then(octal) else { return };
    let (Ok(major), Ok(minor)) = (major.trim_end_matches(',').parse::<u32>(), minor.parse::<u32>()) else { return };
    let Some(path) = words
        .iter()
        .rev()
        .find(|w| w.contains("nvidia") || w.starts_with("/dev/") || w.starts_with("renderD") || **w == "kfd")
    else {
        return;
    };
    let path = if path.starts_with('/') { path.to_string() } else { format!("/dev/{path}") };
    // A name tells no number; 65534 is nobody's.
    let number = |name: &str| if name == "root" { 0 } else { name.parse().unwrap_or(65534) };
    let node = Node {
        kind: "char".to_string(),
        major,
        minor,
        mode,
        uid: number(owner),
        gid: number(group),
        group: Some(group.to_string()),
    };
    found.seen(&kernel::NODE, &Subject::file(path), node);
}

/// `rw-rw-rw-` is `666`.
fn octal(mode: &str) -> Option<String> {
    let mode: Vec<char> = mode.chars().take(9).collect();
    if mode.len() != 9 || !mode.iter().all(|c| "rwxsStT-".contains(*c)) {
        return None;
    }
    let digit = |part: &[char]| part.iter().zip([4, 2, 1]).filter(|(c, _)| **c != '-').map(|(_, n)| n).sum::<u32>();
    Some(mode.chunks(3).map(|part| digit(part).to_string()).collect())
}

fn quoted_path(text: &str) -> Option<String> {
    let at = text.find("/dev/")?;
    let rest = &text[at..];
    let end = rest.find(|c: char| c.is_whitespace() || "'\":,".contains(c)).unwrap_or(rest.len());
    Some(rest[..end].to_string())
}
