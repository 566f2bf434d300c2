//! Which machine torch runs on.

use crate::triage::messages::Weight::{Against, Refutes, Suggests, Supports};
use crate::triage::messages::{Message, circumstance};

/// The rows.
pub static ROWS: &[Message] = &[
    // Which machine.
    circumstance(
        "arm-server",
        &["aarch64", "gh200", "gb200", "grace hopper", "grace-hopper", "grace blackwell", "dgx spark", "nvidia gb10"],
        &[("aarch64-pypi-wheel-is-cpu", Supports)],
    ),
    circumstance(
        "jetson-machine",
        &[
            "jetson",
            "-tegra",
            "nv_tegra_release",
            "jetpack",
            "orin (nvgpu)",
            "agx xavier",
            "xavier nx",
            "l4t r",
            "l4t 3",
            "(nvgpu)",
        ],
        &[
            ("jetson-generic-aarch64-wheel", Supports),
            ("gpu-arch-missing-in-build", Suggests),
            ("aarch64-pypi-wheel-is-cpu", Refutes),
        ],
    ),
    circumstance(
        "windows-itself",
        &[
            "windows 10",
            "windows 11",
            "microsoft windows",
            "windows-10-",
            "windows-11-",
            "windows server",
            "on win32",
            "win_amd64",
        ],
        &[("aarch64-pypi-wheel-is-cpu", Refutes), ("jetson-generic-aarch64-wheel", Refutes)],
    ),
    // Other makers: builds for them are other builds.
    circumstance(
        "amd-card",
        &[
            "radeon rx",
            "radeon pro",
            "radeon vii",
            "instinct mi",
            "amd gpu",
            "rx 580",
            "rx 570",
            "rx 5700",
            "rx 6600",
            "rx 6650",
            "rx 6700",
            "rx 6750",
            "rx 7600",
            "rx 7700",
            "rx 7800",
            "vega 56",
            "vega 64",
            "rx 6800",
            "rx 6900",
            "rx 7900",
            "rx 9070",
            "gpu: amd",
        ],
        &[("amd-gpu-with-cuda-torch", Supports)],
    ),
    circumstance(
        "nvidia-card",
        &[
            "geforce",
            "rtx 2",
            "rtx 3",
            "rtx 4",
            "rtx 5",
            "rtx a",
            "gtx 1",
            "gtx 9",
            "tesla ",
            "quadro",
            "nvidia a100",
            "nvidia h100",
        ],
        &[("amd-gpu-with-cuda-torch", Against)],
    ),
    // A build without CUDA never says that.
    circumstance(
        "torch-sees-gpu",
        &[
            "torch.cuda.is_available()*true",
            "is cuda available: true",
            "is cuda available: yes",
            "cuda available: true",
        ],
        &[("jetson-generic-aarch64-wheel", Refutes), ("aarch64-pypi-wheel-is-cpu", Refutes)],
    ),
];
