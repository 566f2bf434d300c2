//! Builds without CUDA, and builds for other makers.

use crate::triage::messages::Weight::{Refutes, Suggests, Supports};
use crate::triage::messages::{Message, circumstance, fault};

/// The rows.
pub static ROWS: &[Message] = &[
    // The build has no CUDA; which build, and why, is told by the tag, the system and the installer.
    fault(
        "framework",
        "torch-not-compiled-with-cuda",
        &["torch not compiled with cuda enable"],
        &[("torch-cpu-only-wheel", Supports), ("macos-no-cuda", Suggests), ("amd-gpu-with-cuda-torch", Suggests)],
    ),
    fault(
        "framework",
        "torch-cpu-tag",
        &[
            "torch-*+cpu",
            "torch==*+cpu",
            "torch 1*+cpu",
            "torch 2*+cpu",
            "torch @ *+cpu",
            "pytorch version*+cpu",
            "torch.__version__*+cpu",
            "torch version*+cpu",
            "torch: *+cpu",
        ],
        &[("torch-cpu-only-wheel", Supports)],
    ),
    fault(
        "framework",
        "collect-env-without-cuda",
        &[
            "cuda used to build pytorch: none",
            "cuda used to build pytorch: could not collect",
            "torch.version.cuda*none",
        ],
        &[("torch-cpu-only-wheel", Supports)],
    ),
    fault(
        "framework",
        "torch-cpu-version-came",
        &[
            "cpu version instead",
            "installs cpu version",
            "installed the cpu version",
            "installs the cpu version",
            "installed cpu version",
            "cpu-only version of pytorch",
            "cpu-only version of torch",
            "cpu only version of pytorch",
            "cpu-only torch",
            "cpu-only pytorch",
            "cpu version of pytorch",
            "cpu version of torch",
            "(cpu version)",
            "\"cpu\" build",
            "cpu build of pytorch",
            "pytorch cpu build",
        ],
        &[("torch-cpu-only-wheel", Supports), ("conda-cpu-build-selected", Suggests)],
    ),
    // What an XPU build answers with True.
    fault(
        "framework",
        "torch-xpu-not-compiled",
        &["xpu._is_compiled*false", "torch not compiled with xpu enabled"],
        &[("torch-cpu-only-wheel", Supports)],
    ),
    fault(
        "framework",
        "ultralytics-invalid-device",
        &[
            "invalid cuda 'device=",
            "invalid device id*torch.cuda",
            "invalid device '*' requested. valid devices are 'cpu'",
        ],
        &[("torch-cpu-only-wheel", Suggests), ("cuda-visible-devices-out-of-range", Suggests)],
    ),
    circumstance("torch-xpu-tag", &["torch*+xpu"], &[("torch-cpu-only-wheel", Refutes)]),
    circumstance(
        "torch-rocm-tag",
        &["torch*+rocm", "torch.version.hip*5.", "torch.version.hip*6.", "torch.version.hip*7."],
        &[
            ("torch-cpu-only-wheel", Refutes),
            ("amd-gpu-with-cuda-torch", Refutes),
            ("wsl-libcuda-not-on-path", Refutes),
            ("libcuda-not-on-loader-path", Refutes),
            ("driver-too-old-for-cuda-runtime", Refutes),
        ],
    ),
    circumstance(
        "torch-cpu-index",
        &["pytorch.org/whl/cpu", "pytorch.org/whl/nightly/cpu"],
        &[("torch-cpu-only-wheel", Supports), ("lockfile-selects-cpu-wheel", Suggests)],
    ),
    circumstance(
        "torch-windows-plain-install",
        &["win_amd64.whl", "windows*pip install torch"],
        &[("torch-cpu-only-wheel", Suggests)],
    ),
    // A CUDA build comes with NVIDIA's packages; a list without them is a list of a build without CUDA.
    fault(
        "framework",
        "torch-without-nvidia-packages",
        &[
            "no nvidia-* packages",
            "no nvidia packages",
            "no nvidia_* packages",
            "without nvidia-* packages",
            "no cudnn / cublas",
            "no nvidia-cublas",
            "no nvidia-cudnn",
            "no cuda packages",
        ],
        &[("torch-cpu-only-wheel", Supports)],
    ),
    // The CPU part of libtorch runs without the other one: dropped by the linker of a program, or not there in Python's build.
    fault(
        "framework",
        "aten-cuda-not-loaded",
        &["without aten_cuda library"],
        &[("libtorch-cuda-not-linked", Suggests), ("torch-cpu-only-wheel", Suggests)],
    ),
    circumstance(
        "rust-with-torch",
        &["torch-sys", "tch::", "tch-rs", "err` value: torch(", "/lib.rs:", "/main.rs:"],
        &[("libtorch-cuda-not-linked", Suggests)],
    ),
];
