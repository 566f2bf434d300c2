//! Causes of the layer framework build: what the imported package was compiled for, and which Python is asked.

mod amd_gpu_with_cuda_torch;
mod architecture;
mod framework_sees_no_gpu;
mod gpu_arch_missing_in_build;
mod gpu_arch_too_new_for_build;
mod gpu_arch_too_old_for_build;
mod macos_no_cuda;
mod python_interpreter_broken;
mod torch_cpu_only_wheel;
mod torch_import_fails;
mod torch_not_installed;

use super::Cause;

/// The causes of this layer; the generic one last.
pub static ALL: &[&Cause] = &[
    &macos_no_cuda::CAUSE,
    &python_interpreter_broken::CAUSE,
    &torch_not_installed::CAUSE,
    &amd_gpu_with_cuda_torch::CAUSE,
    &torch_cpu_only_wheel::CAUSE,
    &torch_import_fails::CAUSE,
    &gpu_arch_missing_in_build::CAUSE,
    &gpu_arch_too_new_for_build::CAUSE,
    &gpu_arch_too_old_for_build::CAUSE,
    &framework_sees_no_gpu::CAUSE,
];
