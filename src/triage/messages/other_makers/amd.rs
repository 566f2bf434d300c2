//! AMD's GPUs: kfd, HIP, ROCm.

use crate::triage::Found;
use crate::triage::messages::Weight::{Against, Decides, Refutes, Suggests, Supports};
use crate::triage::messages::{Message, circumstance, fault, with};

/// The rows.
pub static ROWS: &[Message] = &[
    // EACCES: the node is there, and its group is not one of this user's.
    with(
        kfd_denied,
        fault(
            "device-access",
            "kfd-permission-denied",
            &[
                "unable to open /dev/kfd read-write: permission denied",
                "unable to open /dev/kfd read-write: operation not permitted",
                "/dev/kfd*operation not permitted",
                "/dev/kfd*permission denied",
                "permission denied*/dev/kfd",
                "/dev/kfd owned by",
                "/dev/kfd is owned by",
                "/dev/kfd*belongs to group",
                "rocminfo*works as root",
                "rocminfo*working as root",
                "rocminfo*only as root",
                "rocminfo*only with sudo",
                "sudo rocminfo works",
                "is not member of \"render\" group",
                "is not member of render group",
                "is not a member of the render group",
                "is not member of \"video\" group",
                "user is not in the render group",
                "not in the 'render' group",
                "not in the render group",
                "failed to get user name to check for video group membership",
            ],
            &[("rocm-device-permission", Supports)],
        ),
    ),
    // A render node is AMD's or Intel's; what else is said tells whose.
    fault(
        "device-access",
        "render-node-denied",
        &[
            "/dev/dri/renderd*permission denied",
            "permission denied*/dev/dri/renderd",
            "cannot open /dev/dri/renderd",
            "can't open /dev/dri/renderd",
        ],
        &[("rocm-device-permission", Suggests), ("intel-xpu-device-permission", Suggests)],
    ),
    circumstance(
        "xpu-is-used",
        &[
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
        &[
            ("intel-xpu-device-permission", Suggests),
            ("intel-driver-not-installed", Suggests),
            ("rocm-device-permission", Against),
        ],
    ),
    // The words of rocminfo with the errno: nothing else says this.
    fault(
        "device-access",
        "kfd-eacces",
        &[],
        &[("rocm-device-permission", Decides), ("rocm-device-nodes-missing", Refutes)],
    ),
    // The words of groups that cure it.
    circumstance(
        "render-group-named",
        &[
            "render group",
            "group-add*renderd",
            "group-add*/dev/dri",
            "group-add $(stat",
            "stat -c %g /dev/dri",
            "gid of renderd",
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
        &[("rocm-device-permission", Supports), ("intel-xpu-device-permission", Supports)],
    ),
    fault(
        "device-access",
        "kfd-node-missing",
        &[
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
        &[
            ("rocm-device-nodes-missing", Supports),
            ("rocm-wsl-needs-amd-wheels", Suggests),
            ("rocm-device-permission", Against),
        ],
    ),
    // A container engine that was to pass on a node its machine does not have.
    fault(
        "device-access",
        "kfd-cannot-be-passed",
        &[
            "adding custom device \"/dev/kfd\"",
            "error gathering device information*/dev/kfd",
            "stat /dev/kfd: no such file",
            "error stat'ing*/dev/kfd",
        ],
        &[("rocm-device-nodes-missing", Decides)],
    ),
    circumstance(
        "kfd-passed-on",
        &["--device /dev/kfd", "--device=/dev/kfd", "- /dev/kfd", "amd.com/gpu"],
        &[("rocm-device-nodes-missing", Against), ("rocm-device-permission", Suggests)],
    ),
    // The kernel's compute driver names the GPU that it does not take.
    with(
        kfd_refused,
        fault(
            "kernel-driver",
            "kfd-not-supported",
            &[
                "not supported in kfd",
                "kfd: skipped device",
                "skipped device*pci rejects atomics",
                "unable to open /dev/kfd read-write: cannot allocate memory",
                "kfd: unsupported asic",
                "kfd not supported on this asic",
                "kfd*doesn't support",
            ],
            &[
                ("rocm-gpu-not-supported-by-kfd", Supports),
                ("rocm-device-permission", Against),
                ("rocm-unsupported-gfx", Against),
            ],
        ),
    ),
    fault("kernel-driver", "kfd-says-not-supported", &[], &[("rocm-gpu-not-supported-by-kfd", Decides)]),
    // The GPU is listed, and no kernel of the build is for it.
    fault(
        "tensor",
        "hip-invalid-device-function",
        &[
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
        &[("rocm-unsupported-gfx", Supports), ("gpu-arch-missing-in-build", Refutes)],
    ),
    // Code of a sister chip is let run: it helps where the build lacks this one.
    circumstance("hsa-override", &["hsa_override_gfx_version", "hsa override"], &[("rocm-unsupported-gfx", Supports)]),
    // Ollama counts what its own ROCm libraries serve.
    fault(
        "framework",
        "ollama-amd-unsupported",
        &[
            "amdgpu is not supported*supported_types",
            "no compatible amdgpu devices detected",
            "amdgpu [0] gfx*is not supported",
            "unsupported radeon iommu",
            "rocblas/library*gfx",
        ],
        &[("rocm-unsupported-gfx", Supports), ("rocm-gpu-not-supported-by-kfd", Suggests)],
    ),
    // It may be rights, nodes, the kernel's driver or the build.
    fault(
        "framework",
        "no-hip-gpus",
        &[
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
        &[
            ("rocm-device-permission", Suggests),
            ("rocm-device-nodes-missing", Suggests),
            ("rocm-gpu-not-supported-by-kfd", Suggests),
            ("rocm-wsl-needs-amd-wheels", Suggests),
        ],
    ),
    circumstance(
        "rocm-is-used",
        &[
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
        &[
            ("amd-gpu-with-cuda-torch", Against),
            ("torch-cpu-only-wheel", Against),
            ("rocm-device-permission", Suggests),
            ("intel-xpu-device-permission", Against),
            ("driver-not-installed", Refutes),
            ("driver-too-old-for-cuda-runtime", Refutes),
        ],
    ),
    // WSL with ROCm: the HSA runtime inside the wheel cannot use /dev/dxg.
    circumstance(
        "rocm-under-wsl",
        &[
            "repo.radeon.com/rocm/manylinux",
            "hsa-runtime-rocr4wsl",
            "rocr4wsl",
            "--usecase=wsl",
            "wsl environment detected",
            "librocdxg",
            "torch/lib/libhsa-runtime64",
            "libhsa-runtime64.so",
        ],
        &[("rocm-wsl-needs-amd-wheels", Supports)],
    ),
    // A kernel of WSL: only together with a message about ROCm is this a cause.
    circumstance(
        "wsl-beside-rocm",
        &["microsoft-standard-wsl2", "wsl2", "in wsl", "under wsl", "on wsl", "wsl ubuntu", "/dev/dxg"],
        &[
            ("rocm-wsl-needs-amd-wheels", Supports),
            ("rocm-device-permission", Against),
            ("rocm-gpu-not-supported-by-kfd", Against),
        ],
    ),
];

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
