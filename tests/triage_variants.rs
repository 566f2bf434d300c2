//! The same fault in the words of other tools, versions and places gets the same name; and texts about other things get none.
//! Every text here is made up; each shows one way of saying that a tool is known to have.
#![allow(clippy::disallowed_methods)]

mod common;

use common::program::{doctor, run};
use serde_json::Value;

/// The root causes that are errors: slug and confidence.
fn errors(text: &str) -> Vec<(String, String)> {
    let got = run(doctor().args(["triage", "--json", "-"]).write_stdin(text));
    let report: Value = serde_json::from_str(&got.stdout).unwrap();
    let word = |cause: &Value, name: &str| cause[name].as_str().unwrap_or_default().to_string();
    let causes = report["root_causes"].as_array().cloned().unwrap_or_default();
    let broken = |c: &&Value| c["severity"] == "error";
    causes.iter().filter(broken).map(|c| (word(c, "slug"), word(c, "confidence"))).collect()
}

/// What comes first, and a text.
const FAULTS: &[(&str, &str)] = &[
    // The bus, in the words of people; nvidia-docker 1; the device plugin of old.
    ("gpu-fell-off-bus", "after an hour of rendering the GPU falls off the bus"),
    (
        "nvidia-uvm-module-not-loaded",
        "nvidia-docker | Error: Could not load UVM kernel module. Is nvidia-modprobe installed?",
    ),
    ("k8s-runtimeclass-missing", "Loading NVML\nFailed to start nvml with error: could not load NVML library"),
    // A card and a driver that are only named in a sentence.
    ("gpu-too-old-for-driver-branch", "Tesla K40m, with driver 525.60.13: nvidia-smi says No devices were found"),
    // The runtime's answer without its whole sentence.
    ("driver-too-old-for-cuda-runtime", "WARNING: NVIDIA Insufficient driver!"),
    // A torch that only says False: where it happens is all that is known.
    ("ray-hides-gpus", "@ray.remote\nclass Learner: ...\n>>> torch.cuda.is_available()\nFalse"),
    ("container-without-gpu-access", "in the docker image I get torch.cuda.is_available() = False"),
    ("torch-cpu-only-wheel", ">>> import torch\n>>> torch.cuda.is_available()\nFalse"),
    // The release that pip gives is for a newer CUDA than the driver's.
    (
        "driver-too-old-for-cuda-runtime",
        ">>> torch.__version__\n'1.4.0'\n>>> torch.cuda.is_available()\nFalse\n\
         | NVIDIA-SMI 410.48       Driver Version: 410.48       CUDA Version: 10.0     |",
    ),
    // `pip show`, and other ways to print a version.
    ("torch-cpu-only-wheel", "Name: torch\nVersion: 2.4.0+cpu\nSummary: Tensors and Dynamic neural networks"),
    // cuDNN before and after torch 1.12.
    (
        "cudnn-version-conflict-ld-library-path",
        "RuntimeError: cuDNN version mismatch: PyTorch was compiled against 7005 but linked against 7603",
    ),
    (
        "cudnn-version-conflict-ld-library-path",
        "RuntimeError: cuDNN version incompatibility: PyTorch was compiled against (8, 2, 0) but linked against (8, 1, 1)",
    ),
    // glibc's other words for a symbol of another version.
    (
        "ld-library-path-shadows-pip-cuda-libs",
        "OSError: /opt/env/lib/libcublas.so.11: symbol some_symbol version libcublasLt.so.11 not defined in file \
         libcublasLt.so.11 with link time reference",
    ),
    // A library of ONNX Runtime, and what the same line says is there.
    (
        "onnxruntime-cuda-major-mismatch",
        "Failed to load library libonnxruntime_providers_cuda.so with error: libcublasLt.so.11: cannot open shared object \
         file\n- CUDA: 12.3",
    ),
    // bitsandbytes before 0.43 on Windows.
    (
        "bitsandbytes-no-binary-for-cuda",
        "bin C:\\env\\lib\\site-packages\\bitsandbytes\\libbitsandbytes_cpu.so\nCUDA SETUP: WARNING! libcuda.so not found! \
         Do you have a CUDA driver installed?",
    ),
    // The kernel's compute driver of AMD: EPERM as well as EACCES.
    ("rocm-device-permission", "Unable to open /dev/kfd read-write: Operation not permitted"),
    // nouveau's successor.
    ("nouveau-bound", "NVRM: GPU 0000:02:00.0 is already bound to NovaCore.\nNVRM: No NVIDIA devices probed."),
    // The installer's steps.
    (
        "dkms-build-failed",
        "ERROR: An error occurred while performing the step: \"Building kernel modules\". See \
         /var/log/nvidia-installer.log for details.",
    ),
    (
        "secure-boot-unsigned-module",
        "Building kernel modules\n : [##############################] 100%\nERROR: Unable to load the kernel module \
         'nvidia.ko'.\nThe machine has secure boot enabled.",
    ),
    // Packages that are not there, and a hybrid laptop in the mode without the card.
    (
        "driver-not-installed",
        "01:00.0 3D controller: NVIDIA Corporation GP108M [GeForce MX150]\n$ nvidia-smi\nCommand 'nvidia-smi' not found, but \
         can be installed with:\nsudo apt install nvidia-utils-550\n$ modinfo nvidia\nmodinfo: ERROR: Module nvidia not found.",
    ),
    (
        "optimus-gpu-powered-off",
        "$ prime-select query\nintel\n$ nvidia-smi\nNVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
    ),
    (
        "kernel-module-blacklisted",
        "/etc/modprobe.d/blacklist-nvidia.conf: blacklist nvidia\nnvidia-smi: NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver",
    ),
    // The fatal message of the port stands beside the loss.
    (
        "gpu-fell-off-bus",
        "Unable to determine the device handle for GPU 0000:0A:00.0: Unknown Error\npcieport 0000:00:01.0: AER: Uncorrected \
         (Fatal) error received",
    ),
    // The fabric manager where there is something to manage.
    (
        "fabric-manager-not-ready",
        "8x H200\nfabric manager config file item: FABRIC_NODE_CONFIG_FILE has an invalid value",
    ),
    // Triton's compiler.
    ("ptx-newer-than-driver", "PTXAS error: Internal Triton PTX codegen error: Unsupported .version 8.7"),
    // One of several instances.
    (
        "mig-single-instance-limit",
        "the A100 is split in two, but torch.cuda.device_count() shows only one gpu in MIG mode",
    ),
    // Memory that nobody owns.
    ("orphan-process-holds-vram", "after Ctrl-C the memory is not deallocated on the card, kill -9 does not help"),
    // What a report of nvidia-smi alone is about.
    (
        "ecc-uncorrectable-error",
        "GPU 00000000:3B:00.0\n    Remapped Rows\n        Correctable Error                 : 0\n        Uncorrectable Error               : 2\n        Pending                           : Yes",
    ),
    // A card that is only named, beside the flavour of the module or the list of a build.
    (
        "blackwell-needs-open-kernel-module",
        "RTX 5070 Ti, nvidia-smi: No devices were found\nNVRM: loading NVIDIA UNIX x86_64 Kernel Module  570.86.16  Fri Jan 24",
    ),
    (
        "gpu-arch-too-old-for-build",
        "torch.cuda.get_arch_list(): ['sm_75', 'sm_80', 'sm_86', 'sm_90', 'sm_100', 'sm_120']\nGPU: GeForce GTX 1060",
    ),
    // A single card has no fabric.
    (
        "uvm-hmm-driver-bug",
        "Error 802: system not yet initialized\none RTX 6000 Ada, no NVSwitch; with nokaslr on the command line it works",
    ),
    // The setting that cured it names the fault.
    (
        "container-no-cgroups-setting",
        "docker run --gpus all: Failed to initialize NVML: Unknown Error\nSetting no-cgroups = false fixed it",
    ),
    (
        "device-node-permission",
        "options nvidia NVreg_DeviceFileMode=0660\nbob is not in the video group: Failed to initialize NVML: Insufficient \
         Permissions",
    ),
    // WSL and AMD: what a build for ROCm lacks is no libcuda.
    (
        "rocm-wsl-needs-amd-wheels",
        "Ubuntu 24.04 on WSL2, /dev/dxg is there, RX 7900 XT\ntorch 2.5.1+rocm6.2: torch.cuda.is_available() False",
    ),
    // Intel's older words.
    ("intel-driver-not-installed", "UserWarning: DPCPP Device count is zero!\nIntel Arc A750"),
    (
        "intel-xpu-device-permission",
        "RuntimeError: No XPU devices are available.\ndocker run --device /dev/dri --group-add $(stat -c %g \
         /dev/dri/renderD128) image works",
    ),
    (
        "mig-uuid-torch-nvml-count-bug",
        "CUDA_VISIBLE_DEVICES=MIG-01234567-89ab-cdef-0123-456789abcdef\ntorch.cuda.device_count() -> 0\ntorch.ones(1).cuda() works",
    ),
    (
        "dgpu-disabled-in-firmware",
        "lspci shows only the Intel adapter; in the BIOS the graphics device was set to integrated",
    ),
    // A test of the engine that works is not how the failing program was started.
    (
        "container-without-gpu-access",
        "root@0a1b2c3d4e5f:/app# python run.py\nFound no NVIDIA driver on your system.\n$ docker run --gpus all \
         nvidia/cuda:12.2.0-base-ubuntu22.04 nvidia-smi",
    ),
];

#[test]
fn other_words_for_a_fault_get_its_name() {
    let missed: Vec<String> = FAULTS
        .iter()
        .filter_map(|(slug, text)| {
            let got = errors(text);
            let first = got.first().map(|(first, _)| first.as_str());
            (first != Some(slug)).then(|| format!("{slug}: got {got:?} for {text:?}"))
        })
        .collect();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

/// Texts of which no GPU, driver or build is the fault.
const OTHERS: &[&str] = &[
    // A healthy machine of a kind that has a fabric.
    "| NVIDIA-SMI 550.54.15              Driver Version: 550.54.15      CUDA Version: 12.4     |\n\
     |   0  NVIDIA H100 80GB HBM3          On  |   00000000:19:00.0 Off |                    0 |\n\
     | N/A   31C    P0             70W /  700W |       1MiB /  81559MiB |      0%      Default |",
    "Is CUDA available: True\nGPU models and configuration: GPU 0: NVIDIA A100-SXM4-40GB\nNvidia driver version: 535.161.08\n\
     RuntimeError: Trying to backward through the graph a second time",
    "TF-TRT Warning: Could not find TensorRT\n[PhysicalDevice(name='/physical_device:GPU:0', device_type='GPU')]",
    "torch.version.cuda None, torch.version.hip 6.2.41133, torch.cuda.is_available() True",
    "nvidia: module verification failed: signature and/or required key missing - tainting kernel\nNVRM: loading NVIDIA UNIX \
     x86_64 Kernel Module  535.129.03  Thu Oct 19 18:56:32 UTC 2023",
    "Warning  FailedScheduling  0/3 nodes are available: 3 Insufficient cpu.",
    "RuntimeError: DataLoader worker (pid 7) is killed by signal: Bus error. It is possible that dataloader's workers are out \
     of shared memory.",
    "llm_load_tensors: offloaded 33/33 layers to GPU\nthe answers are nonsense",
    "RuntimeError: FlashAttention only supports Ampere GPUs or newer.",
    // Tools that have nothing to manage.
    "GeForce RTX 4090\nsystemctl start nvidia-fabricmanager\nJob for nvidia-fabricmanager.service failed because the control \
     process exited with error code.",
    // A warning beside a result.
    "Found GPU0 Quadro K2200 which is of cuda capability 5.0.\nPyTorch no longer supports this GPU because it is too old.\n\
     tensor([9.], device='cuda:0')",
    // Programs with faults of their own.
    "epoch 3 loss: nan\nGPU 0: Tesla V100-SXM2-32GB\nIs CUDA available: True",
    "RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x512 and 768x10)",
    "torch._dynamo hit config.cache_size_limit (8)",
    "ModuleNotFoundError: No module named 'flash_attn'",
];

#[test]
fn texts_about_other_things_get_no_cause() {
    let blamed: Vec<String> = OTHERS
        .iter()
        .filter_map(|text| {
            let got = errors(text);
            (!got.is_empty()).then(|| format!("{got:?} for {text:?}"))
        })
        .collect();
    assert!(blamed.is_empty(), "{}", blamed.join("\n"));
}
