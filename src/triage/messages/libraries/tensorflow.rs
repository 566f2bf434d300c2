//! TensorFlow.

use crate::triage::messages::Weight::{Against, Decides, Suggests, Supports};
use crate::triage::messages::{Message, circumstance, fault};

/// The rows.
pub static ROWS: &[Message] = &[
    // TensorFlow.
    fault(
        "framework",
        "tf-library-not-loaded",
        &[
            "could not load dynamic library 'libcudnn",
            "could not load dynamic library 'libcublas",
            "could not load dynamic library 'libcufft",
            "could not load dynamic library 'libcurand",
            "could not load dynamic library 'libcusolver",
            "could not load dynamic library 'libcusparse",
            "could not load dynamic library 'cudnn64",
            "could not load dynamic library 'cublas",
            "could not load dynamic library 'cufft",
            "could not load dynamic library 'cusolver",
            "could not load dynamic library 'cusparse",
        ],
        &[
            ("tf-cuda-libs-missing", Supports),
            ("tf-cuda-version-mismatch", Suggests),
            ("tf-pip-cuda-libs-not-found", Suggests),
            ("benign-message-gpu-is-used", Suggests),
        ],
    ),
    // The runtime alone is also missing on a machine without any GPU, and TensorFlow says so in the next line.
    fault(
        "framework",
        "tf-cudart-not-loaded",
        &["could not load dynamic library 'libcudart", "could not load dynamic library 'cudart64"],
        &[
            ("tf-cuda-libs-missing", Suggests),
            ("tf-cuda-version-mismatch", Suggests),
            ("tf-pip-cuda-libs-not-found", Suggests),
            ("benign-message-gpu-is-used", Suggests),
        ],
    ),
    fault(
        "framework",
        "tf-cannot-dlopen",
        &["cannot dlopen some gpu libraries"],
        &[
            ("tf-cuda-libs-missing", Supports),
            ("tf-pip-cuda-libs-not-found", Suggests),
            ("tf-cuda-version-mismatch", Suggests),
            ("benign-message-gpu-is-used", Suggests),
        ],
    ),
    // cudart_stub.cc: says it whatever is missing.
    fault(
        "framework",
        "tf-no-cuda-drivers",
        &["could not find cuda drivers on your machine, gpu will not be used"],
        &[
            ("driver-not-installed", Suggests),
            ("container-without-gpu-access", Suggests),
            ("tf-cuda-libs-missing", Suggests),
            ("benign-message-gpu-is-used", Suggests),
        ],
    ),
    fault(
        "framework",
        "tf-old-library-import",
        &[
            "importerror: libcublas.so.",
            "importerror: libcudart.so.",
            "importerror: libcudnn.so.",
            "importerror: libcufft.so.",
            "importerror: libcusolver.so.",
            "importerror: could not find 'cudart64",
            "importerror: could not find 'cudnn64",
        ],
        &[
            ("torch-import-fails", Suggests),
            ("tf-cuda-version-mismatch", Suggests),
            ("tf-cuda-libs-missing", Suggests),
            ("cupy-cuda-major-mismatch", Suggests),
        ],
    ),
    fault(
        "framework",
        "tf-cudnn-version",
        &[
            "loaded runtime cudnn library: * but source was compiled with",
            "cudnn library needs to have matching major version",
        ],
        &[("tf-cuda-version-mismatch", Supports), ("cudnn-version-conflict-ld-library-path", Suggests)],
    ),
    fault(
        "framework",
        "tf-windows-no-gpu-build",
        &["gpu support is not available on native windows"],
        &[("tf-native-windows-no-gpu", Decides)],
    ),
    fault(
        "framework",
        "tf-not-built-with-cuda",
        &[
            "is_built_with_cuda*false",
            "is_build_with_cuda*false",
            "is_built_with_gpu_support*false",
            "is_cuda_build'*false",
            "this tensorflow binary is not built with cuda",
            "tensorflow was not compiled with cuda",
        ],
        &[("tf-native-windows-no-gpu", Suggests), ("tf-cuda-libs-missing", Against)],
    ),
    circumstance(
        "tf-after-2-10",
        &[
            "tensorflow 2.11",
            "tensorflow 2.12",
            "tensorflow 2.13",
            "tensorflow 2.14",
            "tensorflow 2.15",
            "tensorflow 2.16",
            "tensorflow 2.17",
            "tensorflow 2.18",
            "tensorflow 2.19",
            "tensorflow 2.2",
            "tensorflow==2.11",
            "tensorflow==2.12",
            "tensorflow==2.13",
            "tensorflow==2.14",
            "tensorflow==2.15",
            "tensorflow==2.16",
            "tensorflow==2.17",
            "tensorflow==2.18",
            "tensorflow==2.19",
            "tensorflow==2.2",
            "tensorflow version: 2.1",
            "tensorflow version: 2.2",
            "tensorflow-intel",
        ],
        &[],
    ),
    // tensorflow-intel is what pip takes for tensorflow on Windows, and only there.
    circumstance(
        "tf-intel-package",
        &["tensorflow-intel", "tensorflow_intel"],
        &[("tf-native-windows-no-gpu", Supports)],
    ),
    circumstance(
        "tf-and-cuda-extra",
        &["tensorflow[and-cuda]", "tensorflow[and_cuda]"],
        &[("tf-pip-cuda-libs-not-found", Supports), ("tf-cuda-libs-missing", Against)],
    ),
    circumstance(
        "site-packages-nvidia-on-path",
        &[
            "ld_library_path*site-packages/nvidia",
            "ld_library_path*dist-packages/nvidia",
            "nvidia.cudnn.__file__",
            "nvidia.cublas",
        ],
        &[
            ("tf-pip-cuda-libs-not-found", Supports),
            ("onnxruntime-cuda-libs-not-on-path", Supports),
            ("ctranslate2-cuda-lib-missing", Suggests),
            ("jax-plugin-cuda-libs-not-loadable", Suggests),
        ],
    ),
];
