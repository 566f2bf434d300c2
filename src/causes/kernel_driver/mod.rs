//! Causes of the layer kernel driver. A cause that keeps the others from being true stands before them.

use super::Cause;

mod dkms_build_failed;
mod driver_library_version_mismatch;
mod driver_not_installed;
mod driver_not_working;
mod gpu_bound_to_vfio_pci;
mod gpu_too_old_for_driver_branch;
mod intel_driver_not_installed;
mod kernel_module_blacklisted;
mod kernel_module_not_built_for_kernel;
mod kernel_module_not_loaded;
mod nouveau_bound;
mod nvidia_smi_missing;
mod nvidia_uvm_module_not_loaded;
mod rocm_gpu_not_supported_by_kfd;
mod secure_boot_unsigned_module;
mod suspend_breaks_nvidia_uvm;

/// The causes of this layer.
pub static ALL: &[&Cause] = &[
    &rocm_gpu_not_supported_by_kfd::CAUSE,
    &intel_driver_not_installed::CAUSE,
    &gpu_bound_to_vfio_pci::CAUSE,
    &driver_not_installed::CAUSE,
    &dkms_build_failed::CAUSE,
    &kernel_module_not_built_for_kernel::CAUSE,
    &gpu_too_old_for_driver_branch::CAUSE,
    &kernel_module_blacklisted::CAUSE,
    &secure_boot_unsigned_module::CAUSE,
    &nouveau_bound::CAUSE,
    &kernel_module_not_loaded::CAUSE,
    &driver_library_version_mismatch::CAUSE,
    &nvidia_uvm_module_not_loaded::CAUSE,
    &suspend_breaks_nvidia_uvm::CAUSE,
    &driver_not_working::CAUSE,
    &nvidia_smi_missing::CAUSE,
];
