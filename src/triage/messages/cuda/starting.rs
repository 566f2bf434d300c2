//! cuInit fails, for the stub library or for unified memory.

use super::codes::{code_3, code_34, code_999};
use crate::triage::messages::Weight::{Against, Decides, Refutes, Suggests, Supports};
use crate::triage::messages::{Message, circumstance, fault, with};

/// The rows.
pub static ROWS: &[Message] = &[
    // 34
    with(
        code_34,
        fault(
            "cuda-driver",
            "cuda-34",
            &[
                "cuda driver is a stub library",
                "cuda_error_stub_library",
                "cudaerrorstublibrary",
                "cudaapierror: [34]",
                "error 34: ",
            ],
            &[("libcuda-stub-loaded", Decides)],
        ),
    ),
    circumstance("stub-path", &["/stubs/libcuda.so", "lib64/stubs", "lib/stubs"], &[("libcuda-stub-loaded", Supports)]),
    // 3: early and unspecific. A fork after cuInit, or the UVM module.
    with(
        code_3,
        fault(
            "cuda-driver",
            "cuda-3",
            &[
                "cuda driver initialization failed",
                "cuda driver library init failure: 3",
                "cuda_error_not_initialized",
                "cudaerrorinitializationerror",
                "cuda error: initialization error",
                "error 3: initialization error",
                "cuda runtime error (3)",
                "error=3 :",
                "cuinit err: 3",
                "cuinit(0) returned 3",
            ],
            &[
                ("cuda-initialized-before-fork", Suggests),
                ("uvm-hmm-driver-bug", Suggests),
                ("nvidia-uvm-bad-state", Suggests),
                ("motherboard-hardware-fault", Suggests),
            ],
        ),
    ),
    // A program that does not fork.
    circumstance(
        "ollama-init-3",
        &["cuda driver library init failure: 3"],
        &[("uvm-hmm-driver-bug", Supports), ("cuda-initialized-before-fork", Against)],
    ),
    circumstance(
        "uvm-hmm",
        &["uvm_disable_hmm", "uvm-disable-hmm", "request_free_mem_region", "nokaslr"],
        &[("uvm-hmm-driver-bug", Supports)],
    ),
    // 999, 30 before CUDA 10.1: the UVM module, as a rule. Reloading it, the first candidate's fix, also cures the next two.
    with(
        code_999,
        fault(
            "cuda-driver",
            "cuda-999",
            &[
                "cuda unknown error",
                "cuda_error_unknown",
                "cudaerrorunknown",
                "error 999",
                "cuda error 999",
                "error=30 :",
                "cuda runtime error (30)",
                "cuda driver library init failure: 999",
                "failed to get device context 999",
                "cuda initialization: unknown error",
                "cuinit(0) failed -> cuda_error_unknown",
                "failed call to cuinit: unknown error (999)",
                "cuinit: unknown error",
            ],
            &[
                ("nvidia-uvm-bad-state", Suggests),
                ("suspend-breaks-nvidia-uvm", Suggests),
                ("nvidia-uvm-module-not-loaded", Suggests),
                ("nvidia-uvm-node-missing", Suggests),
            ],
        ),
    ),
    fault(
        "device-access",
        "uvm-node-missing-said",
        &[
            "/dev/nvidia-uvm*no such file",
            "/dev/nvidia-uvm*missing",
            "/dev/nvidia-uvm*does not exist",
            "/dev/nvidia-uvm*not found",
            "no /dev/nvidia-uvm",
            "/dev/nvidia-uvm is not",
            "missing /dev/nvidia-uvm",
        ],
        &[
            ("nvidia-uvm-node-missing", Supports),
            ("nvidia-uvm-module-not-loaded", Suggests),
            ("suspend-breaks-nvidia-uvm", Refutes),
            ("nvidia-uvm-bad-state", Refutes),
        ],
    ),
    circumstance(
        "nvidia-modprobe-uvm",
        &["nvidia-modprobe -u", "nvidia-modprobe -c", "nvidia-modprobe -c0 -u", "nvidia-modprobe -c=0 -u"],
        &[("nvidia-uvm-node-missing", Suggests), ("nvidia-uvm-module-not-loaded", Suggests)],
    ),
];
