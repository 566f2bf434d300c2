//! Messages about the libraries that frameworks load: TensorFlow, JAX, ONNX Runtime, CuPy, bitsandbytes, CTranslate2,
//! llama.cpp, and the loader's own words on cuDNN, cuBLAS and nvJitLink.
//!
//! Texts from symptoms.md, section 7, and from the sources of the named packages.

use super::About::Fault;
use super::Weight::{Against, Decides, Refutes, Suggests, Supports};
use super::{Found, Message, Weight, circumstance};

/// A row about something broken in a framework.
const fn fault(id: &'static str, words: &'static [&'static str], causes: &'static [(&'static str, Weight)]) -> Message {
    Message { id, words, about: Fault("framework"), causes, facts: None }
}

/// The rows.
pub static ROWS: &[Message] = &[
    // TensorFlow.
    fault(
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
        "tf-cudnn-version",
        &[
            "loaded runtime cudnn library: * but source was compiled with",
            "cudnn library needs to have matching major version",
        ],
        &[("tf-cuda-version-mismatch", Supports), ("cudnn-version-conflict-ld-library-path", Suggests)],
    ),
    fault(
        "tf-windows-no-gpu-build",
        &["gpu support is not available on native windows"],
        &[("tf-native-windows-no-gpu", Decides)],
    ),
    fault(
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
    // JAX.
    fault(
        "jax-no-cuda-jaxlib",
        &["cuda-enabled jaxlib is not installed"],
        &[
            ("jaxlib-cpu-only", Supports),
            ("jax-plugin-cuda-libs-not-loadable", Suggests),
            ("jax-plugin-version-mismatch", Suggests),
            ("benign-message-gpu-is-used", Suggests),
        ],
    ),
    fault(
        "jax-falls-back",
        &["no gpu/tpu found, falling back to cpu"],
        &[
            ("jaxlib-cpu-only", Supports),
            ("jax-plugin-cuda-libs-not-loadable", Suggests),
            ("benign-message-gpu-is-used", Suggests),
        ],
    ),
    // What the CPU build of jaxlib says when it is asked for CUDA.
    fault(
        "jax-cpu-jaxlib-signs",
        &[
            "has no attribute 'gpuallocatorconfig'",
            "unknown backend: 'gpu' requested",
            "unknown backend 'gpu'",
            "unknown backend: 'cuda' requested",
            "unknown backend cuda",
        ],
        &[("jaxlib-cpu-only", Supports), ("jax-plugin-cuda-libs-not-loadable", Suggests)],
    ),
    fault(
        "jax-plugin-config-error",
        &[
            "jax plugin configuration error",
            "exception when calling jax_plugins.xla_cuda",
            "pjrt_api already exists for device type cuda",
        ],
        &[("jax-plugin-cuda-libs-not-loadable", Supports), ("jaxlib-cpu-only", Refutes)],
    ),
    fault(
        "jax-library-not-found",
        &[
            "unable to load cusparse",
            "unable to load cudnn. is it installed",
            "unable to load cublas",
            "unable to load cufft",
            "unable to load cusolver",
            "unable to load cupti",
            "unable to load nvjitlink",
            "unable to load cuda. is it installed",
            "the cusparse library was not found",
            "the cudnn library was not found",
            "the cublas library was not found",
            "the cufft library was not found",
            "the cusolver library was not found",
            "the cupti library was not found",
            "unable to use cuda because of the following issues with cuda components",
        ],
        &[("jax-plugin-cuda-libs-not-loadable", Supports), ("jaxlib-cpu-only", Refutes)],
    ),
    fault(
        "jax-library-too-old",
        &[
            "but jax was built against version",
            "outdated cudnn installation found",
            "outdated cublas installation found",
            "outdated cusparse installation found",
        ],
        &[
            ("jax-plugin-cuda-libs-not-loadable", Supports),
            ("ld-library-path-shadows-pip-cuda-libs", Suggests),
            ("cudnn-version-conflict-ld-library-path", Suggests),
            ("jaxlib-cpu-only", Refutes),
        ],
    ),
    fault(
        "jax-plugin-incompatible",
        &[
            "jax plugin * is installed, but it is not compatible with the installed jaxlib",
            "mismatched pjrt plugin pjrt api version",
        ],
        &[("jax-plugin-version-mismatch", Decides), ("jaxlib-cpu-only", Refutes)],
    ),
    fault(
        "jax-versions-apart",
        &[
            "no ffi handler registered for",
            "and incompatible with jax version",
            "jaxlib is version * but this version of jax requires",
            "jaxlib version * is newer than",
            "plugin * incompatible with jaxlib",
            "pjrt c api version mismatch",
            "unexpected pjrt_plugin_attributes",
        ],
        &[("jax-plugin-version-mismatch", Supports), ("jaxlib-cpu-only", Against)],
    ),
    circumstance(
        "jax-plugin-installed",
        &[
            "jax-cuda12-plugin",
            "jax_cuda12_plugin",
            "jax-cuda13-plugin",
            "jax_cuda13_plugin",
            "jax-cuda12-pjrt",
            "jax-cuda13-pjrt",
            "jax_plugins/xla_cuda",
            "jax_plugins.xla_cuda",
        ],
        &[
            ("jaxlib-cpu-only", Refutes),
            ("jax-plugin-cuda-libs-not-loadable", Suggests),
            ("jax-plugin-version-mismatch", Suggests),
        ],
    ),
    circumstance(
        "jax-cuda-extra",
        &["jax[cuda", "jaxlib-*cuda1", "+cuda12.cudnn", "+cuda11.cudnn"],
        &[("jaxlib-cpu-only", Against), ("jax-plugin-cuda-libs-not-loadable", Suggests)],
    ),
    circumstance(
        "jax-plain-install",
        &["pip install jax jaxlib", "pip install jaxlib"],
        &[("jaxlib-cpu-only", Supports)],
    ),
    // ONNX Runtime.
    fault(
        "ort-cuda-provider-not-available",
        &[
            "'cudaexecutionprovider' is not in available provider",
            "cudaexecutionprovider is not in available provider",
            "cudaexecutionprovider is not available",
            "cudaexecutionprovider not available",
        ],
        &[("onnxruntime-cpu-only", Supports), ("onnxruntime-cpu-and-gpu-both-installed", Supports)],
    ),
    // Azure stands in the list of the CPU package's builds; a GPU build would list CUDA before it.
    fault(
        "ort-providers-without-cuda",
        &[
            "['azureexecutionprovider', 'cpuexecutionprovider']",
            "providers: ['cpuexecutionprovider']",
            "get_available_providers*['cpuexecutionprovider']",
            "available providers: cpuexecutionprovider",
        ],
        &[("onnxruntime-cpu-only", Suggests), ("onnxruntime-cpu-and-gpu-both-installed", Suggests)],
    ),
    circumstance(
        "ort-cuda-provider-listed",
        &["'cudaexecutionprovider', 'azureexecutionprovider'", "'cudaexecutionprovider', 'cpuexecutionprovider']"],
        &[("onnxruntime-cpu-only", Against), ("onnxruntime-cpu-and-gpu-both-installed", Against)],
    ),
    circumstance(
        "ort-gpu-package",
        &["onnxruntime-gpu", "onnxruntime_gpu", "microsoft.ml.onnxruntime.gpu", "onnxruntime-node-gpu"],
        &[("onnxruntime-cpu-and-gpu-both-installed", Supports), ("onnxruntime-cpu-only", Against)],
    ),
    circumstance(
        "ort-both-packages",
        &[
            "both onnxruntime and onnxruntime-gpu",
            "both `onnxruntime` and `onnxruntime-gpu`",
            "onnxruntime-gpu and onnxruntime ",
            "uninstall onnxruntime onnxruntime-gpu",
        ],
        &[("onnxruntime-cpu-and-gpu-both-installed", Supports)],
    ),
    Message {
        id: "ort-provider-library-fails",
        words: &[
            "failed to load library*onnxruntime_providers_cuda",
            "error 126*onnxruntime_providers_cuda",
            "loadlibrary failed with error*onnxruntime_providers_cuda",
            "onnxruntime_providers_cuda*cannot open shared object",
        ],
        about: Fault("framework"),
        causes: &[
            ("onnxruntime-cuda-libs-not-on-path", Suggests),
            ("onnxruntime-cuda-major-mismatch", Suggests),
            ("no-nvidia-gpu-present", Suggests),
            ("onnxruntime-cpu-only", Refutes),
            ("onnxruntime-cpu-and-gpu-both-installed", Refutes),
        ],
        facts: Some(wanted_library),
    },
    // The library that it wants: the end of a line that is too long to be kept.
    circumstance("ort-wants-library", &[], &[]),
    fault(
        "ort-failed-to-create-provider",
        &["failed to create cudaexecutionprovider"],
        &[
            ("onnxruntime-cuda-libs-not-on-path", Suggests),
            ("onnxruntime-cuda-major-mismatch", Suggests),
            ("onnxruntime-cpu-only", Refutes),
        ],
    ),
    circumstance(
        "ort-wants-majors",
        &[
            "require cudnn 9.* and cuda 12",
            "require cudnn 9.* and cuda 13",
            "require cudnn 8.* and cuda 11",
            "require cuda 12.* and cudnn 9",
        ],
        &[("onnxruntime-cuda-major-mismatch", Suggests)],
    ),
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
    // CuPy.
    fault("cupy-multiple-packages", &["multiple cupy packages are installed"], &[("cupy-multiple-packages", Decides)]),
    fault(
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
        "bnb-setup-failed",
        &["cuda setup failed despite gpu being available", "cuda setup failed despite cuda being available"],
        &[("bitsandbytes-no-binary-for-cuda", Supports)],
    ),
    fault(
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
    // CTranslate2, and what cuDNN 9 says by itself.
    fault(
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
    // cuDNN.
    fault(
        "cudnn-incompatible",
        &[
            "cudnn version incompatibility",
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
        "cudnn-arch-mismatch",
        &["cudnn_status_arch_mismatch", "cudnn_status_not_supported_arch_mismatch"],
        &[("cudnn-too-new-for-gpu", Supports)],
    ),
    fault(
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
    // llama.cpp and what is built on it.
    fault(
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

/// The library behind `with error: `, as a message of its own.
fn wanted_library(line: &str, found: &mut Found) {
    if let Some(at) = line.find("with error: ") {
        found.said("ort-wants-library", &line[at..], []);
    }
}
