//! The kernel side of the driver from files that never block: modules, module files, DKMS, blacklists, Secure Boot, log.
//! `/proc/driver/nvidia` is not read here: it can hang in the driver, so a child does it.

mod blacklist;
mod dkms;
mod log;
mod modinfo;
mod module_file;

use super::host::kernel_release;
use crate::facts::{Facts, kernel};
use crate::machine::Machine;
use crate::subject::Subject;

/// The modules that matter here.
const MODULES: [&str; 16] = [
    "nvidia",
    "nvidia_uvm",
    "nvidia_modeset",
    "nvidia_drm",
    "nvidia_peermem",
    "nvidia_vgpu_vfio",
    "nouveau",
    "nova_core",
    "vfio_pci",
    "amdgpu",
    "amdkfd",
    "i915",
    "xe",
    "nvgpu",
    "nvmap",
    "dxgkrnl",
];

/// Fills the keys of `facts::kernel` that files tell. Call it after the PCI probe: the addresses of the GPUs pick the
/// lines of the kernel log.
pub fn look(machine: &Machine, facts: &mut Facts) {
    if !(machine.is_moved() || cfg!(target_os = "linux")) {
        return;
    }
    let release = kernel_release(machine).map(|(release, _)| release);
    look_modules(machine, facts);
    module_file::look(machine, facts, release.as_deref());
    dkms::look(machine, facts);
    look_headers(machine, facts, release.as_deref());
    blacklist::look(machine, facts);
    look_secure_boot(machine, facts);
    look_lockdown(machine, facts);
    look_uvm_major(machine, facts);
    look_hmm(machine, facts);
    look_modprobe(machine, facts);
    log::look(machine, facts);
}

fn look_modules(machine: &Machine, facts: &mut Facts) {
    const PROC: &str = "/proc/modules";
    const SYS: &str = "/sys/module";
    const VERSION: &str = "/sys/module/nvidia/version";
    let here = Subject::machine();
    let listed = machine.text(PROC).ok();
    let folders = machine.list(SYS).ok();
    if listed.is_none() && folders.is_none() {
        facts.failed(&kernel::MODULES, &here, "neither /proc/modules nor /sys/module can be read", PROC);
        facts.failed(&kernel::MODULE_VERSION, &here, "/sys/module cannot be read", VERSION);
        return;
    }
    let loaded = loaded(listed.as_deref().unwrap_or_default(), folders.as_deref().unwrap_or_default());
    let has_nvidia = loaded.iter().any(|name| name == "nvidia");
    let source = match (&listed, &folders) {
        (Some(_), Some(_)) => "/proc/modules, /sys/module",
        (Some(_), None) => PROC,
        _ => SYS,
    };
    facts.seen(&kernel::MODULES, &here, loaded, source);
    match machine.line(VERSION) {
        Ok(version) if !version.is_empty() => facts.seen(&kernel::MODULE_VERSION, &here, version, VERSION),
        _ if has_nvidia => facts.failed(&kernel::MODULE_VERSION, &here, "the file cannot be read", VERSION),
        _ => facts.absent(&kernel::MODULE_VERSION, &here, VERSION),
    }
}

/// The modules that matter, from the text of `/proc/modules` and the names in `/sys/module` (which also hold what is built
/// into the kernel).
fn loaded(listed: &str, folders: &[String]) -> Vec<String> {
    let listed: Vec<&str> = listed.lines().filter_map(|line| line.split_whitespace().next()).collect();
    MODULES
        .iter()
        .filter(|name| listed.contains(*name) || folders.iter().any(|folder| folder == *name))
        .map(|name| name.to_string())
        .collect()
}

fn look_headers(machine: &Machine, facts: &mut Facts, release: Option<&str>) {
    let here = Subject::machine();
    let Some(release) = release else {
        facts.failed(&kernel::HEADERS, &here, "no kernel runs here", "/lib/modules");
        return;
    };
    let path = format!("/lib/modules/{release}/build");
    if !machine.exists("/lib/modules") {
        facts.failed(&kernel::HEADERS, &here, "there is no /lib/modules here (containers have none)", path);
    } else if machine.exists(&path) {
        let target = machine.resolve(&path).map_or(path.clone(), |target| target.display().to_string());
        facts.seen(&kernel::HEADERS, &here, target, path);
    } else {
        facts.absent(&kernel::HEADERS, &here, path);
    }
}

fn look_secure_boot(machine: &Machine, facts: &mut Facts) {
    const EFI: &str = "/sys/firmware/efi";
    // The name of the variable and its owner: the UEFI specification's global variables.
    const VARIABLE: &str = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";
    let here = Subject::machine();
    match machine.bytes(VARIABLE) {
        Ok(bytes) => match secure_boot(&bytes) {
            Some(on) => facts.seen(&kernel::SECURE_BOOT, &here, on, VARIABLE),
            None => facts.failed(&kernel::SECURE_BOOT, &here, "the variable is too short", VARIABLE),
        },
        // Container engines cover /sys/firmware with an empty folder.
        Err(_) if machine.list("/sys/firmware").is_ok_and(|names| names.is_empty()) => {
            facts.failed(&kernel::SECURE_BOOT, &here, "/sys/firmware is hidden in this container", VARIABLE);
        }
        Err(e) if e.kind() == std::io::ErrorKind::NotFound && !machine.exists(EFI) => {
            facts.absent(&kernel::SECURE_BOOT, &here, EFI);
        }
        Err(e) => facts.failed(&kernel::SECURE_BOOT, &here, e.to_string(), VARIABLE),
    }
}

/// Four bytes of attributes, then the value.
fn secure_boot(bytes: &[u8]) -> Option<bool> {
    bytes.get(4).map(|value| *value == 1)
}

fn look_lockdown(machine: &Machine, facts: &mut Facts) {
    const FILE: &str = "/sys/kernel/security/lockdown";
    let here = Subject::machine();
    match machine.line(FILE) {
        Ok(line) => match lockdown(&line) {
            Some(mode) => facts.seen(&kernel::LOCKDOWN, &here, mode.to_string(), FILE),
            None => facts.failed(&kernel::LOCKDOWN, &here, format!("cannot read {line:?}"), FILE),
        },
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => facts.absent(&kernel::LOCKDOWN, &here, FILE),
        Err(e) => facts.failed(&kernel::LOCKDOWN, &here, e.to_string(), FILE),
    }
}

/// `none [integrity] confidentiality`: the mode in force is in brackets.
fn lockdown(line: &str) -> Option<&str> {
    line.split_once('[')?.1.split_once(']').map(|(mode, _)| mode)
}

fn look_uvm_major(machine: &Machine, facts: &mut Facts) {
    const FILE: &str = "/proc/devices";
    let here = Subject::machine();
    match machine.text(FILE) {
        Ok(text) => match major(&text, "nvidia-uvm") {
            Some(number) => facts.seen(&kernel::UVM_MAJOR, &here, number, FILE),
            None => facts.absent(&kernel::UVM_MAJOR, &here, FILE),
        },
        Err(e) => facts.failed(&kernel::UVM_MAJOR, &here, e.to_string(), FILE),
    }
}

/// The number of a character device in the text of `/proc/devices`.
fn major(text: &str, name: &str) -> Option<u32> {
    let characters = text.split("Block devices:").next().unwrap_or_default();
    characters.lines().find_map(|line| {
        let (number, device) = line.trim().split_once(' ')?;
        (device.trim() == name).then(|| number.parse().ok())?
    })
}

fn look_hmm(machine: &Machine, facts: &mut Facts) {
    const FILE: &str = "/sys/module/nvidia_uvm/parameters/uvm_disable_hmm";
    let here = Subject::machine();
    match machine.line(FILE) {
        Ok(line) => facts.seen(&kernel::UVM_DISABLE_HMM, &here, matches!(line.as_str(), "Y" | "1"), FILE),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => facts.absent(&kernel::UVM_DISABLE_HMM, &here, FILE),
        Err(e) => facts.failed(&kernel::UVM_DISABLE_HMM, &here, e.to_string(), FILE),
    }
}

fn look_modprobe(machine: &Machine, facts: &mut Facts) {
    const PLACES: [&str; 5] = [
        "/usr/bin/nvidia-modprobe",
        "/usr/sbin/nvidia-modprobe",
        "/bin/nvidia-modprobe",
        "/sbin/nvidia-modprobe",
        "/run/current-system/sw/bin/nvidia-modprobe",
    ];
    let here = Subject::machine();
    for path in PLACES {
        if let Ok(entry) = machine.stat(path) {
            let setuid = entry.mode & 0o4000 != 0 && entry.uid == 0;
            let program = kernel::NvidiaModprobe { path: path.to_string(), setuid };
            facts.seen(&kernel::NVIDIA_MODPROBE, &here, program, path);
            return;
        }
    }
    facts.absent(&kernel::NVIDIA_MODPROBE, &here, PLACES[0]);
}

#[cfg(test)]
#[path = "kernel_tests.rs"]
mod tests;
