//! What keeps an import from writing below HOME and from speaking to the network, as far as variables can; and what makes it
//! name the libraries that it misses.

use crate::machine::child::Spec;
use crate::machine::scratch::Scratch;

/// Variables that switch off telemetry, look-ups of models and of new versions, and caches; or switch on words.
const SWITCHES: &[(&str, &str)] = &[
    // ONNX Runtime 1.31 opens a data base of events below the cache folder when it is imported, and sends them to Microsoft.
    ("ORT_DISABLE_TELEMETRY", "1"),
    ("HF_DATASETS_OFFLINE", "1"),
    ("DISABLE_TELEMETRY", "1"),
    ("VLLM_DO_NOT_TRACK", "1"),
    ("RAY_USAGE_STATS_ENABLED", "0"),
    ("WANDB_MODE", "offline"),
    ("NO_ALBUMENTATIONS_UPDATE", "1"),
    // JAX with libtpu asks the cloud's metadata server what machine this is.
    ("TPU_SKIP_MDS_QUERY", "1"),
    ("JAX_ENABLE_COMPILATION_CACHE", "false"),
    ("CUPY_CACHE_IN_MEMORY", "1"),
    // TensorFlow and XLA name each library that they do not find, in a line that is otherwise left out.
    ("TF_CPP_VMODULE", "dso_loader=1"),
    ("TF_CPP_MIN_LOG_LEVEL", "0"),
];

/// Variables that name a folder for caches.
const FOLDERS: &[&str] = &[
    "XDG_CACHE_HOME",
    "NUMBA_CACHE_DIR",
    "CUPY_CACHE_DIR",
    "TRITON_HOME",
    "TRITON_CACHE_DIR",
    "TORCHINDUCTOR_CACHE_DIR",
    "TORCH_EXTENSIONS_DIR",
    "TORCH_HOME",
    "HF_HOME",
    "KERAS_HOME",
    "MPLCONFIGDIR",
    "VLLM_CACHE_ROOT",
    "VLLM_CONFIG_ROOT",
    "FLASHINFER_WORKSPACE_BASE",
    "CUDA_CACHE_PATH",
];

/// The child with all of them set.
pub fn quiet(spec: Spec, scratch: &Scratch) -> Spec {
    let spec = SWITCHES.iter().fold(spec, |spec, (name, value)| spec.set(name, value));
    match scratch.folder() {
        Some(folder) => FOLDERS.iter().fold(spec, |spec, name| spec.set(name, folder)),
        None => spec,
    }
}
