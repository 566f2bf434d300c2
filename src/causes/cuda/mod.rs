//! Causes of the layer cuda: libcuda, its initialisation, and the versions that must fit.

mod compat;
mod container_image_needs_newer_driver;
mod cuda_compat_on_geforce;
mod cuda_computation_fails;
mod cuda_init_fails;
mod driver_too_old_for_cuda_runtime;
mod fabric_manager_not_ready;
mod libcuda_kernel_module_mismatch;
mod libcuda_not_on_loader_path;
mod libcuda_stub_loaded;

use super::Cause;

/// The causes of this layer; the generic ones last.
pub static ALL: &[&Cause] = &[
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
