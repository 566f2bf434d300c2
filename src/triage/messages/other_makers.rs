//! Messages about GPUs of other makers: AMD (ROCm, HIP, kfd, amdgpu), Intel (XPU, Level Zero, SYCL), Apple.

use super::About::{Circumstance, Fault, Harmless};
use super::Message;
use super::Weight::{Against, Decides, Refutes, Suggests, Supports};
use crate::subject::Subject;
use crate::triage::Found;

/// The rows.
pub static ROWS: &[Message] = &[
    Message {
        // EACCES: the node is there, and its group is not one of this user's.
        id: "kfd-permission-denied",
        words: &[
            "unable to open /dev/kfd read-write: permission denied",
            "/dev/kfd*permission denied",
            "permission denied*/dev/kfd",
            "is not member of \"render\" group",
            "is not member of render group",
            "is not a member of the render group",
            "is not member of \"video\" group",
            "user is not in the render group",
            "not in the 'render' group",
            "not in the render group",
            "failed to get user name to check for video group membership",
        ],
        about: Fault("device-access"),
        causes: &[("rocm-device-permission", Supports)],
        facts: Some(kfd_denied),
    },
    Message {
        // A render node is AMD's or Intel's; what else is said tells whose.
        id: "render-node-denied",
        words: &[
            "/dev/dri/renderd*permission denied",
            "permission denied*/dev/dri/renderd",
            "cannot open /dev/dri/renderd",
            "can't open /dev/dri/renderd",
        ],
        about: Fault("device-access"),
        causes: &[("rocm-device-permission", Suggests), ("intel-xpu-device-permission", Suggests)],
        facts: None,
    },
    Message {
        id: "xpu-is-used",
        words: &[
            "torch.xpu",
            "+xpu",
            "level_zero",
            "level zero",
            "level-zero",
            "sycl-ls",
            "intel arc",
            "intel(r) arc",
            "arc a770",
            "arc a750",
            "arc b580",
            "intel(r) graphics [0x",
            "oneapi",
            "intel_extension_for_pytorch",
            "intel-extension-for-pytorch",
        ],
        about: Circumstance,
        causes: &[
            ("intel-xpu-device-permission", Suggests),
            ("intel-driver-not-installed", Suggests),
            ("rocm-device-permission", Against),
        ],
        facts: None,
    },
    Message {
        // The words of rocminfo with the errno: nothing else says this.
        id: "kfd-eacces",
        words: &[],
        about: Fault("device-access"),
        causes: &[("rocm-device-permission", Decides), ("rocm-device-nodes-missing", Refutes)],
        facts: None,
    },
    Message {
        // The words of groups that cure it.
        id: "render-group-named",
        words: &[
            "render group",
            "group render",
            "-ag render",
            "-ag video,render",
            "-ag render,video",
            "--group-add render",
            "--group-add=render",
            "--group-add keep-groups",
            "groupadd*render",
            "usermod*render",
            "getfacl /dev/dri",
            "setfacl*/dev/dri",
            "uaccess",
        ],
        about: Circumstance,
        causes: &[("rocm-device-permission", Supports), ("intel-xpu-device-permission", Supports)],
        facts: None,
    },
    Message {
        id: "kfd-node-missing",
        words: &[
            "\"/dev/kfd\": no such file",
            "'/dev/kfd': no such file",
            "/dev/kfd: no such file",
            "/dev/kfd*no such file or directory",
            "unable to open /dev/kfd read-write: no such file or directory",
            "/dev/kfd does not exist",
            "/dev/kfd not found",
            "no /dev/kfd",
            "rocm-driver is not loaded",
            "rock module is not loaded",
            "rock module is not present",
            "possibly no gpu devices",
        ],
        about: Fault("device-access"),
        causes: &[
            ("rocm-device-nodes-missing", Supports),
            ("rocm-wsl-needs-amd-wheels", Suggests),
            ("rocm-device-permission", Against),
        ],
        facts: None,
    },
    Message {
        // A container engine that was to pass on a node its machine does not have.
        id: "kfd-cannot-be-passed",
        words: &[
            "adding custom device \"/dev/kfd\"",
            "error gathering device information*/dev/kfd",
            "stat /dev/kfd: no such file",
            "error stat'ing*/dev/kfd",
        ],
        about: Fault("device-access"),
        causes: &[("rocm-device-nodes-missing", Decides)],
        facts: None,
    },
    Message {
        id: "kfd-passed-on",
        words: &["--device /dev/kfd", "--device=/dev/kfd", "- /dev/kfd", "amd.com/gpu"],
        about: Circumstance,
        causes: &[("rocm-device-nodes-missing", Against), ("rocm-device-permission", Suggests)],
        facts: None,
    },
    Message {
        // The kernel's compute driver names the GPU that it does not take.
        id: "kfd-not-supported",
        words: &[
            "not supported in kfd",
            "kfd: skipped device",
            "skipped device*pci rejects atomics",
            "unable to open /dev/kfd read-write: cannot allocate memory",
            "kfd: unsupported asic",
            "kfd not supported on this asic",
            "kfd*doesn't support",
        ],
        about: Fault("kernel-driver"),
        causes: &[
            ("rocm-gpu-not-supported-by-kfd", Supports),
            ("rocm-device-permission", Against),
            ("rocm-unsupported-gfx", Against),
        ],
        facts: Some(kfd_refused),
    },
    Message {
        id: "kfd-says-not-supported",
        words: &[],
        about: Fault("kernel-driver"),
        causes: &[("rocm-gpu-not-supported-by-kfd", Decides)],
        facts: None,
    },
    Message {
        // The GPU is listed, and no kernel of the build is for it.
        id: "hip-invalid-device-function",
        words: &[
            "hip error: invalid device function",
            "hiperrorinvaliddevicefunction",
            "hiperrornobinaryforgpu",
            "unable to find code object for all current devices",
            "hiperrorsharedobjectinitfailed",
            "hip error: no kernel image is available",
            "hip error: the operation cannot be performed in the present state",
            "rocblas error: cannot read*tensilelibrary",
            "tensilelibrary.dat: illegal seek",
            "could not initialize tensile",
            "no kernel image*hip",
            "cannot find the function: cijk_",
            "hipfuncgetattributes*invalid device function",
            "amd gpu*not supported by this build",
            "amdgpu is not supported",
            "amdgpu is too old",
            "unsupported gpu gfx",
            "is not supported by rocm",
            "attempting to use hipblaslt on an unsupported architecture",
        ],
        about: Fault("tensor"),
        causes: &[("rocm-unsupported-gfx", Supports), ("gpu-arch-missing-in-build", Refutes)],
        facts: None,
    },
    Message {
        // Code of a sister chip is let run: it helps where the build lacks this one.
        id: "hsa-override",
        words: &["hsa_override_gfx_version", "hsa override"],
        about: Circumstance,
        causes: &[("rocm-unsupported-gfx", Supports)],
        facts: None,
    },
    Message {
        // Ollama counts what its own ROCm libraries serve.
        id: "ollama-amd-unsupported",
        words: &[
            "amdgpu is not supported*supported_types",
            "no compatible amdgpu devices detected",
            "amdgpu [0] gfx*is not supported",
            "unsupported radeon iommu",
            "rocblas/library*gfx",
        ],
        about: Fault("framework"),
        causes: &[("rocm-unsupported-gfx", Supports), ("rocm-gpu-not-supported-by-kfd", Suggests)],
        facts: None,
    },
    Message {
        // It may be rights, nodes, the kernel's driver or the build.
        id: "no-hip-gpus",
        words: &[
            "no hip gpus are available",
            "hiperrornodevice",
            "hip error: no rocm-capable device is detected",
            "no rocm-capable device is detected",
            "hip error: 100",
            "hsa_status_error_out_of_resources",
            "hsa_status_error: a generic error has occurred",
            "hsa api call failure at",
            "amdgpu detected, but no compatible rocm library found",
            "rocm_agent_enumerator*no",
        ],
        about: Fault("framework"),
        causes: &[
            ("rocm-device-permission", Suggests),
            ("rocm-device-nodes-missing", Suggests),
            ("rocm-gpu-not-supported-by-kfd", Suggests),
            ("rocm-wsl-needs-amd-wheels", Suggests),
        ],
        facts: None,
    },
    Message {
        id: "rocm-is-used",
        words: &[
            "+rocm",
            "rocminfo",
            "rocm-smi",
            "amd-smi",
            "rocm used to build pytorch: 5",
            "rocm used to build pytorch: 6",
            "rocm used to build pytorch: 7",
            "hip runtime version: 5",
            "hip runtime version: 6",
            "hip runtime version: 7",
            "rocm/pytorch",
            "torch.version.hip",
        ],
        about: Circumstance,
        causes: &[
            ("amd-gpu-with-cuda-torch", Against),
            ("torch-cpu-only-wheel", Against),
            ("rocm-device-permission", Suggests),
            ("intel-xpu-device-permission", Against),
            ("driver-not-installed", Refutes),
            ("driver-too-old-for-cuda-runtime", Refutes),
        ],
        facts: None,
    },
    Message {
        // WSL with ROCm: the HSA runtime inside the wheel cannot use /dev/dxg.
        id: "rocm-under-wsl",
        words: &[
            "repo.radeon.com/rocm/manylinux",
            "hsa-runtime-rocr4wsl",
            "rocr4wsl",
            "--usecase=wsl",
            "wsl environment detected",
            "librocdxg",
            "torch/lib/libhsa-runtime64",
            "libhsa-runtime64.so",
        ],
        about: Circumstance,
        causes: &[("rocm-wsl-needs-amd-wheels", Supports)],
        facts: None,
    },
    Message {
        // A kernel of WSL: only together with a message about ROCm is this a cause.
        id: "wsl-beside-rocm",
        words: &["microsoft-standard-wsl2", "wsl2", "in wsl", "under wsl", "on wsl", "wsl ubuntu", "/dev/dxg"],
        about: Circumstance,
        causes: &[
            ("rocm-wsl-needs-amd-wheels", Supports),
            ("rocm-device-permission", Against),
            ("rocm-gpu-not-supported-by-kfd", Against),
        ],
        facts: None,
    },
    Message {
        // A GPU by AMD and CUDA's own words: the build is for another maker's GPU.
        id: "amd-gpu-named",
        words: &[
            "radeon rx",
            "radeon pro",
            "radeon vii",
            "radeon r9",
            "radeon r7",
            "radeon graphics",
            "radeon 6",
            "radeon 7",
            "radeon 8",
            "rx 5700",
            "rx 580",
            "rx 6600",
            "rx 6700",
            "rx 6800",
            "rx 6900",
            "rx 7600",
            "rx 7700",
            "rx 7800",
            "rx 7900",
            "rx 9060",
            "rx 9070",
            "instinct mi",
            "amd gpu",
            "amd graphics",
            "amd radeon",
            "amd card",
            "ryzen ai max",
        ],
        about: Circumstance,
        causes: &[("amd-gpu-with-cuda-torch", Supports), ("driver-not-installed", Against)],
        facts: Some(amd_named),
    },
    Message {
        // Beside an NVIDIA GPU, one by AMD is the processor's own graphics.
        id: "nvidia-gpu-named",
        words: &[
            "geforce",
            "rtx 20",
            "rtx 30",
            "rtx 40",
            "rtx 50",
            "rtx a",
            "gtx 9",
            "gtx 10",
            "gtx 16",
            "quadro",
            "tesla",
            "titan",
            "nvidia a100",
            "nvidia a10",
            "nvidia a30",
            "nvidia a40",
            "nvidia h100",
            "nvidia h200",
            "nvidia l4",
            "nvidia b200",
        ],
        about: Circumstance,
        causes: &[("amd-gpu-with-cuda-torch", Refutes), ("no-nvidia-gpu-present", Against)],
        facts: None,
    },
    Message {
        // CUDA's words, which a CUDA build says beside any GPU that is not NVIDIA's.
        id: "cuda-build-finds-nothing",
        words: &[
            "found no nvidia driver on your system",
            "no cuda gpus are available",
            "no cuda-capable device is detected",
            "torch not compiled with cuda enabled",
            "torch.cuda.is_available()*false",
        ],
        about: Circumstance,
        causes: &[],
        facts: Some(cuda_words),
    },
    Message {
        // Both in one text.
        id: "cuda-build-beside-amd-gpu",
        words: &[],
        about: Fault("framework"),
        causes: &[("amd-gpu-with-cuda-torch", Supports), ("torch-cpu-only-wheel", Suggests)],
        facts: None,
    },
    Message {
        // torch for Intel: the runtime found no device; the driver is missing, or its nodes do not open.
        id: "xpu-init-failed",
        words: &[
            "failed to initialize xpu devices",
            "no xpu devices are available",
            "xpu device count is zero",
            "xpu device is not available",
            "no device of requested type available",
            "no device of requested type 'info::device_type::gpu' available",
            "pi_error_device_not_found",
            "native api failed*device_not_found",
            "ur_result_error_device_not_found",
            "ze_result_error_uninitialized",
            "ze_result_error_dependency_unavailable",
            "zeinit failed",
            "zeinit*returned",
            "no gpu device found*sycl",
            "no platforms found*sycl",
            "can't find xpu device",
            "cannot find any xpu",
            "no intel gpu",
            "torch.xpu.is_available()*false",
            "xpu.is_available()*false",
            "xpu available: false",
            "xpu not available",
            "no xpu device",
        ],
        about: Fault("framework"),
        causes: &[("intel-driver-not-installed", Suggests), ("intel-xpu-device-permission", Suggests)],
        facts: None,
    },
    Message {
        // The trace of the SYCL loader is asked for where no device was found. Its Level Zero part is there.
        id: "sycl-trace",
        words: &["sycl_ur_trace", "sycl_pi_trace", "ze_enable_loader_debug_trace", "ze_loader_debug_trace"],
        about: Fault("framework"),
        causes: &[("intel-xpu-device-permission", Suggests), ("intel-driver-not-installed", Suggests)],
        facts: None,
    },
    Message {
        id: "level-zero-adapter-there",
        words: &[
            "loaded adapter*libur_adapter_level_zero",
            "[level_zero:gpu",
            "[ext_oneapi_level_zero:gpu",
            "libze_intel_gpu.so.1 (libc6",
        ],
        about: Circumstance,
        causes: &[("intel-xpu-device-permission", Suggests), ("intel-driver-not-installed", Against)],
        facts: None,
    },
    Message {
        // The compute runtime is not there.
        id: "level-zero-missing",
        words: &[
            "libze_intel_gpu.so*cannot open shared object",
            "libze_loader.so*cannot open shared object",
            "libze_intel_gpu.so*not found",
            "libze_loader.so*not found",
            "failed to load driver*libze_intel_gpu",
            "without intel driver",
            "without intel gpu driver",
            "without the intel gpu driver",
            "intel gpu driver is not installed",
            "no intel gpu driver",
            "intel-level-zero-gpu*not installed",
            "libze-intel-gpu1*not installed",
            "installing intel-level-zero-gpu",
            "install intel-level-zero-gpu",
            "install libze-intel-gpu1",
            "intel-opencl-icd",
            "intel-compute-runtime",
            "force_probe",
            "number of platforms*0",
            "dgpu-docs.intel.com",
        ],
        about: Circumstance,
        causes: &[("intel-driver-not-installed", Supports), ("intel-xpu-device-permission", Against)],
        facts: None,
    },
    Message {
        // Rights that come and go with the seat, or that root alone has.
        id: "seat-rights",
        words: &[
            "local login",
            "logged in locally",
            "log in locally",
            "over ssh",
            "via ssh",
            "through ssh",
            "ssh session",
            "desktop session",
            "loginctl",
            "after login",
        ],
        about: Circumstance,
        causes: &[("intel-xpu-device-permission", Suggests), ("rocm-device-permission", Suggests)],
        facts: None,
    },
    Message {
        // A second adapter, which may be what stands in the way: nothing is decided by it.
        id: "xpu-other-adapter",
        words: &["2.5.1+xpu*works", "integrated amd", "amd igpu", "with igpu"],
        about: Circumstance,
        causes: &[],
        facts: None,
    },
    Message {
        // The loader of SYCL tries every maker's adapter.
        id: "sycl-other-makers-adapters",
        words: &["failed to load adapter 'libur_adapter_cuda", "failed to load adapter 'libur_adapter_hip"],
        about: Harmless,
        causes: &[],
        facts: None,
    },
    Message {
        // The build has no XPU code: a CPU or CUDA build.
        id: "xpu-not-compiled",
        words: &[
            "torch.xpu._is_compiled()*false",
            "torch.xpu._is_compiled*false",
            "torch not compiled with xpu enabled",
            "pytorch was compiled without xpu support",
        ],
        about: Fault("framework"),
        causes: &[
            ("torch-cpu-only-wheel", Supports),
            ("intel-driver-not-installed", Refutes),
            ("intel-xpu-device-permission", Refutes),
        ],
        facts: None,
    },
    Message {
        // Apple: no CUDA for it.
        id: "macos-is-used",
        words: &[
            "darwin kernel",
            "macos-1",
            "macos 1",
            "macbook",
            "apple m1",
            "apple m2",
            "apple m3",
            "apple m4",
            "apple silicon",
            "mac os x",
            "osx-arm64",
            "os: macos",
            "mac mini",
            "mac studio",
        ],
        about: Circumstance,
        causes: &[("macos-no-cuda", Supports), ("driver-not-installed", Against)],
        facts: None,
    },
];

/// A GPU by AMD, in a text in which a CUDA build found nothing.
fn amd_named(line: &str, found: &mut Found) {
    if was_said(found, "cuda-build-finds-nothing") && !was_said(found, "rocm-is-used") {
        found.said("cuda-build-beside-amd-gpu", line, []);
    }
}

/// The same the other way round.
fn cuda_words(line: &str, found: &mut Found) {
    if was_said(found, "amd-gpu-named") && !was_said(found, "rocm-is-used") {
        found.said("cuda-build-beside-amd-gpu", line, []);
    }
}

/// Whether a message was recognised in the text so far.
fn was_said(found: &Found, id: &str) -> bool {
    found.counts.contains_key(&(id.to_string(), Subject::machine()))
}

/// rocminfo's words with their errno.
fn kfd_denied(line: &str, found: &mut Found) {
    let lower = line.to_lowercase();
    if lower.contains("/dev/kfd") && lower.contains("permission denied") {
        found.said("kfd-eacces", line, []);
    }
}

/// The kernel's own words.
fn kfd_refused(line: &str, found: &mut Found) {
    if line.to_lowercase().contains("not supported in kfd") {
        found.said("kfd-says-not-supported", line, []);
    }
}
