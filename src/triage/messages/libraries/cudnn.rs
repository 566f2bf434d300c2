//! cuDNN, and bundled libraries of several versions.

use crate::triage::messages::Weight::{Suggests, Supports};
use crate::triage::messages::{Message, circumstance, fault};

/// The rows.
pub static ROWS: &[Message] = &[
    // cuDNN.
    fault(
        "framework",
        "cudnn-incompatible",
        &[
            "cudnn version incompatibility",
            "cudnn version mismatch",
            "cudnn*compiled against*but linked against",
            "cudnn error: cudnn_status_version_mismatch",
            "cudnn_status_sublibrary_version_mismatch",
            "libcudnn*undefined symbol",
            "undefined symbol*libcudnn",
        ],
        &[("cudnn-version-conflict-ld-library-path", Supports)],
    ),
    circumstance(
        "cudnn-library-path",
        &["ld_library_path contains incompatible version of cudnn", "conflicting cudnn in ld_library_path"],
        &[("cudnn-version-conflict-ld-library-path", Supports)],
    ),
    fault(
        "framework",
        "cudnn-arch-mismatch",
        &["cudnn_status_arch_mismatch", "cudnn_status_not_supported_arch_mismatch"],
        &[("cudnn-too-new-for-gpu", Supports)],
    ),
    fault(
        "framework",
        "cudnn-execution-failed",
        &[
            "cudnn_status_execution_failed",
            "cudnn_status_not_supported",
            "unable to find an engine to execute this computation",
            "find was unable to find an engine",
        ],
        &[("cudnn-too-new-for-gpu", Suggests), ("cudnn-version-conflict-ld-library-path", Suggests)],
    ),
    // A bundled library that met a sibling of another version.
    fault(
        "framework",
        "cuda-library-symbol",
        &[
            "undefined symbol: __nvjitlink",
            "undefined symbol: cublas",
            "undefined symbol: cusparse",
            "undefined symbol: cusolver",
            "undefined symbol: cufft",
            "undefined symbol: nvrtc",
            "undefined symbol: nccl",
            "undefined symbol: cudaget",
            "libcusparse.so*undefined symbol",
            "libcublas.so*undefined symbol",
            "libcusolver.so*undefined symbol",
            "libcusolvermg.so*undefined symbol",
            "libnvjitlink.so*undefined symbol",
            "libcublas.so*version `libcublaslt",
            "version `libnvjitlink.so",
            "version libnvjitlink.so",
            "version libcublas*not defined in file",
            "version libcusparse*not defined in file",
            "version libcudart*not defined in file",
            "version libcusolver*not defined in file",
            "version `libcudart.so",
        ],
        &[("ld-library-path-shadows-pip-cuda-libs", Supports)],
    ),
    circumstance(
        "library-path-names-toolkit",
        &[
            "ld_library_path=/usr/local/cuda",
            "ld_library_path=*/cuda/lib64",
            "ld_library_path=*/usr/local/cuda",
            "=> /usr/local/cuda",
        ],
        &[
            ("ld-library-path-shadows-pip-cuda-libs", Supports),
            ("cudnn-version-conflict-ld-library-path", Suggests),
            ("jax-plugin-cuda-libs-not-loadable", Suggests),
        ],
    ),
    circumstance(
        "library-path-unset-helps",
        &["unset ld_library_path", "ld_library_path= python", "ld_library_path=\"\" python", "unset ld_preload"],
        &[
            ("ld-library-path-shadows-pip-cuda-libs", Supports),
            ("cudnn-version-conflict-ld-library-path", Suggests),
            ("jax-plugin-cuda-libs-not-loadable", Suggests),
        ],
    ),
];
