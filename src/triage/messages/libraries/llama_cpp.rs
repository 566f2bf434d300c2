//! llama.cpp and what is built on it.

use crate::triage::messages::Weight::{Refutes, Suggests, Supports};
use crate::triage::messages::{Message, circumstance, fault};

/// The rows.
pub static ROWS: &[Message] = &[
    // llama.cpp and what is built on it.
    fault(
        "framework",
        "llamacpp-no-usable-gpu",
        &[
            "no usable gpu found",
            "--gpu-layers option will be ignored",
            "not compiled with gpu offload support",
            "llama.cpp was compiled without gpu support",
            "--n-gpu-layers option will be ignored",
        ],
        &[("llamacpp-built-without-cuda", Supports), ("llamacpp-backend-load-order-bug", Suggests)],
    ),
    fault(
        "framework",
        "llamacpp-blas-0",
        &["| blas = 0 |", "blas = 0", "blas=0", "llama_supports_gpu_offload*false", "cublas = 0"],
        &[("llamacpp-built-without-cuda", Supports)],
    ),
    circumstance(
        "llamacpp-cuda-backend-loaded",
        &["load_backend: loaded cuda backend", "ggml_cuda_init: found", "ggml_init_cublas: found"],
        &[("llamacpp-backend-load-order-bug", Supports), ("llamacpp-built-without-cuda", Refutes)],
    ),
    circumstance(
        "llama-cpp-python-install",
        &["pip install llama-cpp-python", "llama_cpp_python", "llama-cpp-python"],
        &[("llamacpp-built-without-cuda", Suggests)],
    ),
];
