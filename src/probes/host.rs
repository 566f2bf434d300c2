//! The machine below and around this process: system, kernel, container, job, user, environment. Files and the
//! environment only; nothing is started.

mod container;
mod distro;
mod identity;
mod switches;
mod variables;
mod virtualization;

use crate::facts::{Facts, host};
use crate::machine::Machine;
use crate::subject::Subject;

pub use variables::ALLOWED;

/// Fills the keys of `facts::host`.
pub fn look(machine: &Machine, facts: &mut Facts) {
    let here = Subject::machine();
    let os = if machine.is_moved() { "linux" } else { std::env::consts::OS };
    facts.seen(&host::OS, &here, os.to_string(), "this program");
    look_arch(machine, facts);
    if machine.is_live() {
        look_user(machine, facts);
        identity::look(machine, facts);
        variables::look(machine, facts);
    }
    if os != "linux" {
        return;
    }
    look_kernel(machine, facts);
    distro::look(machine, facts);
    virtualization::look(machine, facts);
    look_wsl(machine, facts);
    look_jetson(machine, facts);
    look_value(machine, facts, &host::PRODUCT, "/sys/class/dmi/id/product_name");
    look_suspends(machine, facts);
    switches::look(machine, facts);
    if machine.is_live() {
        look_selinux(machine, facts);
        look_device_mounts(machine, facts);
        container::look(machine, facts);
        look_job(machine, facts);
    }
}

/// In an image, the architecture of its shell; else that of this program.
fn look_arch(machine: &Machine, facts: &mut Facts) {
    let here = Subject::machine();
    if !machine.is_live() {
        let shells = ["/bin/sh", "/usr/bin/sh", "/bin/busybox", "/usr/bin/env"];
        let found = shells.iter().find_map(|path| Some((elf_machine(&machine.bytes(path).ok()?)?, path)));
        match found {
            Some((arch, path)) => facts.seen(&host::ARCH, &here, arch.to_string(), *path),
            None => facts.failed(&host::ARCH, &here, "the image has no shell to tell it", "/bin/sh"),
        }
        return;
    }
    facts.seen(&host::ARCH, &here, std::env::consts::ARCH.to_string(), "this program");
}

/// `e_machine` of an ELF header.
fn elf_machine(bytes: &[u8]) -> Option<&'static str> {
    if !bytes.starts_with(b"\x7fELF") {
        return None;
    }
    match (bytes.get(18)?, bytes.get(19)?) {
        (0x3e, 0) => Some("x86_64"),
        (0xb7, 0) => Some("aarch64"),
        (0x03, 0) => Some("x86"),
        (0x28, 0) => Some("arm"),
        (0x15, 0) => Some("powerpc64"),
        (0xf3, 0) => Some("riscv64"),
        _ => None,
    }
}

/// Release of the running kernel; nothing where it cannot be known (an image runs none).
pub(super) fn kernel_release(machine: &Machine) -> Option<(String, &'static str)> {
    const FILE: &str = "/proc/sys/kernel/osrelease";
    if let Ok(release) = machine.line(FILE)
        && !release.is_empty()
    {
        return Some((release, FILE));
    }
    #[cfg(unix)]
    if !machine.is_moved() {
        let name = rustix::system::uname();
        return Some((name.release().to_string_lossy().into_owned(), "uname"));
    }
    None
}

fn look_kernel(machine: &Machine, facts: &mut Facts) {
    let here = Subject::machine();
    match kernel_release(machine) {
        Some((release, source)) => facts.seen(&host::KERNEL, &here, release, source),
        None => facts.failed(&host::KERNEL, &here, "no kernel runs here", "/proc/sys/kernel/osrelease"),
    }
}

fn look_value(machine: &Machine, facts: &mut Facts, key: &crate::facts::Key<String>, path: &str) {
    let here = Subject::machine();
    match machine.line(path) {
        Ok(value) if !value.is_empty() => facts.seen(key, &here, value, path),
        _ => facts.absent(key, &here, path),
    }
}

fn look_suspends(machine: &Machine, facts: &mut Facts) {
    const FILE: &str = "/sys/power/suspend_stats/success";
    let here = Subject::machine();
    match machine.line(FILE).map(|line| line.parse::<u64>()) {
        Ok(Ok(count)) => facts.seen(&host::SUSPENDS, &here, count, FILE),
        Ok(Err(e)) => facts.failed(&host::SUSPENDS, &here, e.to_string(), FILE),
        Err(_) => facts.absent(&host::SUSPENDS, &here, FILE),
    }
}

/// SELinux is seen by its file system, which many containers lack, and by the label of this process.
fn look_selinux(machine: &Machine, facts: &mut Facts) {
    const MODE: &str = "/sys/fs/selinux/enforce";
    const LABEL: &str = "/proc/self/attr/current";
    let here = Subject::machine();
    match machine.line(MODE).ok().as_deref() {
        Some("1") => facts.seen(&host::SELINUX, &here, "enforcing".to_string(), MODE),
        Some("0") => facts.seen(&host::SELINUX, &here, "permissive".to_string(), MODE),
        _ => facts.absent(&host::SELINUX, &here, MODE),
    }
    // AppArmor answers in the same file, without the colons of a label.
    let label = machine.line(LABEL).map(|label| label.trim_end_matches('\0').to_string()).unwrap_or_default();
    match label.matches(':').count() >= 2 {
        true => facts.seen(&host::SELINUX_LABEL, &here, label, LABEL),
        false => facts.absent(&host::SELINUX_LABEL, &here, LABEL),
    }
}

/// Where a device plugin mounts something for every GPU that it grants, if it is told to.
fn look_device_mounts(machine: &Machine, facts: &mut Facts) {
    const FOLDER: &str = "/var/run/nvidia-container-devices";
    match machine.list(FOLDER) {
        Ok(names) => facts.seen(&host::DEVICE_MOUNTS, &Subject::machine(), names, FOLDER),
        Err(_) => facts.absent(&host::DEVICE_MOUNTS, &Subject::machine(), FOLDER),
    }
}

/// WSL by the kernel's name, or by what WSL mounts where somebody runs a kernel of their own.
fn look_wsl(machine: &Machine, facts: &mut Facts) {
    let here = Subject::machine();
    let release = kernel_release(machine).map(|(release, _)| release).unwrap_or_default();
    let dxg = machine.exists("/dev/dxg");
    let interop = machine.exists("/proc/sys/fs/binfmt_misc/WSLInterop") || machine.exists("/run/WSL");
    match wsl_version(&release, dxg, interop) {
        Some(version) => facts.seen(&host::WSL, &here, version, format!("kernel release {release}")),
        None => facts.absent(&host::WSL, &here, "/proc/sys/kernel/osrelease"),
    }
}

/// A guest of Hyper-V may have /dev/dxg too (GPU-PV without WSL), so the node alone proves nothing.
fn wsl_version(release: &str, dxg: bool, interop: bool) -> Option<u8> {
    let named = release.to_ascii_lowercase().contains("microsoft");
    let second = release.contains("WSL2") || release.contains("microsoft-standard") || dxg;
    match (named, second) {
        (true, true) => Some(2),
        (true, false) => Some(1),
        (false, _) => (dxg && interop).then_some(2),
    }
}

fn look_jetson(machine: &Machine, facts: &mut Facts) {
    let here = Subject::machine();
    for path in ["/proc/device-tree/model", "/sys/firmware/devicetree/base/model"] {
        // Strings of the device tree end with NUL.
        let model = machine.line(path).map(|m| m.trim_end_matches('\0').trim().to_string()).unwrap_or_default();
        if is_jetson_model(&model) {
            facts.seen(&host::JETSON, &here, model, path);
            return;
        }
    }
    const RELEASE: &str = "/etc/nv_tegra_release";
    let kernel = kernel_release(machine).map(|(release, _)| release).unwrap_or_default();
    if machine.exists(RELEASE) {
        facts.seen(&host::JETSON, &here, "NVIDIA Tegra".to_string(), RELEASE);
    } else if kernel.ends_with("-tegra") {
        facts.seen(&host::JETSON, &here, "NVIDIA Tegra".to_string(), format!("kernel release {kernel}"));
    } else {
        facts.absent(&host::JETSON, &here, RELEASE);
    }
}

/// `NVIDIA Jetson AGX Orin Developer Kit`, `NVIDIA Orin Nano Developer Kit`, and older ones without the maker's name.
fn is_jetson_model(model: &str) -> bool {
    let model = model.to_ascii_lowercase();
    model.contains("jetson")
        || model.contains("nvidia") && ["orin", "xavier", "tegra", "thor", "p3450"].iter().any(|m| model.contains(m))
}

fn look_job(machine: &Machine, facts: &mut Facts) {
    let here = Subject::machine();
    if let Some(id) = machine.variable("SLURM_JOB_ID").filter(|id| !id.is_empty()) {
        let gpus = ["SLURM_STEP_GPUS", "SLURM_JOB_GPUS"].iter().find_map(|name| machine.variable(name));
        let job = host::Job { scheduler: "slurm".to_string(), gpus };
        facts.seen(&host::JOB, &here, job, format!("environment variable SLURM_JOB_ID={id}"));
    } else if container::in_kubernetes(machine) {
        let job = host::Job { scheduler: "kubernetes".to_string(), gpus: None };
        facts.seen(&host::JOB, &here, job, "environment variable KUBERNETES_SERVICE_HOST");
    } else {
        facts.absent(&host::JOB, &here, "environment variables SLURM_JOB_ID, KUBERNETES_SERVICE_HOST");
    }
}

#[cfg(unix)]
fn look_user(machine: &Machine, facts: &mut Facts) {
    let here = Subject::machine();
    let uid = rustix::process::geteuid().as_raw();
    let gid = rustix::process::getegid().as_raw();
    let mut numbers: Vec<u32> = vec![gid];
    match rustix::process::getgroups() {
        Ok(groups) => numbers.extend(groups.iter().map(|group| group.as_raw())),
        Err(e) => {
            facts.failed(&host::USER, &here, format!("getgroups: {e}"), "getgroups");
            return;
        }
    }
    numbers.sort_unstable();
    numbers.dedup();
    let file = machine.text("/etc/group").unwrap_or_default();
    let groups = numbers.into_iter().map(|number| (number, group_name(&file, number))).collect();
    facts.seen(&host::USER, &here, host::User { uid, gid, groups }, "geteuid, getgroups");
}

#[cfg(not(unix))]
fn look_user(_machine: &Machine, _facts: &mut Facts) {}

/// The name of a group in the text of `/etc/group`.
pub fn group_name(file: &str, number: u32) -> Option<String> {
    file.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)?.parse() == Ok(number)).then(|| name.to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wsl_is_told_by_its_kernel() {
        assert_eq!(wsl_version("5.15.167.4-microsoft-standard-WSL2", true, true), Some(2));
        assert_eq!(wsl_version("4.19.84-microsoft-standard", false, false), Some(2));
        assert_eq!(wsl_version("4.4.0-19041-Microsoft", false, true), Some(1));
        assert_eq!(wsl_version("6.8.0-custom", true, true), Some(2));
        assert_eq!(wsl_version("6.8.0-1021-azure", false, false), None);
        assert_eq!(wsl_version("6.8.0-generic", true, false), None, "a Hyper-V guest with GPU-PV");
    }

    #[test]
    fn jetson_models_are_known() {
        assert!(is_jetson_model("NVIDIA Jetson AGX Orin Developer Kit"));
        assert!(is_jetson_model("NVIDIA Orin Nano Developer Kit"));
        assert!(is_jetson_model("Jetson-AGX"));
        assert!(!is_jetson_model("Raspberry Pi 5 Model B Rev 1.0"));
        assert!(!is_jetson_model(""));
    }

    #[test]
    fn groups_have_their_names() {
        let file = "root:x:0:\nvideo:x:44:ann,bob\nbroken\nrender:x:110:\n";
        assert_eq!(group_name(file, 44).as_deref(), Some("video"));
        assert_eq!(group_name(file, 110).as_deref(), Some("render"));
        assert_eq!(group_name(file, 4), None);
    }

    #[test]
    fn an_elf_header_names_its_processor() {
        let mut header = [0u8; 64];
        header[..4].copy_from_slice(b"\x7fELF");
        header[18] = 0xb7;
        assert_eq!(elf_machine(&header), Some("aarch64"));
        assert_eq!(elf_machine(b"#!/bin/sh"), None);
        assert_eq!(elf_machine(b"\x7fELF"), None);
    }
}
