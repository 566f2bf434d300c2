//! Versions of the runtime, of libcuda and of the kernel module that do not go together.

use super::codes::{code_803, code_804, found_version};
use crate::triage::messages::Weight::{Against, Suggests, Supports};
use crate::triage::messages::{Message, circumstance, fault, with};

/// The rows.
pub static ROWS: &[Message] = &[
    // 35. Also where there is no libcuda at all; PyTorch's sentence with a version has one.
    with(
        found_version,
        fault(
            "cuda-runtime",
            "cuda-driver-too-old-found",
            &["driver on your system is too old"],
            &[("driver-too-old-for-cuda-runtime", Supports)],
        ),
    ),
    fault(
        "cuda-runtime",
        "cuda-35",
        &[
            "cuda driver version is insufficient",
            "insufficient driver",
            "error 35*insufficient",
            "cudaerrorinsufficientdriver",
            "error=35 :",
            "cuda runtime error (35)",
            "cuda error: 35",
            "cuda failure 35",
            "unsupported display driver version",
        ],
        &[
            ("driver-too-old-for-cuda-runtime", Supports),
            ("libcuda-not-on-loader-path", Suggests),
            ("container-without-gpu-access", Suggests),
            ("driver-not-installed", Suggests),
        ],
    ),
    // A libcuda before CUDA 12 lacks a call that the program needs.
    fault(
        "cuda-runtime",
        "libcuda-symbol-missing",
        &[
            "undefined symbol: cutensormapencodetiled",
            "undefined symbol: cugetprocaddress",
            "undefined symbol: cumemcreate",
            "undefined symbol: cugetprocaddress_v2",
            "undefined symbol: cudevicegetuuid_v2",
            "undefined symbol: culibraryloaddata",
            "undefined symbol: cukernelgetfunction",
            "undefined symbol: cumulticastcreate",
        ],
        &[
            ("driver-too-old-for-cuda-runtime", Supports),
            ("libcuda-stub-loaded", Suggests),
            ("wrong-libcuda-loaded", Suggests),
        ],
    ),
    // 222: PTX of a newer toolkit than the driver's compiler.
    fault(
        "cuda-kernel",
        "cuda-222",
        &[
            "provided ptx was compiled with an unsupported toolchain",
            "cuda_error_unsupported_ptx_version",
            "unsupported .version*current version is",
            "ptxas error*unsupported .version",
            "ptx codegen error*unsupported .version",
            "jit error: unsupported .version",
            "ptx was compiled with an unsupported toolchain",
            "cudaerrorunsupportedptxversion",
            "ptx version*not supported by*driver",
            "nvjitlink_error_ptx_compile",
        ],
        &[("ptx-newer-than-driver", Supports), ("driver-too-old-for-cuda-runtime", Against)],
    ),
    // 200: also code that is compressed in a way that drivers before 550 do not know, as in llama.cpp and Ollama.
    fault(
        "cuda-kernel",
        "cuda-200",
        &["device kernel image is invalid", "cuda_error_invalid_image", "cudaerrorinvalidkernelimage"],
        &[
            ("driver-too-old-for-cuda-runtime", Suggests),
            ("ptx-newer-than-driver", Suggests),
            ("gpu-arch-missing-in-build", Suggests),
        ],
    ),
    // 218
    fault(
        "cuda-kernel",
        "cuda-218",
        &["a ptx jit compilation failed", "cuda_error_invalid_ptx", "cudaerrorinvalidptx"],
        &[("ptx-newer-than-driver", Suggests), ("gpu-arch-missing-in-build", Suggests)],
    ),
    // 221
    fault(
        "cuda-kernel",
        "cuda-221",
        &[
            "cuda_error_jit_compiler_not_found",
            "cudaerrorjitcompilernotfound",
            "ptx jit compiler library not found",
            "ptx jit compiler library was not found",
        ],
        &[("ptx-jit-compiler-missing", Supports), ("container-driver-capabilities-missing", Suggests)],
    ),
    // A compat libcuda before the driver's own, on a GPU that may not use it.
    with(
        code_804,
        fault(
            "cuda-driver",
            "cuda-804",
            &[
                "forward compatibility was attempted on non supported",
                "error 804",
                "cuda_error_compat_not_supported_on_device",
                "cudaerrorcompatnotsupportedondevice",
            ],
            &[("cuda-compat-on-geforce", Supports), ("libcuda-kernel-module-mismatch", Suggests)],
        ),
    ),
    circumstance(
        "cuda-compat-is-there",
        &["cuda-compat", "/compat/libcuda", "lib/compat", "vllm_enable_cuda_compatibility", "cuda/compat"],
        &[("cuda-compat-on-geforce", Supports)],
    ),
    // libcuda and module of different drivers.
    with(
        code_803,
        fault(
            "cuda-driver",
            "cuda-803",
            &[
                "unsupported display driver / cuda driver combination",
                "unsupported display driver/cuda driver combination",
                "error 803",
                "cuda_error_system_driver_mismatch",
                "cudaerrorsystemdrivermismatch",
            ],
            &[
                ("libcuda-kernel-module-mismatch", Supports),
                ("wrong-libcuda-loaded", Suggests),
                ("driver-library-version-mismatch", Suggests),
                ("cuda-compat-on-geforce", Suggests),
            ],
        ),
    ),
    // TensorFlow compares the two.
    fault(
        "cuda-driver",
        "tf-dso-version",
        &["does not match dso version"],
        &[
            ("libcuda-kernel-module-mismatch", Supports),
            ("driver-library-version-mismatch", Supports),
            ("wrong-libcuda-loaded", Suggests),
        ],
    ),
];
