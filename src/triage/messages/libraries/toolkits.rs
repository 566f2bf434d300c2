//! Which CUDA and cuDNN are there, and what looks for them.

use crate::triage::messages::Weight::{Against, Refutes, Suggests, Supports};
use crate::triage::messages::{Message, circumstance, fault};

/// The rows.
pub static ROWS: &[Message] = &[
    circumstance(
        "import-torch-first",
        &[
            "import torch first",
            "importing torch first",
            "import torch before",
            "importing torch before",
            "torch is imported before",
            "preload_dlls",
        ],
        &[("onnxruntime-cuda-libs-not-on-path", Supports), ("onnxruntime-cuda-major-mismatch", Against)],
    ),
    circumstance(
        "windows-subsystem",
        &[
            "on wsl",
            "under wsl",
            "using wsl",
            "(wsl2",
            "wsl 2",
            "in wsl",
            "windows subsystem for linux",
            "microsoft-standard",
        ],
        &[("tf-native-windows-no-gpu", Refutes)],
    ),
    circumstance("tf-asks-for-gpus", &["list_physical_devices", "is_gpu_available", "num gpus available"], &[]),
    circumstance(
        "cuda-named",
        &[
            "cuda 11",
            "cuda 12",
            "cuda 13",
            "cuda: 11",
            "cuda: 12",
            "cuda: 13",
            "cuda toolkit 1",
            "cuda version: 1",
            "cuda==1",
        ],
        &[],
    ),
    circumstance(
        "cudnn-named",
        &[
            "cudnn 8",
            "cudnn 9",
            "cudnn: 8",
            "cudnn: 9",
            "cudnn version: 8",
            "cudnn version: 9",
            "cudnn v8",
            "cudnn v9",
            "/libcudnn.so.8",
            "/libcudnn.so.9",
            "cudnn8",
            "cudnn9",
        ],
        &[],
    ),
    circumstance("tf-path-of-cuda", &["/usr/local/cuda-1*/lib64", "/usr/local/cuda-9*/lib64", "cuda\\v1*\\bin"], &[]),
    circumstance("tf-template-cuda", &["cuda/cudnn version"], &[]),
    fault(
        "framework",
        "tf-lists-no-gpu",
        &[
            "list_physical_devices('gpu')*[]",
            "list_physical_devices(\"gpu\")*[]",
            "num gpus available:  0",
            "num gpus available: 0",
            "tf.test.is_gpu_available()*false",
        ],
        &[
            ("tf-cuda-libs-missing", Suggests),
            ("tf-native-windows-no-gpu", Suggests),
            ("tf-pip-cuda-libs-not-found", Suggests),
            ("tf-cuda-version-mismatch", Suggests),
        ],
    ),
    // What CUDA is there: files with their major version, and the compiler's own.
    circumstance(
        "cuda-library-file",
        &["/libcublaslt.so.1", "/libcublas.so.1", "/libcudart.so.1", "/cuda-1*/libcublas"],
        &[],
    ),
    circumstance("nvcc-release", &["cuda compilation tools, release"], &[]),
];
