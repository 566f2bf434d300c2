//! The PCI bus from sysfs: display and 3D controllers of every maker, accelerators, NVSwitches. Nothing is woken up: only
//! the first bytes of configuration space are read, and only where the device is awake.

use crate::facts::{Facts, pci};
use crate::machine::Machine;
use crate::subject::Subject;
use crate::tables::{pci_ids, pci_names};

const BUS: &str = "/sys/bus/pci/devices";
const NVIDIA: u16 = 0x10de;
/// Functions that are described; sixteen GPUs with all their virtual functions are fewer.
const MOST: usize = 1024;

/// Fills the keys of `facts::pci`. Without a PCI directory nothing is known, which is not "no GPU".
pub fn look(machine: &Machine, facts: &mut Facts) {
    if !(machine.is_moved() || cfg!(target_os = "linux")) {
        return;
    }
    let here = Subject::machine();
    let names = match machine.list(BUS) {
        Ok(names) => names,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            facts.absent(&pci::DEVICES, &here, BUS);
            return;
        }
        Err(e) => {
            facts.failed(&pci::DEVICES, &here, e.to_string(), BUS);
            return;
        }
    };
    facts.seen(&pci::DEVICES, &here, names.len() as u32, BUS);
    let (mut switches, mut gpus) = (0u32, 0);
    let mut ids = None;
    for address in &names {
        let folder = format!("{BUS}/{address}");
        let hex = |file: &str| machine.line(format!("{folder}/{file}")).ok();
        let Some(class) = hex("class") else { continue };
        let (vendor, device) = (hex("vendor").unwrap_or_default(), hex("device").unwrap_or_default());
        let numbers = (pci_ids::parse_id(&vendor), pci_ids::parse_id(&device));
        if class.starts_with("0x0680") {
            switches += u32::from(matches!(numbers, (Some(NVIDIA), Some(id)) if pci_ids::is_nvswitch(id)));
        }
        if is_gpu(&class) && gpus < MOST {
            gpus += 1;
            let found = Found { machine, folder, vendor, device, class, numbers };
            found.add(&Subject::gpu(address), facts, &mut ids);
        }
    }
    facts.seen(&pci::NVSWITCHES, &here, switches, BUS);
}

/// Display controllers (base class 03) and processing accelerators (1200, which AMD's Instinct boards use).
fn is_gpu(class: &str) -> bool {
    class.starts_with("0x03") || class.starts_with("0x1200")
}

/// One function of the bus.
struct Found<'a> {
    machine: &'a Machine,
    folder: String,
    vendor: String,
    device: String,
    class: String,
    numbers: (Option<u16>, Option<u16>),
}

impl Found<'_> {
    fn path(&self, file: &str) -> String {
        format!("{}/{file}", self.folder)
    }

    fn line(&self, file: &str) -> Option<String> {
        self.machine.line(self.path(file)).ok().filter(|text| !text.is_empty())
    }

    fn add(&self, gpu: &Subject, facts: &mut Facts, ids: &mut Option<String>) {
        facts.seen(&pci::VENDOR, gpu, self.vendor.clone(), self.path("vendor"));
        facts.seen(&pci::DEVICE, gpu, self.device.clone(), self.path("device"));
        facts.seen(&pci::CLASS, gpu, self.class.clone(), self.path("class"));
        self.add_name(gpu, facts, ids);
        if let (Some(NVIDIA), Some(device)) = self.numbers {
            match pci_ids::chip(device) {
                Some(chip) => facts.seen(&pci::ARCHITECTURE, gpu, chip.architecture.to_string(), "table of PCI ids"),
                None => facts.absent(&pci::ARCHITECTURE, gpu, "table of PCI ids"),
            }
        }
        match self.machine.link(self.path("driver")) {
            Ok(target) => {
                let name = target.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
                facts.seen(&pci::DRIVER, gpu, name, self.path("driver"));
            }
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => facts.absent(&pci::DRIVER, gpu, self.path("driver")),
            Err(e) => facts.failed(&pci::DRIVER, gpu, e.to_string(), self.path("driver")),
        }
        self.add_link(gpu, facts);
        let power = pci::Power {
            control: self.line("power/control"),
            status: self.line("power/runtime_status"),
            state: self.line("power_state"),
        };
        let asleep = power.status.as_deref() == Some("suspended") || power.state.as_deref() == Some("D3cold");
        facts.seen(&pci::POWER, gpu, power, self.path("power"));
        if let Ok(text) = self.machine.text(self.path("resource")) {
            facts.seen(&pci::WINDOWS, gpu, windows(&text), self.path("resource"));
        }
        self.add_surroundings(gpu, facts);
        self.add_config(gpu, facts, asleep);
        facts.seen(&pci::VIRTUAL_FUNCTION, gpu, self.machine.link(self.path("physfn")).is_ok(), self.path("physfn"));
    }

    /// The table of ours first: reading the system's list takes longer than all the rest of this probe.
    fn add_name(&self, gpu: &Subject, facts: &mut Facts, ids: &mut Option<String>) {
        const SOURCE: &str = "table of PCI ids";
        let (Some(vendor), Some(device)) = self.numbers else {
            facts.absent(&pci::NAME, gpu, SOURCE);
            return;
        };
        if let Some(name) = pci_names::name(vendor, device) {
            facts.seen(&pci::NAME, gpu, name.to_string(), SOURCE);
            return;
        }
        let text = ids.get_or_insert_with(|| system_list(self.machine));
        match name_in(text, vendor, device) {
            Some(name) => facts.seen(&pci::NAME, gpu, name, "pci.ids"),
            None => facts.absent(&pci::NAME, gpu, "pci.ids"),
        }
    }

    fn add_link(&self, gpu: &Subject, facts: &mut Facts) {
        let speed = |file: &str| self.line(file).as_deref().and_then(gigatransfers);
        // 63 or 255 lanes, or 0, is what a device that does not answer seems to have.
        let width = |file: &str| self.line(file)?.parse().ok().filter(|lanes| (1..=32).contains(lanes));
        let link = pci::Link {
            speed_now: speed("current_link_speed"),
            speed_max: speed("max_link_speed"),
            width_now: width("current_link_width"),
            width_max: width("max_link_width"),
        };
        if link == (pci::Link { speed_now: None, speed_max: None, width_now: None, width_max: None }) {
            facts.absent(&pci::LINK, gpu, self.path("current_link_speed"));
        } else {
            facts.seen(&pci::LINK, gpu, link, self.path("current_link_speed"));
        }
    }

    /// Whether it stands behind an external port, and how the IOMMU treats it.
    fn add_surroundings(&self, gpu: &Subject, facts: &mut Facts) {
        // The attribute is the kernel's word on every function behind a port that firmware calls external (5.14 and later).
        match self.line("removable").as_deref() {
            Some("removable") => facts.seen(&pci::REMOVABLE, gpu, true, self.path("removable")),
            Some("fixed") => facts.seen(&pci::REMOVABLE, gpu, false, self.path("removable")),
            _ => {}
        }
        match self.line("iommu_group/type") {
            Some(kind) => facts.seen(&pci::IOMMU, gpu, kind, self.path("iommu_group/type")),
            None if self.machine.exists(&self.folder) => facts.absent(&pci::IOMMU, gpu, self.path("iommu_group/type")),
            None => {}
        }
    }

    /// Reading the configuration of a sleeping device would wake it up, so it is left alone.
    fn add_config(&self, gpu: &Subject, facts: &mut Facts, asleep: bool) {
        let path = self.path("config");
        if asleep {
            facts.failed(&pci::CONFIG_ALL_ONES, gpu, "the device is asleep and was not woken up", path);
            return;
        }
        match self.machine.range(&path, 0, 64) {
            Ok(bytes) if bytes.len() >= 4 => {
                facts.seen(&pci::CONFIG_ALL_ONES, gpu, bytes.iter().all(|byte| *byte == 0xff), path);
            }
            Ok(_) => facts.failed(&pci::CONFIG_ALL_ONES, gpu, "the file is empty", path),
            Err(e) => facts.failed(&pci::CONFIG_ALL_ONES, gpu, e.to_string(), path),
        }
    }
}

/// `16.0 GT/s PCIe` (older kernels: `8 GT/s`); nothing for `Unknown`.
fn gigatransfers(text: &str) -> Option<f32> {
    text.split_whitespace().next()?.parse().ok()
}

/// The memory windows of a `resource` file: one line per region, start, end and flags in hexadecimal. The first six are
/// the BARs; bit 0x200 of the flags marks memory, 0x100 ports. The second half of a 64-bit window is a line of zeros.
fn windows(text: &str) -> Vec<pci::Window> {
    let mut found = Vec::new();
    for (index, line) in text.lines().take(6).enumerate() {
        let mut numbers =
            line.split_whitespace().map(|n| u64::from_str_radix(n.strip_prefix("0x").unwrap_or(n), 16).ok());
        let (Some(Some(start)), Some(Some(end)), Some(Some(flags))) = (numbers.next(), numbers.next(), numbers.next())
        else {
            continue;
        };
        if flags & 0x200 != 0 && end >= start {
            found.push(pci::Window { index: index as u32, start, size: (end - start).saturating_add(1) });
        }
    }
    found
}

fn system_list(machine: &Machine) -> String {
    const PLACES: [&str; 3] = ["/usr/share/hwdata/pci.ids", "/usr/share/misc/pci.ids", "/usr/share/pci.ids"];
    let bytes = PLACES.iter().find_map(|path| machine.range(path, 0, 4 << 20).ok()).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The name of a device in the text of pci.ids: a line of the vendor, then indented lines of its devices. What stands in
/// brackets is the marketing name.
fn name_in(text: &str, vendor: u16, device: u16) -> Option<String> {
    let head = format!("{vendor:04x}  ");
    let row = format!("\t{device:04x}  ");
    let lines = text.lines().skip_while(|line| !line.starts_with(&head)).skip(1);
    let name = lines
        .take_while(|line| line.starts_with(['\t', '#']) || line.is_empty())
        .find_map(|line| line.strip_prefix(row.as_str()))?
        .trim();
    let marketing = name.split_once('[').and_then(|(_, rest)| rest.rsplit_once(']')).map(|(inner, _)| inner);
    Some(marketing.unwrap_or(name).to_string())
}

#[cfg(test)]
#[path = "pci_tests.rs"]
mod tests;
