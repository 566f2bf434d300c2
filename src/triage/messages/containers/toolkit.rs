//! The engine asks for GPUs, and the toolkit hands them out.

use crate::triage::messages::Weight::{Against, Decides, Refutes, Suggests, Supports};
use crate::triage::messages::{Message, circumstance, fault};

/// The rows.
pub static ROWS: &[Message] = &[
    // The daemon found nothing that handles a request for GPUs: usually there is no toolkit on the host.
    fault(
        "device-access",
        "docker-cannot-select-driver",
        &["could not select device driver"],
        &[
            ("container-toolkit-missing", Supports),
            ("container-runtime-not-configured", Suggests),
            ("docker-installed-as-snap", Suggests),
            ("docker-desktop-linux-vm", Suggests),
            ("container-without-gpu-access", Refutes),
        ],
    ),
    // The engine knows no runtime of this name: its configuration was not written, or not read again.
    fault(
        "device-access",
        "unknown-runtime-nvidia",
        &[
            "unknown runtime specified nvidia",
            "unknown or invalid runtime name: nvidia",
            "invalid runtime name: nvidia",
            "no runtime for \"nvidia\" is configured",
            "runtime \"nvidia\" not found",
            "runtime handler \"nvidia\"",
            "runtimehandler \"nvidia\" not supported",
            "failed to find runtime handler nvidia",
        ],
        &[
            ("container-runtime-not-configured", Supports),
            ("container-toolkit-missing", Suggests),
            ("docker-installed-as-snap", Suggests),
        ],
    ),
    // A program of the toolkit is not on the host.
    fault(
        "device-access",
        "toolkit-program-missing",
        &[
            "exec: \"nvidia-container-runtime-hook\"*not found",
            "exec: \"nvidia-container-toolkit\"*not found",
            "exec: \"nvidia-container-cli\"*not found",
            "exec: \"nvidia-container-runtime\"*not found",
            "nvidia-container-runtime: no such file",
            "nvidia-container-runtime-hook: no such file",
            "nvidia-container-cli: command not found",
            "nvidia-ctk: command not found",
            "nvidia-docker: command not found",
            "nvidia-container-cli: not found",
        ],
        &[("container-toolkit-missing", Supports), ("docker-installed-as-snap", Suggests)],
    ),
    // Installing the toolkit was the cure.
    circumstance(
        "toolkit-was-installed",
        &[
            "after installing nvidia-container",
            "installed nvidia-container-toolkit",
            "installing nvidia-container-toolkit",
            "install nvidia-container-toolkit",
            "install -y nvidia-container-toolkit",
            "install nvidia-docker2",
            "install -y nvidia-docker2",
        ],
        &[("container-toolkit-missing", Suggests)],
    ),
    circumstance(
        "nvidia-ctk-configure",
        &["nvidia-ctk runtime configure"],
        &[("container-runtime-not-configured", Suggests)],
    ),
    // The hook looks for the driver's library where the daemon runs, and there is none.
    fault(
        "device-access",
        "container-cli-no-libnvidia-ml",
        &["load library failed: libnvidia-ml.so"],
        &[
            ("driver-not-installed", Supports),
            ("docker-desktop-linux-vm", Suggests),
            ("docker-installed-as-snap", Suggests),
        ],
    ),
    // The request was made, and handled.
    circumstance(
        "container-cli-ran",
        &["nvidia-container-cli*error:"],
        &[
            ("container-without-gpu-access", Refutes),
            ("cuda-visible-devices-hides-all", Refutes),
            ("cuda-visible-devices-out-of-range", Refutes),
            ("device-node-permission", Against),
        ],
    ),
    fault(
        "device-access",
        "container-cli-driver-not-loaded",
        &[
            "nvidia-container-cli*nvml error: driver not loaded",
            "nvidia-container-cli*driver error: failed to process request",
            "nvidia-container-cli*failed to initialize nvml: driver not loaded",
            "nvidia-container-cli*driver rpc error",
        ],
        &[("driver-not-working", Supports), ("kernel-module-not-loaded", Suggests), ("driver-not-installed", Suggests)],
    ),
    // CUDA of the host itself finds no device, although NVML answered before.
    fault(
        "cuda-driver",
        "container-cli-cuda-no-device",
        &["nvidia-container-cli*cuda error: no cuda-capable device"],
        &[("nvlink-bridge-fault", Suggests), ("mig-enabled-unintentionally", Suggests), ("gpu-fell-off-bus", Suggests)],
    ),
    fault(
        "cuda-driver",
        "container-cli-cuda-unknown",
        &["nvidia-container-cli*cuda error: unknown error"],
        &[
            ("nvidia-uvm-bad-state", Suggests),
            ("nvidia-uvm-module-not-loaded", Suggests),
            ("suspend-breaks-nvidia-uvm", Suggests),
        ],
    ),
    fault(
        "device-access",
        "container-cli-wsl-no-adapter",
        &["wsl environment detected but no adapters were found"],
        &[
            ("wsl-gpu-in-tcc-mode", Suggests),
            ("wsl-driver-store-libs-missing", Suggests),
            ("driver-not-installed", Suggests),
        ],
    ),
    // Refused before anything of the container starts.
    fault(
        "cuda-runtime",
        "container-requirement-unsatisfied",
        &["requirement error: unsatisfied condition", "unsatisfied condition: cuda", "unsatisfied condition: driver"],
        &[("container-image-needs-newer-driver", Decides)],
    ),
    // An engine that may not write device rules: in an unprivileged container or user namespace.
    fault(
        "device-access",
        "devices-allow-not-permitted",
        &[
            "devices.allow: operation not permitted",
            "failed to add device rules*operation not permitted",
            "bpf_prog_query(bpf_cgroup_device) failed: operation not permitted",
            "unable to find any existing device filters attached to the cgroup",
            "cgroup subsystem devices not found",
        ],
        &[("container-no-cgroups-setting", Supports)],
    ),
    fault(
        "device-access",
        "container-cli-nvml-refused",
        &["nvidia-container-cli*nvml error: insufficient permissions"],
        &[
            ("device-node-permission", Suggests),
            ("selinux-denies-device", Suggests),
            ("container-no-cgroups-setting", Suggests),
        ],
    ),
    // A hook that may not do what it has to, in a rootless engine.
    fault(
        "device-access",
        "hook-failed",
        &["error executing hook*nvidia-container"],
        &[("container-no-cgroups-setting", Suggests), ("cdi-spec-missing", Suggests)],
    ),
    // Docker before 19.03.
    fault("device-access", "gpus-flag-unknown", &["unknown flag: --gpus"], &[("container-toolkit-missing", Supports)]),
    fault(
        "device-access",
        "container-cli-no-capability",
        &["nvidia-container-cli: permission error: capability change failed"],
        &[("container-no-cgroups-setting", Suggests)],
    ),
];
