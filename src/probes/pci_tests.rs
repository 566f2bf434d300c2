//! The bus of described machines.

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

fn function(root: &Path, address: &str, vendor: &str, device: &str, class: &str) {
    for (file, text) in [("vendor", vendor), ("device", device), ("class", class)] {
        put(root, &format!("sys/bus/pci/devices/{address}/{file}"), format!("{text}\n").as_bytes());
    }
}

#[test]
fn no_directory_is_not_an_empty_bus() {
    let root = tempfile::tempdir().expect("a folder");
    assert!(seen(root.path()).machine(&pci::DEVICES).is_absent());
    assert!(seen(root.path()).machine(&pci::NVSWITCHES).fact().is_none());
}

#[cfg(target_os = "linux")]
#[test]
fn a_card_is_described_in_full() {
    let root = tempfile::tempdir().expect("a folder");
    let at = "sys/bus/pci/devices/0000:01:00.0";
    function(root.path(), "0000:01:00.0", "0x10de", "0x2684", "0x030000");
    function(root.path(), "0000:00:1f.0", "0x8086", "0x7a04", "0x060100");
    put(root.path(), &format!("{at}/current_link_speed"), b"2.5 GT/s PCIe\n");
    put(root.path(), &format!("{at}/max_link_speed"), b"16.0 GT/s PCIe\n");
    put(root.path(), &format!("{at}/current_link_width"), b"8\n");
    put(root.path(), &format!("{at}/max_link_width"), b"16\n");
    put(root.path(), &format!("{at}/power/control"), b"auto\n");
    put(root.path(), &format!("{at}/power_state"), b"D0\n");
    put(root.path(), &format!("{at}/config"), &[0xff; 64]);
    std::os::unix::fs::symlink("../../drivers/nouveau", root.path().join(at).join("driver")).expect("a link");

    let facts = seen(root.path());
    let gpu = Subject::gpu("0000:01:00.0");
    assert_eq!(facts.value(&pci::DEVICES), Some(2));
    assert_eq!(facts.subjects(crate::subject::Kind::Gpu), std::slice::from_ref(&gpu));
    assert_eq!(facts.look(&pci::VENDOR, &gpu).seen().as_deref(), Some("0x10de"));
    assert_eq!(facts.look(&pci::NAME, &gpu).seen().as_deref(), Some("GeForce RTX 4090"));
    assert_eq!(facts.look(&pci::ARCHITECTURE, &gpu).seen().as_deref(), Some("ada"));
    assert_eq!(facts.look(&pci::DRIVER, &gpu).seen().as_deref(), Some("nouveau"));
    let link = facts.look(&pci::LINK, &gpu).seen().expect("a link");
    assert_eq!((link.speed_now, link.speed_max), (Some(2.5), Some(16.0)));
    assert_eq!((link.width_now, link.width_max), (Some(8), Some(16)));
    assert_eq!(facts.look(&pci::CONFIG_ALL_ONES, &gpu).seen(), Some(true));
    assert_eq!(facts.look(&pci::VIRTUAL_FUNCTION, &gpu).seen(), Some(false));
}

#[test]
fn every_maker_and_kind_of_processor_is_listed_and_nothing_else() {
    let root = tempfile::tempdir().expect("a folder");
    function(root.path(), "0000:03:00.0", "0x1002", "0x74a1", "0x120000");
    function(root.path(), "0000:04:00.0", "0x1a03", "0x2000", "0x030000");
    function(root.path(), "0000:05:00.0", "0x10de", "0x22a3", "0x068000");
    function(root.path(), "0000:06:00.0", "0x10de", "0x22a3", "0x068000");
    function(root.path(), "0000:07:00.0", "0x10de", "0x228b", "0x040300");
    let facts = seen(root.path());
    assert_eq!(facts.value(&pci::NVSWITCHES), Some(2));
    assert_eq!(facts.subjects(crate::subject::Kind::Gpu).len(), 2);
    let amd = Subject::gpu("0000:03:00.0");
    assert_eq!(facts.look(&pci::NAME, &amd).seen().as_deref(), Some("Instinct MI300X"));
    assert!(facts.look(&pci::DRIVER, &amd).is_absent());
    assert!(facts.look(&pci::ARCHITECTURE, &amd).fact().is_none());
}

#[test]
fn windows_are_read_from_the_first_six_regions() {
    let text = "0x00000000f6000000 0x00000000f6ffffff 0x0000000000040200\n\
                0x0000006000000000 0x00000067ffffffff 0x000000000014220c\n\
                0x0000000000000000 0x0000000000000000 0x0000000000000000\n\
                0x0000000000000000 0x0000000001ffffff 0x000000000014220c\n\
                0x0000000000000000 0x0000000000000000 0x0000000000000000\n\
                0x000000000000f000 0x000000000000f07f 0x0000000000040101\n\
                0x00000000f7000000 0x00000000f707ffff 0x0000000000046200\n";
    let window = |index, start, size| pci::Window { index, start, size };
    assert_eq!(
        windows(text),
        [
            window(0, 0xf600_0000, 16 << 20),
            window(1, 0x60_0000_0000, 32 << 30),
            window(3, 0, 32 << 20), // not assigned
        ]
    );
    assert_eq!(windows("garbage\n0x1\n"), []);
}

#[test]
fn the_systems_list_is_searched_by_vendor() {
    let text = "# a comment\n1002  Advanced Micro Devices\n\t2684  Something else\n10de  NVIDIA Corporation\n\
                \t1eb9  TU104GL\n\t2684  AD102 [GeForce RTX 4090]\n\t\t1043 88e2  A board\n1af4  Red Hat\n\t1eba  Last\n";
    assert_eq!(name_in(text, 0x10de, 0x2684).as_deref(), Some("GeForce RTX 4090"));
    assert_eq!(name_in(text, 0x10de, 0x1eb9).as_deref(), Some("TU104GL"));
    assert_eq!(name_in(text, 0x10de, 0x1eba), None);
    assert_eq!(name_in("", 0x10de, 0x2684), None);
}

#[test]
fn speeds_are_read_in_both_spellings() {
    assert_eq!(gigatransfers("16.0 GT/s PCIe"), Some(16.0));
    assert_eq!(gigatransfers("8 GT/s"), Some(8.0));
    assert_eq!(gigatransfers("Unknown"), None);
}
