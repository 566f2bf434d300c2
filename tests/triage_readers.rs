//! What each kind of text gives, with values worked out by hand from the texts in `fuzz_triage.txt`.

use gpu_doctor::facts::{Facts, cuda, host, kernel, nvidia, pci, python};
use gpu_doctor::subject::Subject;
use gpu_doctor::triage::read_str;

fn text(number: usize) -> Facts {
    read_str(include_str!("fuzz_triage.txt").split("\n----\n").nth(number).unwrap())
}

const MIB: u64 = 1 << 20;

#[test]
fn the_table_of_nvidia_smi() {
    let facts = text(0);
    assert_eq!(facts.value(&nvidia::NVML_INIT), Some(0));
    assert_eq!(facts.value(&nvidia::NVML_DRIVER).as_deref(), Some("570.124.06"));
    assert_eq!(facts.value(&nvidia::NVML_CUDA), Some(12080));
    let (first, second) = (Subject::gpu("0000:07:00.0"), Subject::gpu("0000:0f:00.0"));
    assert_eq!(facts.look(&nvidia::NVML_NAME, &first).seen().as_deref(), Some("NVIDIA A100-SXM4-40GB"));
    let mig = facts.look(&nvidia::NVML_MIG, &first).seen().unwrap();
    assert!(mig.enabled && mig.instances.len() == 1);
    assert!(!facts.look(&nvidia::NVML_MIG, &second).seen().unwrap().enabled);
    assert_eq!(facts.look(&nvidia::NVML_COMPUTE_MODE, &second).seen().as_deref(), Some("exclusive_process"));
    assert_eq!(facts.look(&nvidia::NVML_ECC, &second).seen().unwrap().uncorrected_volatile, Some(2));
    let memory = facts.look(&nvidia::NVML_MEMORY, &second).seen().unwrap();
    assert_eq!((memory.total, memory.used), (40960 * MIB, 39021 * MIB));
    let processes = facts.look(&nvidia::NVML_PROCESSES, &second).seen().unwrap();
    assert_eq!((processes.len(), processes[0].pid, processes[0].memory), (1, 4242, Some(39012 * MIB)));
    let power = facts.look(&nvidia::NVML_POWER, &second).seen().unwrap();
    assert_eq!((power.now, power.limit), (Some(61.0), Some(400.0)));
}

#[test]
fn tables_of_other_ages() {
    // 375: four digits of a domain, no CUDA version, no third line.
    let old = text(1);
    let gpu = Subject::gpu("0000:02:00.0");
    assert_eq!(old.look(&nvidia::NVML_NAME, &gpu).seen().as_deref(), Some("GeForce GTX 1080"));
    assert_eq!(old.look(&nvidia::NVML_COMPUTE_MODE, &gpu).seen().as_deref(), Some("prohibited"));
    assert!(old.machine::<i32>(&nvidia::NVML_CUDA).fact().is_none());
    assert_eq!(old.look(&nvidia::NVML_PROCESSES, &gpu).seen().map(|list| list.len()), Some(0));
    // 610 calls the versions otherwise.
    let new = text(2);
    assert_eq!(new.value(&nvidia::NVML_DRIVER).as_deref(), Some("610.43.02"));
    assert_eq!(new.value(&nvidia::NVML_CUDA), Some(13030));
    // The list has identifiers and instances.
    let list = text(3);
    let gpu = Subject::gpu("0");
    assert_eq!(list.look(&nvidia::NVML_MIG, &gpu).seen().map(|mig| mig.instances.len()), Some(2));
}

#[test]
fn the_long_report_of_nvidia_smi() {
    let facts = text(4);
    let gpu = Subject::gpu("0000:1b:00.0");
    assert_eq!(facts.value(&nvidia::NVML_COUNT), Some(1));
    assert_eq!(facts.look(&nvidia::NVML_FABRIC, &gpu).seen().map(|fabric| fabric.state), Some(2));
    let pcie = facts.look(&nvidia::NVML_PCIE, &gpu).seen().unwrap();
    assert_eq!((pcie.generation, pcie.generation_max, pcie.width, pcie.width_max), (5, 5, 8, 16));
    let ecc = facts.look(&nvidia::NVML_ECC, &gpu).seen().unwrap();
    assert_eq!((ecc.uncorrected_volatile, ecc.uncorrected_aggregate), (Some(3), Some(7)));
    assert_eq!((ecc.remap_pending, ecc.remap_failure), (Some(true), Some(false)));
    assert_eq!(facts.look(&nvidia::NVML_CLOCK_REASONS, &gpu).seen(), Some(4));
    assert_eq!(facts.look(&nvidia::NVML_RECOVERY, &gpu).seen(), Some(4));
}

#[test]
fn collect_env_and_its_kin() {
    let facts = text(5);
    let torch = Subject::framework("torch", "your environment");
    let installed = facts.look(&python::DISTRIBUTION, &torch).seen().unwrap();
    assert_eq!(installed.version, "2.3.1+cu121");
    assert_eq!(installed.conda_build.as_deref(), Some("py3.12_cuda12.1_cudnn8.9.2_0"));
    assert_eq!(facts.look(&python::BUILD, &torch).seen().unwrap().cuda.as_deref(), Some("12.1"));
    assert_eq!(facts.look(&python::AVAILABLE, &torch).seen(), Some(false));
    assert_eq!(facts.value(&host::KERNEL).as_deref(), Some("6.8.9-300.fc40.x86_64"));
    assert_eq!(facts.value(&host::PACKAGE_MANAGER).as_deref(), Some("dnf"));
    assert_eq!(facts.value(&host::VIRTUALIZATION).as_deref(), Some("kvm"));
    assert_eq!(facts.value(&nvidia::NVML_DRIVER).as_deref(), Some("470.256.02"));
    assert_eq!(facts.look(&nvidia::NVML_NAME, &Subject::gpu("1")).seen().as_deref(), Some("NVIDIA RTX A4000"));
    let kin = text(6);
    let build = kin.look(&python::BUILD, &torch).seen().unwrap();
    assert_eq!((build.cuda, build.hip, build.xpu), (None, None, None));
}

#[test]
fn a_build_without_cuda_has_three_spellings() {
    let torch = Subject::framework("torch", "your environment");
    let build = |text: &str| read_str(text).look(&python::BUILD, &torch).seen();
    let none = Some(python::Build::default());
    assert_eq!(build("PyTorch version: 2.6.0\nCUDA used to build PyTorch: None\n"), none);
    assert_eq!(build("PyTorch version: 1.12.1\nCUDA used to build PyTorch: Could not collect\n"), none);
    assert_eq!(build("torch 2.6.0+cpu\n"), none);
    // Intel's build says the same, and its tag says what it is.
    let intel = build("PyTorch version: 2.7.1+xpu\nCUDA used to build PyTorch: Could not collect\n").unwrap();
    assert!(intel.xpu.is_some());
    let amd = build(
        "PyTorch version: 2.4.0+rocm6.1\nCUDA used to build PyTorch: N/A\nROCM used to build PyTorch: 6.1.40091-a8dbc0c19\n",
    );
    assert!(amd.unwrap().hip.is_some());
    assert_eq!(build("no torch here\n"), None);
}

#[test]
fn modules_and_devices() {
    let modules = text(8).value(&kernel::MODULES).unwrap();
    assert_eq!(modules, ["nvidia_uvm", "nvidia_drm", "nvidia_modeset", "nvidia"]);
    let bus = text(9);
    let gpu = Subject::gpu("0000:01:00.0");
    assert_eq!(bus.look(&pci::DRIVER, &gpu).seen().as_deref(), Some("nouveau"));
    assert_eq!(bus.look(&pci::DEVICE, &gpu).seen().as_deref(), Some("0x2786"));
    assert_eq!(bus.look(&pci::ARCHITECTURE, &gpu).seen().as_deref(), Some("ada"));
    assert_eq!(bus.look(&pci::NAME, &gpu).seen().as_deref(), Some("GeForce RTX 4070"));
    assert_eq!(bus.look(&pci::CONFIG_ALL_ONES, &gpu).seen(), Some(true));
    let amd = Subject::gpu("0000:03:00.0");
    assert_eq!(bus.look(&pci::VENDOR, &amd).seen().as_deref(), Some("0x1002"));
    let built = text(10);
    let dkms = built.value(&kernel::DKMS).unwrap();
    assert_eq!((dkms.len(), dkms[0].built_for[0].as_str()), (3, "6.8.0-55-generic"));
    assert!(dkms[2].built_for.is_empty());
    assert_eq!(built.value(&kernel::MODINFO).unwrap().license.as_deref(), Some("Dual MIT/GPL"));
    assert_eq!(built.value(&kernel::SECURE_BOOT), Some(true));
    assert_eq!(built.value(&kernel::LOCKDOWN).as_deref(), Some("integrity"));
    let nodes = text(11);
    let control = nodes.look(&kernel::NODE, &Subject::file("/dev/nvidiactl")).seen().unwrap();
    assert_eq!((control.mode.as_str(), control.group.as_deref(), control.minor), ("660", Some("video"), 255));
    assert!(nodes.look(&kernel::NODE_OPEN, &Subject::file("/dev/nvidia-uvm")).is_absent());
    assert!(nodes.machine::<cuda::Loaded>(&cuda::LIBRARY).is_absent());
}

#[test]
fn the_host_and_its_variables() {
    let facts = text(12);
    assert_eq!(facts.value(&host::DISTRO).unwrap().id, "debian");
    assert_eq!(facts.value(&host::USER).unwrap().groups[1], (44, Some("video".to_string())));
    assert_eq!(facts.value(&host::KERNEL).as_deref(), Some("6.1.0-31-amd64"));
    assert_eq!(facts.variable("CUDA_VISIBLE_DEVICES").seen().as_deref(), Some(""));
    let path = facts.variable("LD_LIBRARY_PATH").seen().unwrap();
    assert_eq!(path, "/usr/local/cuda-12.4/lib64:/usr/local/cuda-12.4/lib64/stubs");
    // A variable in a sentence, or set as an attempt at a cure, is none of the process.
    let prose = read_str("I tried export LD_LIBRARY_PATH=/usr/lib and CUDA_VISIBLE_DEVICES=3 as well\n");
    assert!(prose.variable("LD_LIBRARY_PATH").fact().is_none());
    assert!(prose.variable("CUDA_VISIBLE_DEVICES").fact().is_none());
}

#[test]
fn a_session_of_python() {
    let facts = text(14);
    let torch = Subject::framework("torch", "your environment");
    assert_eq!(facts.look(&python::DISTRIBUTION, &torch).seen().unwrap().version, "2.6.0+cu124");
    assert_eq!(facts.look(&python::AVAILABLE, &torch).seen(), Some(false));
    assert_eq!(facts.look(&python::DEVICE_COUNT, &torch).seen(), Some(2));
    assert_eq!(facts.look(&python::ARCHITECTURES, &torch).seen().unwrap().len(), 7);
    assert_eq!(facts.value(&cuda::INIT), Some(999));
    assert_eq!(facts.value(&cuda::DRIVER_VERSION), Some(11040));
    assert_eq!(facts.look(&nvidia::NVML_CC, &Subject::gpu("1")).seen().as_deref(), Some("5.2"));
}
