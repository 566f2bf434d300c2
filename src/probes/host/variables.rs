//! The environment variables that may be reported. Nothing else of the environment leaves this program.

use crate::facts::{Facts, host};
use crate::machine::Machine;
use crate::subject::Subject;

/// The allow-list.
#[rustfmt::skip]
pub const ALLOWED: &[&str] = &[
    // Which GPUs this process is given.
    "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES", "NVIDIA_REQUIRE_CUDA",
    "CUDA_DEVICE_ORDER", "GPU_DEVICE_ORDINAL", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "ZE_AFFINITY_MASK",
    "ONEAPI_DEVICE_SELECTOR", "HSA_OVERRIDE_GFX_VERSION",
    "SLURM_JOB_ID", "SLURM_JOB_GPUS", "SLURM_STEP_GPUS", "SLURM_LOCALID", "RAY_JOB_ID", "RAY_RAYLET_PID",
    // Where a notebook of a cloud runs.
    "COLAB_RELEASE_TAG", "KAGGLE_KERNEL_RUN_TYPE",
    // What keeps a framework off the GPU.
    "JAX_PLATFORMS", "JAX_PLATFORM_NAME", "NUMBA_DISABLE_CUDA", "NUMBA_ENABLE_CUDASIM",
    // Which files it loads.
    "CUDA_HOME", "CUDA_PATH", "LD_LIBRARY_PATH", "LD_PRELOAD", "LIBTORCH", "LIBTORCH_LIB", "LIBTORCH_USE_PYTORCH",
    "LIBTORCH_BYPASS_VERSION_CHECK", "TORCH_CUDA_VERSION",
    "PYTHONPATH", "PYTHONNOUSERSITE", "PYTHONHOME", "VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV",
    // How CUDA and the frameworks behave.
    "CUDA_MPS_PIPE_DIRECTORY", "CUDA_MPS_LOG_DIRECTORY", "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "PYTORCH_NVML_BASED_CUDA_CHECK", "PYTORCH_CUDA_ALLOC_CONF",
    "NVIDIA_TF32_OVERRIDE", "CUDA_MODULE_LOADING", "CUDA_LAUNCH_BLOCKING", "CUDA_DISABLE_PTX_JIT", "CUDA_FORCE_PTX_JIT",
];

/// Adds every variable of the list, seen or absent.
pub fn look(machine: &Machine, facts: &mut Facts) {
    for name in ALLOWED {
        let subject = Subject::variable(name);
        match machine.variable(name) {
            Some(value) => facts.seen(&host::VARIABLE, &subject, value, "environment"),
            None => facts.absent(&host::VARIABLE, &subject, "environment"),
        }
    }
}
