//! Programs that do something wrong on the GPU.

use crate::triage::messages::Weight::{Against, Suggests, Supports};
use crate::triage::messages::{Message, circumstance, fault};

/// The rows.
pub static ROWS: &[Message] = &[
    // A kernel of the program touched what it may not: 700, old 77, and its kin.
    // A check of the kernel itself, as of an index: the program's, and of no card or driver.
    fault(
        "program",
        "device-side-assert",
        &["device-side assert triggered", "cudaerrorassert", "cuda runtime error (59)"],
        &[("application-illegal-memory-access", Supports)],
    ),
    fault(
        "program",
        "illegal-memory-access",
        &[
            "an illegal memory access was encountered",
            "illegal memory access",
            "cuda_error_illegal_address",
            "cudaerrorillegaladdress",
            "cuda error 700",
            "error code 700",
            "cuda runtime error (77)",
            "cuda failure 700",
            "cuda error: misaligned address",
            "cuda_error_misaligned_address",
            "invalid __global__ read",
            "invalid __global__ write",
        ],
        &[
            ("application-illegal-memory-access", Supports),
            ("driver-regression", Suggests),
            ("suspected-faulty-gpu", Suggests),
        ],
    ),
    fault(
        "program",
        "launch-failure",
        &[
            "unspecified launch failure",
            "cuda_error_launch_failed",
            "cudaerrorlaunchfailure",
            "cuda error 719",
            "illegal instruction was encountered",
        ],
        &[
            ("application-illegal-memory-access", Suggests),
            ("suspected-faulty-gpu", Suggests),
            ("driver-regression", Suggests),
        ],
    ),
    // A library or a kernel gave up, and the error does not say over what.
    fault(
        "tensor",
        "computation-gave-up",
        &[
            "cublas_status_execution_failed",
            "cublas_status_not_initialized",
            "cublas_status_internal_error",
            "cufft_internal_error",
            "cusolver_status_internal_error",
            "cusolver_status_execution_failed",
            "the launch timed out and was terminated",
            "cuda_error_launch_timeout",
            "cudaerrorlaunchtimeout",
            "cuda error: hardware stack error",
            "cuda error: invalid program counter",
        ],
        &[("cuda-computation-fails", Suggests), ("insufficient-vram-cpu-offload", Suggests)],
    ),
    // The program's own tool finds it, or it follows the program.
    circumstance(
        "bug-follows-program",
        &[
            "compute-sanitizer",
            "cuda-memcheck",
            "out-of-bounds",
            "out of bounds",
            "on any gpu",
            "on every gpu",
            "on all gpus",
            "on different gpus",
            "on another machine too",
            "also on another machine",
            "other programs work",
            "other models work",
            "specific input",
            "only with this model",
            "only with this input",
        ],
        &[("application-illegal-memory-access", Supports), ("suspected-faulty-gpu", Against)],
    ),
];
