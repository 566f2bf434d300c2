//! What the probes that read files see of described machines.
#![cfg(target_os = "linux")]

mod common;

use common::tree::{KERNEL, Module, Tree};
use gpu_doctor::facts::{Facts, cuda, host, kernel, nvidia, pci};
use gpu_doctor::machine::{Machine, Scope};
use gpu_doctor::probes;
use gpu_doctor::subject::Subject;
use std::time::Duration;

fn live(tree: &Tree) -> Facts {
    facts(Scope::RootLive(tree.path().to_path_buf()))
}

fn image(tree: &Tree) -> Facts {
    facts(Scope::Image(tree.path().to_path_buf()))
}

fn facts(scope: Scope) -> Facts {
    let machine = Machine::new(scope, Duration::from_secs(5));
    let mut facts = Facts::new();
    probes::host::look(&machine, &mut facts);
    probes::pci::look(&machine, &mut facts);
    probes::kernel::look(&machine, &mut facts);
    probes::runtime::look(&machine, &mut facts);
    facts
}

#[test]
fn a_new_tree_is_a_plain_machine() {
    for facts in [live(&Tree::new()), image(&Tree::new())] {
        assert_eq!(facts.value(&host::OS).as_deref(), Some("linux"));
        assert_eq!(facts.value(&host::KERNEL).as_deref(), Some(KERNEL));
        assert_eq!(facts.value(&host::DISTRO).map(|d| d.id).as_deref(), Some("debian"));
        assert_eq!(facts.value(&host::PACKAGE_MANAGER).as_deref(), Some("apt"));
        assert!(facts.machine(&host::VIRTUALIZATION).is_absent());
        assert!(facts.machine(&host::WSL).is_absent());
        assert!(facts.machine(&host::JETSON).is_absent());
        assert_eq!(facts.value(&pci::DEVICES), Some(1));
        assert_eq!(facts.subjects_with(&pci::VENDOR), []);
        assert_eq!(facts.value(&kernel::MODULES), Some(vec![]));
        assert!(facts.machine(&kernel::MODULE_FILE).is_absent());
        assert!(facts.value(&kernel::HEADERS).is_some());
        assert!(facts.machine(&kernel::DKMS).is_absent());
        assert!(facts.machine(&kernel::SECURE_BOOT).is_absent());
        assert!(facts.machine(&kernel::LOG).why_failed().is_some());
    }
}

#[test]
fn an_image_has_no_process_and_so_no_variables_and_no_container() {
    let facts = image(Tree::new().docker());
    assert_eq!(facts.subjects_with(&host::VARIABLE), []);
    assert!(facts.machine(&host::CONTAINER).fact().is_none());
    assert!(facts.machine(&host::USER).fact().is_none());
    let facts = live(&Tree::new());
    assert!(facts.subjects_with(&host::VARIABLE).len() > 30);
}

#[test]
fn a_driver_that_works_is_described() {
    let tree = Tree::new();
    tree.rtx_4090("0000:01:00.0", Some("nvidia"))
        .driver_loaded("535.183.01")
        .module_file(KERNEL, "updates/dkms/nvidia-current.ko", &Module::closed("535.183.01").signed("DKMS key"))
        .dkms("nvidia-current", "535.183.01", &[KERNEL])
        .libraries("535.183.01")
        .nvidia_modprobe(true);
    let facts = live(&tree);
    let gpu = Subject::gpu("0000:01:00.0");
    assert_eq!(facts.look(&pci::DRIVER, &gpu).seen().as_deref(), Some("nvidia"));
    assert_eq!(facts.look(&pci::ARCHITECTURE, &gpu).seen().as_deref(), Some("ada"));
    assert_eq!(facts.value(&kernel::MODULES).expect("modules"), ["nvidia", "nvidia_uvm"]);
    assert_eq!(facts.value(&kernel::MODULE_VERSION).as_deref(), Some("535.183.01"));
    let info = facts.value(&kernel::MODINFO).expect("what the file says");
    assert_eq!(info.version.as_deref(), Some("535.183.01"));
    assert_eq!((info.license.as_deref(), info.signer.as_deref()), (Some("NVIDIA"), Some("DKMS key")));
    assert_eq!(facts.value(&kernel::UVM_MAJOR), Some(510));
    assert_eq!(facts.value(&nvidia::LIBRARIES), Some(2));
    let place = Subject::file("/usr/lib/x86_64-linux-gnu/libcuda.so.1");
    let library = facts.look(&nvidia::LIBRARY, &place).seen().expect("libcuda");
    assert_eq!(library.version.as_deref(), Some("535.183.01"));
    assert!(facts.machine(&cuda::PTX_JIT).fact().is_none(), "the loader itself is asked on a live machine");
}

#[test]
fn an_unsigned_open_module_says_so() {
    let tree = Tree::new();
    tree.module_file(KERNEL, "extra/nvidia/nvidia.ko", &Module::open("570.133.07")).secure_boot(true);
    let facts = image(&tree);
    let info = facts.value(&kernel::MODINFO).expect("what the file says");
    assert_eq!((info.license.as_deref(), info.signer), (Some("Dual MIT/GPL"), None));
    assert_eq!(facts.value(&kernel::SECURE_BOOT), Some(true));
    assert_eq!(facts.value(&kernel::LOCKDOWN).as_deref(), Some("integrity"));
}

#[test]
fn every_engine_is_told_from_its_files_alone() {
    let engine = |tree: &Tree| live(tree).value(&host::CONTAINER).map(|container| container.engine);
    assert_eq!(engine(Tree::new().docker()).as_deref(), Some("docker"));
    assert_eq!(engine(Tree::new().podman()).as_deref(), Some("podman"));
    assert_eq!(engine(Tree::new().kubernetes()).as_deref(), Some("kubernetes"));
    assert_eq!(engine(Tree::new().gvisor()).as_deref(), Some("gvisor"));
    assert_eq!(engine(&Tree::new()), None);
    assert_eq!(engine(Tree::new().file(".dockerenv", "")), None, "/.dockerenv alone is no container");
}

#[test]
fn a_container_hides_what_it_does_not_have() {
    let facts = live(Tree::new().docker());
    assert!(facts.machine(&kernel::MODULE_FILE).why_failed().is_some());
    assert!(facts.machine(&kernel::SECURE_BOOT).why_failed().is_some());
}

#[test]
fn gvisor_shows_no_bus_and_no_modules() {
    let facts = live(Tree::new().gvisor());
    assert!(facts.machine(&pci::DEVICES).is_absent());
    assert!(facts.machine(&kernel::MODULES).why_failed().is_some());
}

#[test]
fn distributions_have_their_package_managers() {
    let manager = |tree: &Tree| live(tree).value(&host::PACKAGE_MANAGER);
    assert_eq!(manager(Tree::new().ubuntu()).as_deref(), Some("apt"));
    assert_eq!(manager(Tree::new().fedora()).as_deref(), Some("dnf"));
    assert_eq!(manager(Tree::new().arch()).as_deref(), Some("pacman"));
    assert_eq!(manager(Tree::new().opensuse()).as_deref(), Some("zypper"));
}

#[test]
fn other_kinds_of_machine_are_known() {
    let facts = live(Tree::new().wsl2());
    assert_eq!(facts.value(&host::WSL), Some(2));
    let facts = live(Tree::new().jetson());
    assert_eq!(facts.value(&host::JETSON).as_deref(), Some("NVIDIA Jetson AGX Orin Developer Kit"));
    assert_eq!(facts.value(&kernel::MODULES).expect("modules"), ["nvgpu"]);
    let facts = live(Tree::new().kvm());
    assert_eq!(facts.value(&host::VIRTUALIZATION).as_deref(), Some("kvm"));
}
