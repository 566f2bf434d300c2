//! nvidia.ko on disk: for the running kernel, and for others.

use super::modinfo;
use crate::facts::{Facts, kernel};
use crate::machine::{FileKind, Machine};
use crate::subject::Subject;

/// Where kernels keep their modules; the second one only where the first is no link to it.
const ROOTS: [&str; 3] = ["/lib/modules", "/usr/lib/modules", "/run/booted-system/kernel-modules/lib/modules"];

/// Folders under a kernel's own in which packages put the driver. The in-tree `drivers/net/ethernet/nvidia` and
/// `drivers/platform/x86/nvidia` are other drivers, so the kernel's tree is not searched as a whole.
const FOLDERS: [&str; 12] = [
    "updates",
    "extra",
    "extramodules",
    "weak-updates",
    "misc",
    "nvidia",
    "video",
    "kernel",
    "kernel/extra",
    "kernel/misc",
    "kernel/drivers/video",
    "kernel/drivers/char/drm",
];

/// Folders that are listed at most for one kernel.
const MOST_FOLDERS: usize = 200;
/// Kernels that are searched at most.
const MOST_KERNELS: usize = 24;

/// Adds the file for the running kernel, what it says of itself, and the other kernels that have one.
pub fn look(machine: &Machine, facts: &mut Facts, release: Option<&str>) {
    let here = Subject::machine();
    let source = "/lib/modules";
    let Some((root, kernels)) = kernels(machine) else {
        let why = "no kernel modules are installed here (containers have none)";
        facts.failed(&kernel::MODULE_FILE, &here, why, source);
        facts.failed(&kernel::MODULE_OTHER_KERNELS, &here, why, source);
        return;
    };
    match release {
        None => facts.failed(&kernel::MODULE_FILE, &here, "no kernel runs here", source),
        Some(release) => match find(machine, &format!("{root}/{release}")) {
            Some(path) => {
                modinfo::look(machine, facts, &path);
                facts.seen(&kernel::MODULE_FILE, &here, path, format!("{root}/{release}"));
            }
            None => facts.absent(&kernel::MODULE_FILE, &here, format!("{root}/{release}")),
        },
    }
    let others: Vec<String> = kernels
        .into_iter()
        .filter(|name| Some(name.as_str()) != release)
        .take(MOST_KERNELS)
        .filter(|name| find(machine, &format!("{root}/{name}")).is_some())
        .collect();
    facts.seen(&kernel::MODULE_OTHER_KERNELS, &here, others, root);
}

/// The first place with kernels in it, and their names.
fn kernels(machine: &Machine) -> Option<(&'static str, Vec<String>)> {
    ROOTS.into_iter().find_map(|root| {
        let names = machine.list(root).ok()?;
        let names: Vec<String> = names.into_iter().filter(|n| n.starts_with(|c: char| c.is_ascii_digit())).collect();
        (!names.is_empty()).then_some((root, names))
    })
}

fn find(machine: &Machine, kernel: &str) -> Option<String> {
    let mut left = MOST_FOLDERS;
    FOLDERS.iter().find_map(|folder| {
        let path = format!("{kernel}/{folder}");
        // Of the kernel's own tree only folders of prebuilt drivers are entered: Ubuntu's `kernel/nvidia-535`.
        if *folder == "kernel" {
            let names = machine.list(&path).ok()?;
            let prebuilt = names.into_iter().filter(|name| name.starts_with("nvidia"));
            return prebuilt.map(|name| format!("{path}/{name}")).find_map(|path| walk(machine, &path, 2, &mut left));
        }
        walk(machine, &path, 4, &mut left)
    })
}

fn walk(machine: &Machine, folder: &str, depth: u32, left: &mut usize) -> Option<String> {
    if *left == 0 {
        return None;
    }
    *left -= 1;
    let names = machine.list(folder).ok()?;
    if let Some(name) = names.iter().find(|name| is_driver(name)) {
        return Some(format!("{folder}/{name}"));
    }
    if depth == 0 {
        return None;
    }
    names.iter().filter(|name| !name.contains(".ko")).find_map(|name| {
        let path = format!("{folder}/{name}");
        let is_folder = machine.stat(&path).is_ok_and(|entry| entry.kind == FileKind::Folder);
        is_folder.then(|| walk(machine, &path, depth - 1, left))?
    })
}

/// The core module by its file name, compressed or not: `nvidia.ko.zst`; in Debian's packages `nvidia-current.ko`,
/// `nvidia-tesla-470.ko`, `nvidia-legacy-390xx.ko`.
fn is_driver(name: &str) -> bool {
    let Some((stem, rest)) = name.split_once(".ko") else { return false };
    if !matches!(rest, "" | ".xz" | ".zst" | ".gz") {
        return false;
    }
    let stem = stem.replace('_', "-");
    let Some(variant) = stem.strip_prefix("nvidia") else { return false };
    let part = ["-modeset", "-drm", "-uvm", "-peermem", "-vgpu-vfio", "-fs"].iter().any(|end| stem.ends_with(end));
    let core = variant.is_empty()
        || ["-current", "-tesla", "-legacy", "-open"].iter().any(|start| variant.starts_with(start))
        || variant.strip_prefix('-').is_some_and(|v| v.starts_with(|c: char| c.is_ascii_digit()));
    core && !part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_core_module_counts() {
        for name in ["nvidia.ko", "nvidia.ko.zst", "nvidia.ko.xz", "nvidia-current.ko", "nvidia-tesla-470.ko.xz"] {
            assert!(is_driver(name), "{name}");
        }
        for name in ["nvidia-uvm.ko", "nvidia-current-modeset.ko", "nvidia-drm.ko.zst", "nvidiafb.ko", "nvidia"] {
            assert!(!is_driver(name), "{name}");
        }
        for name in ["nvidia-wmi-ec-backlight.ko", "nvidia.ko.debug", "nvidia_uvm.ko", "i2c-nvidia-gpu.ko"] {
            assert!(!is_driver(name), "{name}");
        }
    }
}
