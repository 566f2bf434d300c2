//! Causes of the layer framework build: what the imported package was compiled for, and which Python is asked.

mod aarch64_pypi_wheel_is_cpu;
mod amd_gpu_with_cuda_torch;
mod another_python_runs;
mod architecture;
mod benign_arch_warning;
mod conda_cpu_build_selected;
mod conda_environment_not_activated;
pub(in crate::causes) mod cpu_build;
mod extension_built_for_another_torch;
mod framework_import_fails;
mod framework_sees_no_gpu;
mod framework_switched_off;
mod gpu_arch_missing_in_build;
mod gpu_arch_too_new_for_build;
mod gpu_arch_too_old_for_build;
mod gpu_works_in_another_environment;
mod interrupted_install_leftovers;
mod jaxlib_cpu_only;
mod jetson_generic_aarch64_wheel;
mod libtorch_cpu_build;
mod libtorch_cuda_not_linked;
mod llamacpp_backend_load_order_bug;
mod llamacpp_built_without_cuda;
mod local_file_hides_framework;
mod lockfile_selects_cpu_wheel;
mod macos_no_cuda;
mod mig_uuid_torch_nvml_count_bug;
mod onnxruntime_cpu_and_gpu_both_installed;
mod onnxruntime_cpu_only;
mod package_installed_twice;
mod package_metadata_damaged;
mod package_of_conda_and_pip;
mod packages_overwrite_each_other;
mod python_32bit;
mod python_base_missing;
mod python_interpreter_broken;
mod python_slow_to_start;
mod python_startup_code_interferes;
mod python_trouble;
mod python_without_standard_library;
mod python_wrong_architecture;
mod rocm_unsupported_gfx;
mod rocm_wsl_needs_amd_wheels;
mod tensorflow_cpu_only;
mod tf_native_windows_no_gpu;
mod torch_cpu_only_wheel;
mod torch_import_fails;
mod torch_not_installed;
mod torchvision_cpu_mismatch;
mod torchvision_cuda_mismatch;
mod torchvision_version_mismatch;
mod unsupported_python_version;
mod user_site_shadows_venv;
mod wrong_interpreter_used;

use super::Cause;

/// The causes of this layer; why a build without CUDA is there before the plain name of it, and the generic one last.
pub static ALL: &[&Cause] = &[
    &macos_no_cuda::CAUSE,
    &python_base_missing::CAUSE,
    &python_wrong_architecture::CAUSE,
    &python_without_standard_library::CAUSE,
    &python_startup_code_interferes::CAUSE,
    &python_interpreter_broken::CAUSE,
    &python_slow_to_start::CAUSE,
    &python_32bit::CAUSE,
    &user_site_shadows_venv::CAUSE,
    &wrong_interpreter_used::CAUSE,
    &another_python_runs::CAUSE,
    &gpu_works_in_another_environment::CAUSE,
    &torch_not_installed::CAUSE,
    &amd_gpu_with_cuda_torch::CAUSE,
    &jetson_generic_aarch64_wheel::CAUSE,
    &aarch64_pypi_wheel_is_cpu::CAUSE,
    &conda_cpu_build_selected::CAUSE,
    &lockfile_selects_cpu_wheel::CAUSE,
    &unsupported_python_version::CAUSE,
    &torch_cpu_only_wheel::CAUSE,
    &rocm_wsl_needs_amd_wheels::CAUSE,
    &rocm_unsupported_gfx::CAUSE,
    &conda_environment_not_activated::CAUSE,
    &interrupted_install_leftovers::CAUSE,
    &package_installed_twice::CAUSE,
    &package_metadata_damaged::CAUSE,
    &package_of_conda_and_pip::CAUSE,
    &local_file_hides_framework::CAUSE,
    &torch_import_fails::CAUSE,
    &torchvision_cpu_mismatch::CAUSE,
    &torchvision_cuda_mismatch::CAUSE,
    &torchvision_version_mismatch::CAUSE,
    &mig_uuid_torch_nvml_count_bug::CAUSE,
    &benign_arch_warning::CAUSE,
    &gpu_arch_missing_in_build::CAUSE,
    &gpu_arch_too_new_for_build::CAUSE,
    &gpu_arch_too_old_for_build::CAUSE,
    &tf_native_windows_no_gpu::CAUSE,
    &tensorflow_cpu_only::CAUSE,
    &jaxlib_cpu_only::CAUSE,
    &framework_switched_off::CAUSE,
    &onnxruntime_cpu_and_gpu_both_installed::CAUSE,
    &onnxruntime_cpu_only::CAUSE,
    &libtorch_cpu_build::CAUSE,
    &libtorch_cuda_not_linked::CAUSE,
    &packages_overwrite_each_other::CAUSE,
    &llamacpp_backend_load_order_bug::CAUSE,
    &llamacpp_built_without_cuda::CAUSE,
    &extension_built_for_another_torch::CAUSE,
    &framework_import_fails::CAUSE,
    &framework_sees_no_gpu::CAUSE,
];
