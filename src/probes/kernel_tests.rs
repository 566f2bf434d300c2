//! The kernel side of described machines.

use super::*;
use crate::machine::Scope;
use std::path::Path;
use std::time::Duration;

#[allow(clippy::disallowed_methods)]
fn put(root: &Path, path: &str, text: &[u8]) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("create the folder");
    std::fs::write(path, text).expect("write the file");
}

fn seen(root: &Path) -> Facts {
    let machine = Machine::new(Scope::Image(root.to_path_buf()), Duration::from_secs(1));
    let mut facts = Facts::new();
    look(&machine, &mut facts);
    facts
}

fn with_kernel(release: &str) -> tempfile::TempDir {
    let root = tempfile::tempdir().expect("a folder");
    put(root.path(), "proc/sys/kernel/osrelease", format!("{release}\n").as_bytes());
    root
}

#[test]
fn nothing_to_read_is_not_nothing_loaded() {
    let root = tempfile::tempdir().expect("a folder");
    let facts = seen(root.path());
    assert!(facts.machine(&kernel::MODULES).why_failed().is_some());
    assert!(facts.machine(&kernel::MODULE_FILE).why_failed().is_some());
    assert!(facts.machine(&kernel::LOG).why_failed().is_some());
    assert!(facts.machine(&kernel::DKMS).is_absent());
    assert_eq!(facts.value(&kernel::BLACKLIST_NVIDIA), Some(vec![]));
}

#[test]
fn modules_come_from_both_places() {
    let root = with_kernel("6.1.0-18-amd64");
    put(
        root.path(),
        "proc/modules",
        b"nvidia_uvm 1 0 - Live 0x0\nnvidia 2 1 nvidia_uvm, Live 0x0\next4 1 0 - Live 0x0\n",
    );
    put(root.path(), "sys/module/nvidia/version", b"535.183.01\n");
    put(root.path(), "sys/module/i915/parameters/x", b"1\n");
    let facts = seen(root.path());
    assert_eq!(facts.value(&kernel::MODULES).expect("modules"), ["nvidia", "nvidia_uvm", "i915"]);
    assert_eq!(facts.value(&kernel::MODULE_VERSION).as_deref(), Some("535.183.01"));
}

#[test]
fn a_module_for_another_kernel_is_not_for_this_one() {
    let root = with_kernel("6.12.1-1-amd64");
    put(root.path(), "lib/modules/6.1.0-18-amd64/updates/dkms/nvidia-current.ko.xz", b"");
    put(root.path(), "lib/modules/6.12.1-1-amd64/kernel/drivers/net/ethernet/nvidia/nvidia.ko", b"");
    put(root.path(), "lib/modules/6.12.1-1-amd64/kernel/drivers/platform/x86/nvidia-wmi-ec-backlight.ko", b"");
    let facts = seen(root.path());
    assert!(facts.machine(&kernel::MODULE_FILE).is_absent());
    assert_eq!(facts.value(&kernel::MODULE_OTHER_KERNELS).expect("others"), ["6.1.0-18-amd64"]);
    assert!(facts.machine(&kernel::HEADERS).is_absent());
}

#[test]
fn every_package_puts_the_module_where_it_is_found() {
    for place in [
        "updates/dkms/nvidia.ko.zst",
        "extra/drivers/video/nvidia/nvidia.ko",
        "extramodules/nvidia.ko.zst",
        "weak-updates/nvidia/nvidia.ko",
        "kernel/drivers/video/nvidia.ko",
        "kernel/nvidia-535/nvidia.ko",
        "updates/nvidia.ko",
        "misc/nvidia.ko.xz",
    ] {
        let root = with_kernel("6.8.0-40-generic");
        put(root.path(), &format!("lib/modules/6.8.0-40-generic/{place}"), b"");
        put(root.path(), "lib/modules/6.8.0-40-generic/build/Makefile", b"");
        let facts = seen(root.path());
        let path = format!("/lib/modules/6.8.0-40-generic/{place}");
        assert_eq!(facts.value(&kernel::MODULE_FILE), Some(path), "{place}");
        assert!(facts.value(&kernel::HEADERS).is_some());
    }
}

#[test]
fn dkms_knows_what_it_built_and_what_failed() {
    let root = with_kernel("6.12.1-1-amd64");
    let tree = "var/lib/dkms/nvidia-current/535.183.01";
    put(root.path(), &format!("{tree}/6.1.0-18-amd64/x86_64/module/nvidia-current.ko"), b"");
    put(root.path(), &format!("{tree}/6.1.0-18-amd64/x86_64/log/make.log"), b"good");
    put(
        root.path(),
        &format!("{tree}/build/make.log"),
        b"DKMS make.log for nvidia-current-535.183.01 for kernel 6.12.1-1-amd64 (x86_64)\nx.c:1:1: error: no\n",
    );
    put(root.path(), "var/lib/dkms/nvidia-fs/2.22/source/x", b"");
    let dkms = seen(root.path()).value(&kernel::DKMS).expect("a state");
    assert_eq!(dkms.len(), 1);
    assert_eq!((dkms[0].module.as_str(), dkms[0].version.as_str()), ("nvidia-current", "535.183.01"));
    assert_eq!(dkms[0].built_for, ["6.1.0-18-amd64"]);
    let log = dkms[0].log.as_ref().expect("a log");
    assert_eq!(log.kernel.as_deref(), Some("6.12.1-1-amd64"));
    assert_eq!(log.errors, ["x.c:1:1: error: no"]);
}

#[test]
fn a_file_in_etc_hides_its_namesake() {
    let root = with_kernel("6.8.0");
    put(root.path(), "usr/lib/modprobe.d/nvidia.conf", b"blacklist nvidia\n");
    put(root.path(), "etc/modprobe.d/nvidia.conf", b"# blacklist nvidia\n");
    put(root.path(), "etc/modprobe.d/blacklist-nouveau.conf", b"blacklist nouveau\n");
    put(root.path(), "etc/modprobe.d/old.conf.bak", b"blacklist nvidia\n");
    let facts = seen(root.path());
    assert_eq!(facts.value(&kernel::BLACKLIST_NVIDIA), Some(vec![]));
    assert_eq!(
        facts.value(&kernel::BLACKLIST_NOUVEAU).expect("lines"),
        ["/etc/modprobe.d/blacklist-nouveau.conf:1: blacklist nouveau"]
    );
}

#[test]
fn secure_boot_lockdown_and_majors_are_read() {
    let root = with_kernel("6.8.0");
    let variable = "sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";
    put(root.path(), variable, &[6, 0, 0, 0, 1]);
    put(root.path(), "sys/kernel/security/lockdown", b"none [integrity] confidentiality\n");
    put(root.path(), "proc/devices", b"Character devices:\n195 nvidia\n510 nvidia-uvm\n\nBlock devices:\n  8 sd\n");
    put(
        root.path(),
        "dev/kmsg",
        b"4,1,5000000,-;NVRM: loading NVIDIA UNIX x86_64 Kernel Module  535.183.01\n6,2,6,-;usb\n",
    );
    let facts = seen(root.path());
    assert_eq!(facts.value(&kernel::SECURE_BOOT), Some(true));
    assert_eq!(facts.value(&kernel::LOCKDOWN).as_deref(), Some("integrity"));
    assert_eq!(facts.value(&kernel::UVM_MAJOR), Some(510));
    assert_eq!(facts.value(&kernel::LOG), Some(2));
    assert_eq!(
        facts.value(&kernel::LOG_LINE).as_deref(),
        Some("[    5.000000] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  535.183.01")
    );
}

#[test]
fn a_machine_without_efi_has_no_secure_boot_and_a_container_hides_it() {
    let root = with_kernel("6.8.0");
    put(root.path(), "sys/firmware/acpi/x", b"");
    assert!(seen(root.path()).machine(&kernel::SECURE_BOOT).is_absent());
    let root = with_kernel("6.8.0");
    put(root.path(), "sys/firmware/x", b"");
    #[allow(clippy::disallowed_methods)]
    std::fs::remove_file(root.path().join("sys/firmware/x")).expect("remove");
    assert!(seen(root.path()).machine(&kernel::SECURE_BOOT).why_failed().is_some());
}
