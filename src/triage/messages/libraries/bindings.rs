//! CuPy, bitsandbytes and CTranslate2.

use crate::triage::messages::Weight::{Against, Decides, Refutes, Suggests, Supports};
use crate::triage::messages::{Message, circumstance, fault};

/// The rows.
pub static ROWS: &[Message] = &[
    // CuPy.
    fault(
        "framework",
        "cupy-multiple-packages",
        &["multiple cupy packages are installed"],
        &[("cupy-multiple-packages", Decides)],
    ),
    fault(
        "framework",
        "cupy-library-not-loaded",
        &[
            "cupy failed to load",
            "cupy*libnvrtc.so.*cannot open",
            "cupy*libcublas.so.*cannot open",
            "if you are using wheel distribution (cupy-cuda",
            "cupy is not correctly installed",
        ],
        &[("cupy-cuda-major-mismatch", Supports), ("cupy-multiple-packages", Suggests)],
    ),
    fault(
        "framework",
        "nvrtc-not-found",
        &["libnvrtc.so.1*cannot open shared object", "libnvrtc.so.1*not found"],
        &[("cupy-cuda-major-mismatch", Suggests)],
    ),
    circumstance(
        "cupy-wheel",
        &["cupy-cuda1", "cupy_backends", "import cupy", "cupy/"],
        &[("cupy-cuda-major-mismatch", Supports)],
    ),
    // bitsandbytes.
    fault(
        "framework",
        "bnb-library-missing",
        &[
            "required library version not found: libbitsandbytes_cuda",
            "configured cuda binary not found",
            "libbitsandbytes_cuda*cannot open shared object",
            "libbitsandbytes_cuda*does not exist",
            "libbitsandbytes_cuda*not found",
            "could not find the bitsandbytes cuda binary",
        ],
        &[("bitsandbytes-no-binary-for-cuda", Supports)],
    ),
    fault(
        "framework",
        "bnb-setup-failed",
        &["cuda setup failed despite gpu being available", "cuda setup failed despite cuda being available"],
        &[("bitsandbytes-no-binary-for-cuda", Supports)],
    ),
    fault(
        "framework",
        "bnb-without-gpu-support",
        &[
            "bitsandbytes was compiled without gpu support",
            "libbitsandbytes_cpu.so",
            "has no attribute 'cget_managed_ptr'",
            "has no attribute 'cadam32bit_grad_fp32'",
            "undefined symbol: cadam32bit_grad_fp32",
            "undefined symbol: cget_managed_ptr",
        ],
        &[
            ("bitsandbytes-no-binary-for-cuda", Suggests),
            ("torch-cpu-only-wheel", Suggests),
            ("wsl-libcuda-not-on-path", Suggests),
            ("libcuda-not-on-loader-path", Suggests),
        ],
    ),
    // Its releases before 0.43 hold nothing for the GPU on Windows.
    circumstance(
        "bnb-on-windows",
        &[
            "\\bitsandbytes\\libbitsandbytes_cpu.so",
            "\\bitsandbytes\\cuda_setup\\main.py",
            "libbitsandbytes_cpu.so*winerror 193",
            "winerror 193*libbitsandbytes",
        ],
        &[
            ("bitsandbytes-no-binary-for-cuda", Supports),
            ("wsl-libcuda-not-on-path", Refutes),
            ("libcuda-not-on-loader-path", Against),
            ("driver-not-installed", Against),
            ("container-without-gpu-access", Against),
        ],
    ),
    // CTranslate2, and what cuDNN 9 says by itself.
    fault(
        "framework",
        "ct2-library-missing",
        &[
            "library libcublas.so.* is not found or cannot be loaded",
            "library libcudnn*is not found or cannot be loaded",
            "library cublas64_* is not found or cannot be loaded",
            "library cudnn*.dll is not found or cannot be loaded",
        ],
        &[("ctranslate2-cuda-lib-missing", Decides)],
    ),
    fault(
        "framework",
        "cudnn-part-not-loaded",
        &[
            "unable to load any of {libcudnn",
            "could not load library libcudnn_",
            "could not locate cudnn_",
            "could not load library cudnn_",
            "invalid handle. cannot load symbol cudnn",
        ],
        &[("ctranslate2-cuda-lib-missing", Supports), ("cudnn-version-conflict-ld-library-path", Suggests)],
    ),
    circumstance(
        "ct2-in-use",
        &["ctranslate2", "faster-whisper", "faster_whisper", "whisperx"],
        &[("ctranslate2-cuda-lib-missing", Supports)],
    ),
    // Extensions of torch: a name of its C++ libraries that another release, or another ABI, does not have.
    fault(
        "framework",
        "torch-symbol-missing",
        &[
            "undefined symbol: _zn3c10",
            "undefined symbol: _znk3c10",
            "undefined symbol: _ztin3c10",
            "undefined symbol: _ztvn3c10",
            "undefined symbol: _zn2at",
            "undefined symbol: _znk2at",
            "undefined symbol: _zn5torch",
            "undefined symbol: _znk5torch",
            "undefined symbol: _ztvn5torch",
            "undefined symbol: aoti_torch_",
        ],
        &[("extension-built-for-another-torch", Supports)],
    ),
    fault(
        "framework",
        "xformers-built-for-another",
        &["xformers can't load c++/cuda extensions", "xformers was built for:"],
        &[("extension-built-for-another-torch", Suggests), ("torch-cpu-only-wheel", Suggests)],
    ),
    circumstance(
        "xformers-has-cuda-torch",
        &["pytorch*with cuda*(you have *+cu"],
        &[("extension-built-for-another-torch", Supports), ("torch-cpu-only-wheel", Against)],
    ),
    circumstance(
        "xformers-has-cpu-torch",
        &["pytorch*with cuda*(you have *+cpu)"],
        &[("torch-cpu-only-wheel", Supports), ("extension-built-for-another-torch", Against)],
    ),
];
