//! Machines whose evidence looks like one cause and is another: what must be said of them, and what must not.

use gpu_doctor::causes::example::{self, Form};
use gpu_doctor::report::{Confidence, Report, Severity, Verdict};

fn report(text: &str) -> Report {
    let facts = example::facts(text, false).unwrap_or_else(|e| panic!("{e}"));
    Report::of(facts, "2026-11-30T00:00:00Z".to_string())
}

/// Slug and confidence of each cause, in order.
fn causes(report: &Report) -> Vec<(&'static str, Confidence)> {
    report.root_causes.iter().map(|c| (c.slug, c.confidence)).collect()
}

fn slugs(report: &Report) -> Vec<&'static str> {
    report.root_causes.iter().map(|c| c.slug).collect()
}

/// A second card on the bus, driven by nvidia.
const SECOND: &str = r#"
pci.vendor gpu 0000:02:00.0 = "0x10de"
pci.device gpu 0000:02:00.0 = "0x2684"
pci.driver gpu 0000:02:00.0 = "nvidia"
pci.name gpu 0000:02:00.0 = "NVIDIA GeForce RTX 4090"
kernel.nvidia.gpu gpu 0000:01:00.0 = {"model": "NVIDIA GeForce RTX 4090", "minor": 0}
kernel.nvidia.gpu gpu 0000:02:00.0 = {"model": "NVIDIA GeForce RTX 4090", "minor": 1}
node.file file /dev/nvidia1 = {"kind": "char", "major": 195, "minor": 1, "mode": "666", "uid": 0, "gid": 0}
"#;

/// CUDA does not start, and nothing that needs it works.
const NO_CUDA: &str = r#"
- cuda.count
- cuda.device
- cuda.compute
- framework.tensor
framework.available framework torch@/home/u/venv = false
"#;

/// NVML lists no GPU.
const NO_NVML_GPU: &str = r#"
nvml.count = 0
- nvml.handle
- nvml.name
- nvml.uuid
- nvml.compute_capability
- nvml.memory
- nvml.compute_mode
- nvml.processes
- nvml.minor
"#;

/// A batch system hands out one of two GPUs by the device cgroup: every node is in sight, and one of them is refused.
#[test]
fn a_gpu_that_the_cgroup_withholds_beside_one_that_it_grants_is_no_fault() {
    let withheld = "node.open file /dev/nvidia1 = \"EPERM\"";
    let job =
        "host.job = {\"scheduler\": \"slurm\", \"gpus\": \"0\"}\nhost.variable variable CUDA_VISIBLE_DEVICES = \"0\"";
    for context in [job, "", "host.job = {\"scheduler\": \"slurm\"}"] {
        let report = report(&format!("from healthy{SECOND}{withheld}\n{context}"));
        assert_eq!((report.verdict, slugs(&report)), (Verdict::Ready, vec![]), "{context}");
    }
    // Nobody says whose node it is.
    let unnumbered = report(&format!("from healthy{SECOND}- kernel.nvidia.gpu\n{withheld}"));
    assert_eq!((unnumbered.verdict, slugs(&unnumbered)), (Verdict::Ready, vec![]));
    // Refused alone, or by the permission bits, it is one.
    let alone = report("from healthy\nnode.open file /dev/nvidia0 = \"EPERM\"");
    assert_ne!(alone.verdict, Verdict::Ready);
    let bits = report(&format!("from healthy{SECOND}node.open file /dev/nvidia1 = \"EACCES\""));
    assert_eq!(slugs(&bits)[0], "device-node-permission");
}

/// What the kernel log tells of is past; what NVML and a computation say is now.
#[test]
fn a_gpu_that_answers_did_not_fall_off_the_bus() {
    let log = "kernel.log = 9\nkernel.log.line = \"NVRM: Xid (PCI:0000:01:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\"";
    let again = report(&format!("from healthy\n{log}"));
    assert_eq!(causes(&again), [("xid-in-kernel-log", Confidence::Possible)]);
    // A sleeping card reads all ones until it is woken.
    let woken = report(
        "from healthy\npci.config_all_ones gpu 0000:01:00.0 = true\npci.power gpu 0000:01:00.0 = {\"control\": \"auto\", \"status\": \"suspended\", \"state\": \"D3cold\"}",
    );
    assert_eq!((woken.verdict, slugs(&woken)), (Verdict::Ready, vec![]));
}

/// One GPU of two is lost: its node, nvidia-smi and the counts follow from that, and even cuInit for all.
#[test]
fn what_one_lost_gpu_does_is_one_fault() {
    let lost = "nvml.count = 2\nnvml.handle gpu 0000:02:00.0 = 15\nnode.open file /dev/nvidia1 = \"EIO\"\nsmi.run file /usr/bin/nvidia-smi = {\"exit\": 15, \"message\": \"Unable to determine the device handle for GPU0000:02:00.0: GPU is lost.  Reboot the system to recover this GPU\"}";
    for unnumbered in ["", "- kernel.nvidia.gpu"] {
        let one = report(&format!("from healthy{SECOND}{lost}\n{unnumbered}"));
        assert_eq!((one.verdict, causes(&one)), (Verdict::Degraded, vec![("gpu-fell-off-bus", Confidence::Certain)]));
    }
    let all = report(&format!("from healthy{SECOND}{lost}\ncuda.init = 999{NO_CUDA}"));
    assert_eq!((all.verdict, causes(&all)), (Verdict::NotReady, vec![("gpu-fell-off-bus", Confidence::Certain)]));
    // A code that has a reason of its own is another fault.
    let two = report(&format!("from healthy{SECOND}{lost}\ncuda.init = 803{NO_CUDA}"));
    assert_eq!(two.root_causes.iter().map(|c| c.group).max(), Some(2), "{:?}", slugs(&two));
}

/// The node of nvidia-uvm is CUDA's alone: while NVML answers, the driver does.
#[test]
fn a_bad_uvm_node_does_not_accuse_the_driver() {
    let report = report(&format!("from healthy\nnode.open file /dev/nvidia-uvm = \"EIO\"\ncuda.init = 999{NO_CUDA}"));
    assert_eq!(causes(&report), [("cuda-init-fails", Confidence::Possible)]);
}

/// Causes without a rule of their own yet: the honest answer names the driver, repeats the kernel's reason, is one finding,
/// and is never certain.
#[test]
fn a_driver_that_gave_its_reason_is_quoted() {
    let flavour = |architecture: &str, flavour: &str| {
        format!(
            "from healthy\npci.architecture gpu 0000:01:00.0 = \"{architecture}\"\nkernel.nvidia.flavour = \"{flavour}\"\nnode.open file /dev/nvidia0 = \"EIO\"\ncuda.init = 100{NO_CUDA}{NO_NVML_GPU}"
        )
    };
    let log = "kernel.log = 9\nkernel.log.line = \"NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x22:0x56:884)\"";
    for (machine, slug) in [
        (flavour("pascal", "open"), "pre-turing-needs-proprietary-module"),
        (flavour("blackwell", "closed"), "blackwell-needs-open-kernel-module"),
    ] {
        assert_eq!(slugs(&report(&machine)), [slug]);
    }
    let words = "RmInitAdapter failed! (0x22:0x56:884)";
    let logged = report(&format!("{}\n{log}", flavour("blackwell", "open")));
    assert_eq!(causes(&logged), [("driver-not-working", Confidence::Likely)], "{words}");
    assert!(logged.root_causes[0].message.contains(words), "{}", logged.root_causes[0].message);
    assert!(!logged.unknowns.is_empty());
    let silent = report(&flavour("blackwell", "open"));
    assert_eq!(causes(&silent), [("driver-not-working", Confidence::Possible)]);
}

/// The user hid the old card from the framework: it need not be served.
#[test]
fn a_hidden_gpu_needs_no_code_in_the_build() {
    let old = "pci.architecture gpu 0000:02:00.0 = \"pascal\"\nnvml.count = 2\nnvml.handle gpu 0000:02:00.0 = 0\nnvml.compute_capability gpu 0000:02:00.0 = \"6.1\"\nnode.open file /dev/nvidia1 = \"ok\"";
    let hidden = report(&format!("from healthy{SECOND}{old}\nhost.variable variable CUDA_VISIBLE_DEVICES = \"0\""));
    assert_eq!((hidden.verdict, slugs(&hidden)), (Verdict::Ready, vec![]));
    let seen = report(&format!(
        "from healthy{SECOND}{old}\ncuda.count = 2\ncuda.device gpu 0000:02:00.0 = {{\"index\": 1, \"name\": \"NVIDIA GeForce GTX 1080\", \"compute_capability\": \"6.1\", \"memory\": 8000000000}}\ncuda.compute gpu 0000:02:00.0 = {{\"stage\": \"done\", \"code\": 0}}\nframework.device_count framework torch@/home/u/venv = 2\nframework.tensor framework torch@/home/u/venv = {{\"index\": 1, \"ok\": false, \"step\": \"compute\", \"code\": 209}}"
    ));
    assert_eq!(causes(&seen), [("gpu-arch-too-old-for-build", Confidence::Certain)]);
}

/// What holds an exclusive GPU and lets others in (the multi-process service), or only draws on it, keeps nobody out.
#[test]
fn an_exclusive_gpu_that_computes_is_ready() {
    for kind in ["compute", "graphics"] {
        let held = format!(
            "from healthy\nnvml.compute_mode gpu 0000:01:00.0 = \"exclusive_process\"\nnvml.processes gpu 0000:01:00.0 = [{{\"pid\": 900, \"kind\": \"{kind}\"}}]"
        );
        let report = report(&held);
        assert_eq!((report.verdict, slugs(&report)), (Verdict::Ready, vec![]), "{kind}");
    }
}

/// Under WSL a container has its own /dev, and Linux' list of modules says nothing about Windows' driver.
#[test]
fn a_container_under_wsl_was_not_given_what_windows_offers() {
    let report = report(
        "host.os = \"linux\"\nhost.arch = \"x86_64\"\nhost.kernel = \"5.15.153.1-microsoft-standard-WSL2\"\nhost.wsl = 2\nhost.container = {\"engine\": \"docker\", \"signals\": [\"/.dockerenv\", \"cgroup\"]}\npci.devices absent\nkernel.modules = []\nnode.file file /dev/dxg absent\nnode.open file /dev/dxg absent\nsmi.found absent\nlibrary.count = 0\nnvml.library absent\ncuda.library absent",
    );
    assert_eq!(causes(&report), [("container-without-gpu-access", Confidence::Likely)]);
}

/// NVML answers, so the container was given a GPU; that it has no libcuda has another reason.
#[test]
fn a_container_in_which_nvml_answers_was_given_a_gpu() {
    let report = report(&format!(
        "from healthy\nhost.container = {{\"engine\": \"docker\", \"signals\": [\"/.dockerenv\", \"cgroup\"]}}\nhost.variable variable NVIDIA_VISIBLE_DEVICES = \"all\"\ncuda.library absent\n- cuda.init\n- cuda.driver_version\n{NO_CUDA}"
    ));
    assert_eq!(causes(&report), [("container-driver-capabilities-missing", Confidence::Possible)]);
    let commands: String = report.root_causes[0].remedy.steps.iter().filter_map(|s| s.command.clone()).collect();
    assert!(commands.contains("NVIDIA_DRIVER_CAPABILITIES=compute"), "{commands}");
}

/// A sandbox in which neither the bus nor the modules can be read: nobody knows whether there is a GPU below it.
#[test]
fn a_blind_sandbox_is_not_accused_for_sure() {
    let report = report(
        "host.os = \"linux\"\nhost.container = {\"engine\": \"gvisor\", \"signals\": [\"/proc/version\", \"dmesg\"]}\npci.devices absent\nkernel.modules failed \"no /proc/modules\"\nnode.file file /dev/nvidiactl absent\nnode.open file /dev/nvidiactl absent\nlibrary.count = 0\nnvml.library absent\ncuda.library absent",
    );
    assert_eq!(causes(&report), [("container-without-gpu-access", Confidence::Possible)]);
    assert!(!slugs(&report).contains(&"no-nvidia-gpu-present"));
}

/// One computation that fails explains a framework that sees nothing.
#[test]
fn a_gpu_that_cannot_compute_is_one_fault() {
    let report = report(
        "from healthy\nnvml.name gpu 0000:01:00.0 = \"GRID T4-8C\"\ncuda.compute gpu 0000:01:00.0 = {\"stage\": \"context\", \"code\": 102}\nframework.available framework torch@/home/u/venv = false\n- framework.tensor",
    );
    assert_eq!(causes(&report), [("cuda-computation-fails", Confidence::Possible)]);
}

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

/// A ROCm build beside an NVIDIA GPU is the wrong build; beside an AMD GPU it is the right one, whatever else is there.
#[test]
fn a_build_for_another_maker_is_the_wrong_build() {
    let rocm = "framework.distribution framework torch@/home/u/venv = {\"version\": \"2.9.0+rocm6.4\", \"location\": \"/x\", \"installer\": \"pip\"}\nframework.build framework torch@/home/u/venv = {\"hip\": \"6.4\"}\n- framework.architectures\n- framework.tensor";
    let wrong = report(&format!("from healthy\n{rocm}\nframework.available framework torch@/home/u/venv = false"));
    assert_eq!(causes(&wrong), [("torch-cpu-only-wheel", Confidence::Certain)]);
    let amd = "pci.vendor gpu 0000:0a:00.0 = \"0x1002\"\npci.driver gpu 0000:0a:00.0 = \"amdgpu\"\nframework.tensor framework torch@/home/u/venv = {\"index\": 0, \"ok\": true}";
    let right = report(&format!("from healthy\n{rocm}\n{amd}"));
    assert_eq!((right.verdict, slugs(&right)), (Verdict::Ready, vec![]));
}

/// What was missing when it was looked at, and what CUDA then opened, is not missing.
#[test]
fn a_node_that_cuda_did_without_is_no_fault() {
    let report = report(
        "from healthy\nkernel.nvidia_modprobe absent\nnode.file file /dev/nvidia-uvm absent\nnode.open file /dev/nvidia-uvm absent",
    );
    assert_eq!((report.verdict, slugs(&report)), (Verdict::Ready, vec![]));
}

/// Nodes that a user may not open and does not need: the capabilities to make and to watch MIG instances (every machine with a
/// recent driver has them), those of other people's instances, and what is for graphics.
#[test]
fn nodes_that_nobody_needs_accuse_nobody() {
    let caps = "node.file file /dev/nvidia-caps/nvidia-cap1 = {\"kind\": \"char\", \"major\": 236, \"minor\": 1, \"mode\": \"400\", \"uid\": 0, \"gid\": 0}\nnode.open file /dev/nvidia-caps/nvidia-cap1 = \"EACCES\"\nnode.open file /dev/nvidia-caps/nvidia-cap2 = \"ok\"";
    let modeset = "node.open file /dev/nvidia-modeset = \"EACCES\"";
    let shared = "nvml.mig gpu 0000:01:00.0 = {\"enabled\": true, \"pending\": true, \"instances\": [\"MIG-a\", \"MIG-b\"]}\nnode.open file /dev/nvidia-caps/nvidia-cap21 = \"ok\"\nnode.open file /dev/nvidia-caps/nvidia-cap30 = \"EACCES\"";
    for machine in [caps, modeset, shared] {
        let report = report(&format!("from healthy\n{machine}"));
        assert_eq!((report.verdict, slugs(&report)), (Verdict::Ready, vec![]), "{machine}");
    }
    // The only instance of this machine may not be opened.
    let closed = report(&format!(
        "from healthy\nnvml.mig gpu 0000:01:00.0 = {{\"enabled\": true, \"pending\": true, \"instances\": [\"MIG-a\"]}}\n{caps}\nnode.file file /dev/nvidia-caps/nvidia-cap21 = {{\"kind\": \"char\", \"major\": 236, \"minor\": 21, \"mode\": \"400\", \"uid\": 0, \"gid\": 0}}\nnode.open file /dev/nvidia-caps/nvidia-cap21 = \"EACCES\"\ncuda.init = 100{NO_CUDA}"
    ));
    assert_eq!(causes(&closed), [("device-node-permission", Confidence::Certain)]);
    assert!(closed.root_causes[0].message.contains("nvidia-cap21"), "{}", closed.root_causes[0].message);
}

/// `void` is also what remains in a pod to which a device plugin hands its GPU in another way.
#[test]
fn a_variable_of_the_container_toolkit_hides_nothing_that_is_seen() {
    let report = report("from healthy\nhost.variable variable NVIDIA_VISIBLE_DEVICES = \"void\"");
    assert_eq!((report.verdict, slugs(&report)), (Verdict::Ready, vec![]));
}

/// A generation that came after the driver: the reason is the age, and the only Blackwell card waits for branch 570.
#[test]
fn a_gpu_that_came_after_the_driver_is_told_so() {
    let report = report(&format!(
        "from healthy\nkernel.nvidia.version = \"550.144.03\"\nnvml.driver_version = \"550.144.03\"\npci.architecture gpu 0000:01:00.0 = \"blackwell\"\npci.driver gpu 0000:01:00.0 absent\nframework.build framework torch@/home/u/venv = {{\"cuda\": \"12.8\"}}\ncuda.init = 100{NO_CUDA}{NO_NVML_GPU}"
    ));
    assert_eq!(causes(&report), [("driver-not-working", Confidence::Likely)]);
    assert!(report.root_causes[0].message.contains("older than branch 570"), "{}", report.root_causes[0].message);
}

/// What is asked for must be what decides between the candidates of this very code, and be possible where it is asked.
#[test]
fn the_question_fits_the_code_and_the_place() {
    for (code, slug, words) in [
        (3, "cuda-init-fails", "uvm_disable_hmm"),
        (100, "cuda-init-fails", "ls -l /dev/nvidia*"),
        (999, "nvidia-uvm-bad-state", "modprobe -r nvidia_uvm"),
        (304, "cuda-init-fails", "dmesg"),
    ] {
        let report = report(&format!("from healthy\ncuda.init = {code}{NO_CUDA}"));
        assert_eq!(slugs(&report).first(), Some(&slug), "{code}");
        assert!(report.unknowns[0].ask.contains(words), "{code}: {}", report.unknowns[0].ask);
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

/// The kernel seldom says which module it refused: another maker's unsigned module is no proof against NVIDIA's.
#[test]
fn a_refused_module_need_not_be_nvidias() {
    let machine = |signer: &str, line: &str| {
        format!(
            "from no-driver\nlibrary.count = 2\nkernel.nvidia.file = \"/lib/modules/6.8.0-45-generic/updates/dkms/nvidia.ko.zst\"\nkernel.nvidia.modinfo = {{\"version\": \"580.95.05\", \"license\": \"Dual MIT/GPL\", \"signer\": {signer}}}\nkernel.secure_boot = true\nkernel.lockdown = \"integrity\"\nkernel.log = 900\nkernel.log.line = \"{line}\""
        )
    };
    let anonymous = "Loading of module with unavailable key is rejected";
    let first = |text: &str| {
        let report = report(text);
        (report.root_causes[0].slug, report.root_causes[0].confidence)
    };
    let secure_boot = "secure-boot-unsigned-module";
    assert_eq!(
        first(&machine("\"box Secure Boot Module Signature key\"", anonymous)),
        (secure_boot, Confidence::Likely)
    );
    let signed = first(&machine("\"Canonical Ltd. Kernel Module Signing\"", anonymous));
    assert_eq!(signed, ("kernel-module-not-loaded", Confidence::Possible));
    assert_eq!(first(&machine("null", "Loading of unsigned module is rejected")), (secure_boot, Confidence::Certain));
    let named = "modprobe: ERROR: could not insert 'nvidia': Key was rejected by service";
    assert_eq!(first(&machine("\"box Secure Boot Module Signature key\"", named)), (secure_boot, Confidence::Certain));
}

/// NVML has a code for a mismatch. Where it gives another one, versions that differ do not lead.
#[test]
fn versions_that_differ_do_not_explain_another_code() {
    let report = report(&format!(
        "from healthy\nhost.container = {{\"engine\": \"docker\", \"signals\": [\"a\", \"b\"]}}\nlibrary.file file /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1 = {{\"name\": \"libnvidia-ml\", \"target\": \"/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.470.42.01\", \"version\": \"470.42.01\"}}\nnode.open file /dev/nvidiactl = \"EPERM\"\nnvml.init = 999\n- nvml.count\n- nvml.handle\ncuda.init = 100{NO_CUDA}"
    ));
    assert_eq!(causes(&report)[0], ("container-cgroup-device-access-lost", Confidence::Likely));
    let mismatch = causes(&report).into_iter().find(|(slug, _)| *slug == "driver-library-version-mismatch");
    assert!(mismatch.is_none_or(|(_, confidence)| confidence == Confidence::Possible));
}

/// An old second card that the driver no longer serves is on the bus; CUDA lists the other one alone.
#[test]
fn a_card_that_cuda_does_not_list_does_not_choose_the_build() {
    let old = "pci.vendor gpu 0000:02:00.0 = \"0x10de\"\npci.device gpu 0000:02:00.0 = \"0x128b\"\n\
               pci.name gpu 0000:02:00.0 = \"GeForce GT 710\"\n";
    let cpu = "framework.build framework torch@/home/u/venv = {}\nframework.available framework torch@/home/u/venv = false\n\
               framework.device_count framework torch@/home/u/venv = 0\n- framework.tensor\n- framework.architectures";
    let command = |cards: &str| {
        let report = report(&format!("from healthy\n{cards}{cpu}"));
        let cause = report.root_causes.iter().find(|c| c.slug == "torch-cpu-only-wheel").expect("found");
        cause
            .remedy
            .steps
            .iter()
            .filter_map(|step| step.command.clone())
            .find(|c| c.contains("pip install"))
            .expect("command")
    };
    assert_eq!(command(old), command(""));
}

/// A JAX with its CUDA plugin that computes on the processor.
const JAX: &str = r#"from healthy
- framework.distribution
- framework.build
- framework.import
- framework.architectures
- framework.available
- framework.device_count
- framework.tensor
python.package environment /home/u/venv = {"name": "jaxlib", "version": "0.10.2"}
python.package environment /home/u/venv = {"name": "jax-cuda13-plugin", "version": "0.10.2"}
framework.distribution framework jax@/home/u/venv = {"version": "0.10.2", "location": "/home/u/venv/lib/python3.12/site-packages", "installer": "pip"}
framework.build framework jax@/home/u/venv = {"cuda": "13.0"}
framework.import framework jax@/home/u/venv = {"ok": true}
framework.available framework jax@/home/u/venv = false
framework.backends framework jax@/home/u/venv = ["cpu"]
"#;

/// JAX computes on the first platform of its list; a list that begins with the GPU has another fault.
#[test]
fn a_variable_that_asks_for_the_processor_is_told_from_one_that_asks_for_the_gpu() {
    for (value, expected) in [
        ("cpu", ("framework-switched-off", Confidence::Certain)),
        ("cpu,cuda", ("framework-switched-off", Confidence::Certain)),
        ("cuda", ("framework-sees-no-gpu", Confidence::Possible)),
        ("cuda,cpu", ("framework-sees-no-gpu", Confidence::Possible)),
        ("", ("framework-sees-no-gpu", Confidence::Possible)),
    ] {
        let report = report(&format!("{JAX}host.variable variable JAX_PLATFORMS = \"{value}\""));
        assert_eq!(causes(&report), [expected], "{value}");
    }
    // The variable of another framework says nothing of this one.
    let report = report(&format!("{JAX}host.variable variable NUMBA_DISABLE_CUDA = \"1\""));
    assert_eq!(slugs(&report), ["framework-sees-no-gpu"]);
}

/// A framework is asked in its own language.
#[test]
fn what_is_not_torch_is_not_asked_with_torch() {
    let report = report(JAX);
    let cause = &report.root_causes[0];
    let commands = cause.remedy.steps.iter().filter_map(|step| step.command.as_deref());
    let all: Vec<&str> = commands.chain(report.unknowns.iter().map(|unknown| unknown.ask.as_str())).collect();
    assert!(all.iter().all(|command| !command.contains("torch")), "{all:?}");
    assert!(all.iter().any(|command| command.contains("import jax")), "{all:?}");
    assert!(report.unknowns.iter().all(|unknown| !unknown.separates.contains(&"torch-cpu-only-wheel")));
}

/// A mask that start-up code sets to a GPU that is there hides nothing.
#[test]
fn a_mask_set_at_start_up_is_no_fault_where_the_framework_computes() {
    let set = r#"python.trouble environment /home/u/venv = {"kind": "startup_variable", "detail": "CUDA_VISIBLE_DEVICES=\"0\""}"#;
    let report = report(&format!("from healthy\n{set}"));
    assert_eq!((report.verdict, causes(&report)), (Verdict::Ready, vec![]));
}

/// torchvision of the same release stays installed where only torch is replaced, and then belongs to another CUDA.
#[test]
fn what_was_built_with_torch_is_replaced_with_it() {
    let report = report(
        r#"from healthy
kernel.nvidia.version = "550.54.14"
nvml.driver_version = "550.54.14"
cuda.driver_version = 12040
framework.available framework torch@/home/u/venv = false
framework.device_count framework torch@/home/u/venv = 0
- framework.tensor
python.package environment /home/u/venv = {"name": "torch", "version": "2.13.0"}
python.package environment /home/u/venv = {"name": "torchvision", "version": "0.28.0"}"#,
    );
    assert_eq!(slugs(&report), ["driver-too-old-for-cuda-runtime"]);
    let command = report.root_causes[0].remedy.steps[0].command.clone().unwrap_or_default();
    assert!(command.contains("uninstall -y torch torchvision && "), "{command}");
    assert!(command.contains("\"torch<2.15\" torchvision --index-url"), "{command}");
}

/// TensorFlow for Windows has no CUDA by design: one fault, not two.
#[test]
fn tensorflow_without_cuda_on_windows_has_one_name() {
    let report = report(
        r#"from healthy
- framework.distribution
- framework.build
- framework.import
- framework.architectures
- framework.available
- framework.device_count
- framework.tensor
host.os = "windows"
python.package environment /home/u/venv = {"name": "tensorflow", "version": "2.21.0"}
framework.distribution framework tensorflow@/home/u/venv = {"version": "2.21.0", "location": "/home/u/venv/Lib/site-packages", "installer": "pip"}
framework.build framework tensorflow@/home/u/venv = {}
framework.import framework tensorflow@/home/u/venv = {"ok": true}
framework.available framework tensorflow@/home/u/venv = false"#,
    );
    assert_eq!(causes(&report), [("tf-native-windows-no-gpu", Confidence::Certain)]);
}

/// TensorFlow for Windows beside a torch that computes on the GPU: worth a note.
#[test]
fn tensorflow_on_windows_is_a_note_where_torch_computes_or_nothing_is_missed() {
    for more in [
        "",
        "framework.distribution framework tensorflow@/home/u/venv = {\"version\": \"2.21.0\", \"location\": \"/x\", \"installer\": \"pip\"}\n\
         framework.build framework tensorflow@/home/u/venv = {}\n\
         framework.import framework tensorflow@/home/u/venv = {\"ok\": true}\n\
         framework.available framework tensorflow@/home/u/venv = false",
    ] {
        let report = report(&format!(
            "from healthy\nhost.os = \"windows\"\n\
             python.package environment /home/u/venv = {{\"name\": \"tensorflow\", \"version\": \"2.21.0\"}}\n{more}"
        ));
        assert_eq!(report.verdict, Verdict::Ready, "{more}");
        let tensorflow = report.root_causes.iter().find(|c| c.slug == "tf-native-windows-no-gpu").expect("the note");
        assert_eq!(tensorflow.severity, Severity::Note, "{more}");
    }
}

/// CuPy compiles where it runs: the compiler of CUDA 13 begins with Turing, that of CUDA 12 with Maxwell.
#[test]
fn cupy_serves_the_gpus_of_its_cuda() {
    let on = |capability: &str, cuda: &str, tensor: &str| {
        report(&format!(
            r#"from healthy
- framework.distribution
- framework.build
- framework.import
- framework.architectures
- framework.available
- framework.device_count
- framework.tensor
cuda.device gpu 0000:01:00.0 = {{"index": 0, "name": "a card", "compute_capability": "{capability}", "memory": 8589934592}}
nvml.compute_capability gpu 0000:01:00.0 = "{capability}"
framework.distribution framework cupy@/home/u/venv = {{"version": "14.2.0", "location": "/home/u/venv/lib/python3.12/site-packages", "installer": "pip"}}
framework.build framework cupy@/home/u/venv = {{"cuda": "{cuda}"}}
framework.import framework cupy@/home/u/venv = {{"ok": true}}
framework.available framework cupy@/home/u/venv = true
framework.device_count framework cupy@/home/u/venv = 1
framework.tensor framework cupy@/home/u/venv = {tensor}"#
        ))
    };
    let fails = r#"{"index": 0, "ok": false, "step": "compute", "message": "nvrtc: error: invalid value for --gpu-architecture (-arch)"}"#;
    let works = r#"{"index": 0, "ok": true}"#;
    let old = on("6.1", "13", fails);
    assert_eq!(causes(&old), [("gpu-arch-too-old-for-build", Confidence::Certain)]);
    assert_eq!(on("6.1", "12", works).verdict, Verdict::Ready);
    assert_eq!(on("12.0", "13", works).verdict, Verdict::Ready);
    // What computed has the code, whatever a list says.
    assert_eq!(on("6.1", "13", works).verdict, Verdict::Ready);
    let step = |report: &Report| report.root_causes[0].remedy.steps[0].command.clone().unwrap_or_default();
    assert!(step(&old).contains("cupy-cuda12x"), "{}", step(&old));
}

/// torch of a Mac names no version of CUDA, and computes on the Mac's own GPU.
#[test]
fn a_mac_whose_own_gpu_computes_is_ready() {
    let mac = |available: bool, tensor: &str| {
        report(&format!(
            r#"host.os = "macos"
host.arch = "aarch64"
host.container absent
python.interpreter environment /Users/u/venv = {{"path": "/Users/u/venv/bin/python", "version": "3.12.3", "prefix": "/Users/u/venv", "base_prefix": "/opt/homebrew", "bits": 64, "chosen_by": "VIRTUAL_ENV", "manager": "pip"}}
framework.distribution framework torch@/Users/u/venv = {{"version": "2.13.0", "location": "/Users/u/venv/lib/python3.12/site-packages"}}
framework.build framework torch@/Users/u/venv = {{}}
framework.import framework torch@/Users/u/venv = {{"ok": true}}
framework.available framework torch@/Users/u/venv = {available}
{tensor}"#
        ))
    };
    let works =
        mac(true, r#"framework.tensor framework torch@/Users/u/venv = {"index": 0, "device": "mps:0", "ok": true}"#);
    assert_eq!((works.verdict, causes(&works)), (Verdict::Ready, vec![]));
    let without = mac(false, "");
    assert_eq!((without.verdict, slugs(&without)), (Verdict::NotReady, vec!["macos-no-cuda"]));
}
