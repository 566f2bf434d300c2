//! Causes of the layer kernel driver. A cause that keeps the others from being true stands before them.

use super::Cause;

mod blackwell_needs_open_kernel_module;
mod dkms_build_failed;
mod driver_library_version_mismatch;
mod driver_not_installed;
mod driver_not_working;
mod driver_regression;
mod flavour;
mod geforce_in_vm_driver_refuses;
mod gpu_bound_to_vfio_pci;
mod gpu_too_old_for_driver_branch;
mod intel_driver_not_installed;
mod kernel_lockdown_unsigned_module;
mod kernel_module_blacklisted;
mod kernel_module_not_built_for_kernel;
mod kernel_module_not_loaded;
mod nouveau_bound;
mod nvidia_smi_missing;
mod nvidia_uvm_bad_state;
mod nvidia_uvm_module_not_loaded;
mod open_module_unsupported_gpu_flag;
pub mod optimus_gpu_powered_off;
mod optimus_nvidia_module_blacklisted;
mod pre_turing_needs_proprietary_module;
mod rocm_gpu_not_supported_by_kfd;
pub mod runtime_d3_resume_failure;
mod secure_boot_unsigned_module;
mod suspend_breaks_nvidia_uvm;
mod uvm_hmm_driver_bug;

/// The causes of this layer.
pub static ALL: &[&Cause] = &[
    &rocm_gpu_not_supported_by_kfd::CAUSE,
    &intel_driver_not_installed::CAUSE,
    &gpu_bound_to_vfio_pci::CAUSE,
    &driver_not_installed::CAUSE,
    &dkms_build_failed::CAUSE,
    &kernel_module_not_built_for_kernel::CAUSE,
    &gpu_too_old_for_driver_branch::CAUSE,
    &blackwell_needs_open_kernel_module::CAUSE,
    &pre_turing_needs_proprietary_module::CAUSE,
    &open_module_unsupported_gpu_flag::CAUSE,
    &optimus_nvidia_module_blacklisted::CAUSE,
    &kernel_module_blacklisted::CAUSE,
    &optimus_gpu_powered_off::CAUSE,
    &secure_boot_unsigned_module::CAUSE,
    &kernel_lockdown_unsigned_module::CAUSE,
    &nouveau_bound::CAUSE,
    &kernel_module_not_loaded::CAUSE,
    &driver_library_version_mismatch::CAUSE,
    &nvidia_uvm_module_not_loaded::CAUSE,
    &suspend_breaks_nvidia_uvm::CAUSE,
    &nvidia_uvm_bad_state::CAUSE,
    &uvm_hmm_driver_bug::CAUSE,
    &runtime_d3_resume_failure::CAUSE,
    &geforce_in_vm_driver_refuses::CAUSE,
    &driver_regression::CAUSE,
    &driver_not_working::CAUSE,
    &nvidia_smi_missing::CAUSE,
];
