//! ONNX Runtime.

use crate::triage::Found;
use crate::triage::messages::Weight::{Against, Refutes, Suggests, Supports};
use crate::triage::messages::{Message, circumstance, fault, with};

/// The rows.
pub static ROWS: &[Message] = &[
    // ONNX Runtime.
    fault(
        "framework",
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
        "framework",
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
    with(
        wanted_library,
        fault(
            "framework",
            "ort-provider-library-fails",
            &[
                "failed to load library*onnxruntime_providers_cuda",
                "error 126*onnxruntime_providers_cuda",
                "loadlibrary failed with error*onnxruntime_providers_cuda",
                "onnxruntime_providers_cuda*cannot open shared object",
            ],
            &[
                ("onnxruntime-cuda-libs-not-on-path", Suggests),
                ("onnxruntime-cuda-major-mismatch", Suggests),
                ("no-nvidia-gpu-present", Suggests),
                ("onnxruntime-cpu-only", Refutes),
                ("onnxruntime-cpu-and-gpu-both-installed", Refutes),
            ],
        ),
    ),
    // The library that it wants: the end of a line that is too long to be kept.
    circumstance("ort-wants-library", &[], &[]),
    fault(
        "framework",
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
];

/// The library behind `with error: `, as a message of its own.
fn wanted_library(line: &str, found: &mut Found) {
    // On Windows: `which depends on "cublasLt64_12.dll" which is missing`.
    for mark in ["with error: ", "which depends on "] {
        if let Some(at) = line.find(mark) {
            found.said("ort-wants-library", &line[at..], []);
        }
    }
}
