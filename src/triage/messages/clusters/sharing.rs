//! GPUs that are shared: MPS, Jetson, virtual GPUs.

use crate::triage::messages::Weight::{Against, Refutes, Suggests, Supports};
use crate::triage::messages::{Message, circumstance, fault};

/// The rows.
pub static ROWS: &[Message] = &[
    circumstance(
        "mps-daemon-named",
        &[
            "nvidia-cuda-mps-control",
            "nvidia-cuda-mps-server",
            "cuda_mps_pipe_directory",
            "nvidia-mps",
            "mps control daemon",
        ],
        &[("mps-daemon-unreachable", Suggests)],
    ),
    circumstance("mps-in-processes", &["nvidia-cuda-mps-server"], &[("exclusive-compute-mode", Against)]),
    // Devices of a Jetson are for the group video.
    circumstance(
        "jetson-nodes",
        &["jetson", "jetpack", "l4t-base", "l4t-pytorch", "l4t-ml", "l4t-jetpack", "l4t-tensorflow", "tegra"],
        &[
            ("device-node-permission", Suggests),
            ("nvidia-uvm-module-not-loaded", Against),
            ("nvidia-uvm-node-missing", Against),
        ],
    ),
    // A virtual GPU, by the words of its licence.
    fault(
        "cuda-kernel",
        "vgpu-license-state",
        &[
            "license status*unlicensed",
            "license status*expired",
            "unlicensed (unrestricted)",
            "unlicensed (restricted)",
            "failed to acquire license",
            "failed to acquire/renew license",
            "license request failed",
            "valid grid license not found",
            "acquiring license failed",
            "license expired",
            "license has expired",
            "licence expired",
            "license server*unreachable",
            "unable to obtain a license",
            "vgpu unlicensed",
            "vgpu is unlicensed",
            "unlicensed vgpu",
            "vgpu*licensing issue",
            "unlicensed state",
        ],
        &[("vgpu-unlicensed", Supports)],
    ),
    circumstance(
        "vgpu-licensed",
        &["license status*: licensed", "license acquired successfully"],
        &[("vgpu-unlicensed", Refutes)],
    ),
    circumstance(
        "vgpu-is-used",
        &[
            "nvidia vgpu",
            "vgpu profile",
            "vgpu driver",
            "vgpu guest",
            "vgpu software",
            "a vgpu",
            "the vgpu",
            "with vgpu",
            "vgpu type",
            "vgpus",
            "nvidia-gridd",
            "gridd.conf",
            "grid a100",
            "grid v100",
            "grid t4",
            "grid p40",
            "grid rtx",
            "license status",
            "nvidia grid",
            "nvidia ai enterprise",
            "delegated license",
            "dls license",
            "client_configuration_token",
        ],
        &[("vgpu-unlicensed", Supports), ("vgpu-profile-without-cuda", Suggests)],
    ),
    circumstance(
        "vgpu-slow-later",
        &["slow after 20 minutes", "slows down after", "degraded performance after", "fast at first"],
        &[("vgpu-unlicensed", Suggests)],
    ),
];
