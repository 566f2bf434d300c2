//! Causes of the layer cuda: libcuda, its initialisation, and the versions that must fit.

mod benign_fabric_manager_without_nvswitch;
mod compat;
mod confidential_compute_not_ready;
mod container_image_needs_newer_driver;
mod cuda_compat_on_geforce;
mod cuda_computation_fails;
mod cuda_init_fails;
mod driver_too_old_for_cuda_runtime;
mod fabric_manager_not_ready;
mod libcuda_kernel_module_mismatch;
mod libcuda_not_on_loader_path;
mod libcuda_stub_loaded;
mod mig_single_instance_limit;
mod mps_daemon_unreachable;
mod ptx_newer_than_driver;
mod wrong_libcuda_loaded;
mod wsl_libcuda_not_on_path;
mod wsl_multi_gpu_init_oom;

use super::Cause;

/// The causes of this layer; the generic ones last.
pub static ALL: &[&Cause] = &[
    &wsl_libcuda_not_on_path::CAUSE,
    &wrong_libcuda_loaded::CAUSE,
    &confidential_compute_not_ready::CAUSE,
    &mps_daemon_unreachable::CAUSE,
    &wsl_multi_gpu_init_oom::CAUSE,
    &mig_single_instance_limit::CAUSE,
    &ptx_newer_than_driver::CAUSE,
    &benign_fabric_manager_without_nvswitch::CAUSE,
    &container_image_needs_newer_driver::CAUSE,
    &libcuda_stub_loaded::CAUSE,
    &libcuda_not_on_loader_path::CAUSE,
    &cuda_compat_on_geforce::CAUSE,
    &libcuda_kernel_module_mismatch::CAUSE,
    &fabric_manager_not_ready::CAUSE,
    &driver_too_old_for_cuda_runtime::CAUSE,
    &cuda_init_fails::CAUSE,
    &cuda_computation_fails::CAUSE,
];
