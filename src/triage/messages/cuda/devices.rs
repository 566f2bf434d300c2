//! Which devices there are, and which of them may be used.

use super::codes::{code_2, code_100, code_805, counts_none, mask};
use crate::triage::messages::Weight::{Against, Decides, Refutes, Suggests, Supports};
use crate::triage::messages::{Message, circumstance, fault, with};

/// The rows.
pub static ROWS: &[Message] = &[
    // 46: a context was refused.
    fault(
        "cuda-kernel",
        "cuda-46",
        &[
            "all cuda-capable devices are busy or unavailable",
            "cuda-capable device(s) is/are busy or unavailable",
            "cudaerrordevicesunavailable",
            "cuda runtime error (46)",
            "error=46 :",
            "failed to get device context 46",
            "(46 vs. 0)",
            "error 46",
        ],
        &[("exclusive-compute-mode", Suggests), ("vgpu-unlicensed", Suggests), ("vgpu-profile-without-cuda", Suggests)],
    ),
    // Nobody else holds the GPU.
    circumstance(
        "gpu-is-idle",
        &["0% utilization", "no running processes found", "0 % utilization", "gpu is idle"],
        &[("exclusive-compute-mode", Against)],
    ),
    circumstance(
        "compute-mode-exclusive",
        &["e. process", "exclusive_process", "exclusive process", "exclusive_thread", "e. thread"],
        &[("exclusive-compute-mode", Supports)],
    ),
    // 101, 10 before CUDA 10.1: a number past the end of what is visible.
    fault(
        "framework",
        "cuda-101",
        &[
            "invalid device ordinal",
            "cuda_error_invalid_device",
            "cudaerrorinvaliddevice",
            "cuda runtime error (10)",
            "cuda runtime error (101)",
        ],
        &[
            ("more-ranks-than-visible-gpus", Supports),
            ("cuda-visible-devices-out-of-range", Suggests),
            ("cvd-not-renumbered-in-container", Suggests),
            ("mig-single-instance-limit", Suggests),
        ],
    ),
    // 100, 38 before CUDA 10.1: cuInit ran and lists nothing.
    with(
        code_100,
        fault(
            "cuda-driver",
            "cuda-100",
            &[
                "no cuda-capable device is detected",
                "cuda_error_no_device",
                "cudaerrornodevice",
                "cuda runtime error (38)",
                "error=38 :",
                "cuinit: no cuda-capable device",
                "cuda driver library init failure: 100",
                "no nvidia devices detected by library",
            ],
            &[
                ("cuda-visible-devices-out-of-range", Suggests),
                ("cuda-visible-devices-hides-all", Suggests),
                ("device-node-permission", Suggests),
                ("container-without-gpu-access", Suggests),
                ("gpu-fell-off-bus", Suggests),
                ("nvlink-bridge-fault", Suggests),
                ("mig-enabled-unintentionally", Suggests),
            ],
        ),
    ),
    // What Stable Diffusion's web interface says at its start.
    fault(
        "framework",
        "webui-no-gpu",
        &["torch is not able to use gpu"],
        &[
            ("torch-cpu-only-wheel", Suggests),
            ("driver-not-working", Suggests),
            ("amd-gpu-with-cuda-torch", Suggests),
            ("device-node-permission", Suggests),
            ("driver-too-old-for-cuda-runtime", Suggests),
        ],
    ),
    // PyTorch counts none.
    with(
        counts_none,
        fault(
            "framework",
            "torch-no-cuda-gpus",
            &["no cuda gpus are available"],
            &[
                ("cuda-visible-devices-hides-all", Suggests),
                ("cuda-visible-devices-out-of-range", Suggests),
                ("scheduler-no-gpu-allocated", Suggests),
                ("ray-hides-gpus", Suggests),
                ("container-without-gpu-access", Suggests),
                ("cuda-compat-on-geforce", Suggests),
                ("mig-enabled-unintentionally", Suggests),
                ("cvd-not-renumbered-in-container", Suggests),
            ],
        ),
    ),
    // A mask that names GPUs, whether or not they are there.
    with(mask, circumstance("mask-is-set", &["cuda_visible_devices"], &[])),
    circumstance(
        "mask-names-gpus",
        &[],
        &[
            ("cuda-visible-devices-hides-all", Refutes),
            ("ray-hides-gpus", Against),
            ("scheduler-no-gpu-allocated", Against),
            ("cuda-visible-devices-out-of-range", Suggests),
            ("cvd-not-renumbered-in-container", Suggests),
        ],
    ),
    // 2 while CUDA starts, before the program allocates.
    with(
        code_2,
        fault(
            "cuda-driver",
            "cuda-2-at-init",
            &[
                "cudagetdevicecount()*error 2: out of memory",
                "cuinit*cuda_error_out_of_memory",
                "cuinit: out of memory",
                "cuda driver library init failure: 2",
            ],
            &[("wsl-multi-gpu-init-oom", Suggests), ("orphan-process-holds-vram", Suggests)],
        ),
    ),
    // 801
    fault(
        "cuda-driver",
        "cuda-801",
        &[
            "error 801",
            "cudagetdevicecount*operation not supported",
            "cuda_error_not_supported",
            "cudaerrornotsupported",
        ],
        &[("device-node-permission", Suggests)],
    ),
    // A virtual GPU that gives no context.
    fault(
        "cuda-kernel",
        "ollama-context-801",
        &["failed to get device context 801"],
        &[("vgpu-profile-without-cuda", Suggests), ("vgpu-unlicensed", Suggests)],
    ),
    // 800: the cgroup changed under a process that had started.
    fault(
        "cuda-driver",
        "cuda-800",
        &["error 800", "failed to get device context 800", "cuda_error_not_permitted", "cudaerrornotpermitted"],
        &[("container-cgroup-device-access-lost", Suggests)],
    ),
    // 805
    with(
        code_805,
        fault(
            "cuda-driver",
            "cuda-805",
            &[
                "mps client failed to connect to the mps control daemon",
                "error 805",
                "cuda_error_mps_connection_failed",
                "cudaerrormpsconnectionfailed",
            ],
            &[("mps-daemon-unreachable", Decides)],
        ),
    ),
    // 806 to 810
    fault(
        "cuda-driver",
        "cuda-806",
        &[
            "mps server is not ready",
            "cuda_error_mps_server_not_ready",
            "cuda_error_mps_rpc_failure",
            "mps rpc call failed",
            "cudaerrormpsserver",
            "cudaerrormpsrpcfailure",
        ],
        &[("mps-daemon-unreachable", Supports)],
    ),
];
