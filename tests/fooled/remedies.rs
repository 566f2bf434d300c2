//! What is told to be done: by whom, where, and on which system.

use super::report;
use gpu_doctor::causes::example::{self, Form};
use gpu_doctor::report::Report;

/// Neither WSL nor a Jetson shows its GPU on the PCI bus, and neither has Linux' module of it.
const WITHOUT_BUS: &str = r#"
pci.devices absent
- pci.vendor
- pci.driver
- pci.architecture
- pci.config_all_ones
- kernel.nvidia.version
- kernel.nvidia.file
- kernel.nvidia.modinfo
- kernel.nvidia.flavour
- kernel.nvidia.other_kernels
- kernel.dkms
- kernel.uvm_major
- kernel.log.line
kernel.modules = []
"#;

/// The driver of a container is the host's, that of WSL is Windows', and that of a Jetson belongs to its system: no remedy
/// that runs there installs or loads a driver, changes the boot or restarts the machine, whatever the cause.
#[test]
fn no_remedy_touches_a_driver_that_belongs_to_somebody_else() {
    let driver =
        ["ubuntu-drivers", "modprobe", "dkms", "initramfs", "grub", "mokutil", "akmods", "dracut", "mkinitcpio"];
    let packages = [
        "nvidia-driver",
        "libnvidia-compute",
        "libcuda1",
        "nvidia-utils",
        "nvidia-open",
        "akmod-nvidia",
        "nvidia-compute",
    ];
    let places = [
        ("container", "host.container = {\"engine\": \"ENGINE\", \"signals\": [\"a\", \"b\"]}".to_string()),
        ("wsl", WITHOUT_BUS.to_string() + "host.wsl = 2"),
        ("jetson", WITHOUT_BUS.to_string() + "host.jetson = \"NVIDIA Jetson Orin\"\nhost.arch = \"aarch64\""),
    ];
    let systems =
        [("ubuntu", "apt"), ("debian", "apt"), ("fedora", "dnf"), ("arch", "pacman"), ("opensuse-leap", "zypper")];
    let mut wrong = std::collections::BTreeSet::new();
    for cause in gpu_doctor::causes::all() {
        let examples = example::examples(cause.page, cause.head().slug);
        let linux = |text: &str| !text.contains("host.os = \"windows\"") && !text.contains("host.os = \"macos\"");
        for one in examples.iter().filter(|one| one.form == Form::Facts && linux(one.text)) {
            for (place, line) in &places {
                for (id, manager) in systems.iter().filter(|(id, _)| *place != "jetson" || *id == "ubuntu") {
                    let engine = if *id == "ubuntu" { "docker" } else { "podman" };
                    let line = line.replace("ENGINE", engine);
                    let system = format!("host.distro = {{\"id\": \"{id}\"}}\nhost.package_manager = \"{manager}\"");
                    let report = report(&format!("{}\n{line}\n{system}", one.text));
                    for cause in &report.root_causes {
                        for step in cause.remedy.steps.iter().filter(|s| s.place.is_none()) {
                            let command = step.command.clone().unwrap_or_default();
                            let touches =
                                driver.iter().filter(|_| *place != "jetson").any(|word| command.contains(word))
                                    || packages.iter().any(|word| command.contains(word))
                                    || command.contains("ubuntu-drivers")
                                    || (*place == "container" && step.reboot);
                            if touches {
                                wrong.insert(format!("{place} {id}: {}: {command}", cause.slug));
                            }
                        }
                    }
                }
            }
        }
    }
    let list: Vec<String> = wrong.into_iter().collect();
    assert!(list.is_empty(), "\n{}\n", list.join("\n"));
}

/// A newer driver is no way out for a card that it no longer serves.
#[test]
fn no_driver_is_advised_that_drops_the_card() {
    let machine = |architecture: &str, cc: &str| {
        format!(
            "from healthy\npci.architecture gpu 0000:01:00.0 = \"{architecture}\"\nkernel.nvidia.version = \"470.256.02\"\nnvml.driver_version = \"470.256.02\"\ncuda.driver_version = 11040\nnvml.compute_capability gpu 0000:01:00.0 = \"{cc}\"\n- cuda.device\n- framework.tensor\nframework.available framework torch@/home/u/venv = false"
        )
    };
    let of = |report: &Report| {
        let cause = report.root_causes.iter().find(|c| c.slug == "driver-too-old-for-cuda-runtime").expect("fires");
        let steps: String = cause.remedy.steps.iter().map(|s| format!("{} {:?}\n", s.text, s.command)).collect();
        format!("{}\n{steps}", cause.remedy.summary)
    };
    let kepler = of(&report(&machine("kepler", "3.5")));
    assert!(kepler.contains("branch 470 is the last") && !kepler.contains("ubuntu-drivers"), "{kepler}");
    assert!(!kepler.contains("Update the driver"), "{kepler}");
    let ada = of(&report(&machine("ada", "8.9")));
    assert!(ada.contains("ubuntu-drivers") && ada.contains("Update the driver"), "{ada}");
}

/// What pip put into a conda environment is pip's to replace.
#[test]
fn the_remedy_speaks_to_who_installed_the_package() {
    let conda = "python.interpreter environment /home/u/venv = {\"path\": \"/home/u/venv/bin/python\", \"version\": \"3.12.3\", \"prefix\": \"/home/u/venv\", \"bits\": 64, \"chosen_by\": \"CONDA_PREFIX\", \"manager\": \"conda\"}\nframework.build framework torch@/home/u/venv = {}\n- framework.tensor\nframework.available framework torch@/home/u/venv = false";
    for (installer, wanted, not) in
        [("pip", "-m pip install", "conda install"), ("conda", "conda install", "pip install")]
    {
        let one = report(&format!(
            "from healthy\n{conda}\nframework.distribution framework torch@/home/u/venv = {{\"version\": \"2.9.1\", \"location\": \"/x\", \"installer\": \"{installer}\"}}"
        ));
        let commands: Vec<String> = one.root_causes[0].remedy.steps.iter().filter_map(|s| s.command.clone()).collect();
        let commands = commands.join("\n");
        assert!(commands.contains(wanted) && !commands.contains(not), "{installer}: {commands}");
    }
}

/// Every kind of Linux gets something to do, and none a repository that is not made for it.
#[test]
fn every_distribution_is_told_what_to_do() {
    let systems = [
        ("linuxmint", "[\"ubuntu\", \"debian\"]", "apt"),
        ("kali", "[\"debian\"]", "apt"),
        ("rocky", "[\"rhel\", \"centos\", \"fedora\"]", "dnf"),
        ("amzn", "[\"fedora\"]", "dnf"),
        ("manjaro", "[\"arch\"]", "pacman"),
        ("sles", "[\"suse\"]", "zypper"),
        ("alpine", "[]", "apk"),
        ("nixos", "[]", "nix"),
    ];
    let mut wrong = std::collections::BTreeSet::new();
    for cause in gpu_doctor::causes::all() {
        let slug = cause.head().slug;
        for one in example::examples(cause.page, slug).iter().filter(|one| one.form == Form::Facts && !one.near_miss) {
            for (id, like, manager) in systems {
                let distro = format!(
                    "host.distro = {{\"id\": \"{id}\", \"id_like\": {like}}}\nhost.package_manager = \"{manager}\""
                );
                let report = report(&format!("{}\n{distro}", one.text));
                for cause in report.root_causes.iter().filter(|c| c.slug == slug) {
                    if cause.remedy.steps.is_empty() {
                        wrong.insert(format!("{slug}: nothing for {id}"));
                    }
                    let commands = cause.remedy.steps.iter().filter_map(|s| s.command.as_deref());
                    if commands.clone().any(|c| c.contains("rpmfusion")) && id != "fedora" {
                        wrong.insert(format!("{slug}: RPM Fusion on {id}"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
