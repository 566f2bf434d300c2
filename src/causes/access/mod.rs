//! Causes of the layer access: a working driver that this process cannot reach.

use super::Cause;

mod cdi_spec_missing;
mod container_cgroup_device_access_lost;
mod container_driver_capabilities_missing;
mod container_no_cgroups_setting;
mod container_runtime_not_configured;
mod container_toolkit_missing;
mod container_visible_devices_policy;
mod container_without_gpu_access;
mod cuda_visible_devices_hides_all;
mod cuda_visible_devices_out_of_range;
mod cvd_not_renumbered_in_container;
mod device_node_permission;
mod docker_desktop_linux_vm;
mod docker_installed_as_snap;
mod exclusive_compute_mode;
mod intel_xpu_device_permission;
mod k8s_runtimeclass_missing;
mod mig_enabled_unintentionally;
mod nvidia_uvm_node_missing;
mod passthrough_host_framebuffer_claims_gpu;
mod passthrough_hypervisor_specific;
mod pods;
mod ptx_jit_compiler_missing;
mod ray_hides_gpus;
mod refused_nodes;
mod rocm_device_nodes_missing;
mod rocm_device_permission;
mod scheduler_no_gpu_allocated;
mod selinux_denies_device;
mod vgpu;
mod vgpu_profile_without_cuda;
mod vgpu_unlicensed;
mod wsl_driver_store_libs_missing;
mod wsl_gpu_in_tcc_mode;

/// The causes of this layer.
pub static ALL: &[&Cause] = &[
    &rocm_device_nodes_missing::CAUSE,
    &rocm_device_permission::CAUSE,
    &intel_xpu_device_permission::CAUSE,
    &k8s_runtimeclass_missing::CAUSE,
    &container_visible_devices_policy::CAUSE,
    &container_driver_capabilities_missing::CAUSE,
    &selinux_denies_device::CAUSE,
    &cvd_not_renumbered_in_container::CAUSE,
    &ray_hides_gpus::CAUSE,
    &vgpu_profile_without_cuda::CAUSE,
    &vgpu_unlicensed::CAUSE,
    &wsl_driver_store_libs_missing::CAUSE,
    &wsl_gpu_in_tcc_mode::CAUSE,
    &passthrough_host_framebuffer_claims_gpu::CAUSE,
    &passthrough_hypervisor_specific::CAUSE,
    &cdi_spec_missing::CAUSE,
    &container_runtime_not_configured::CAUSE,
    &container_toolkit_missing::CAUSE,
    &docker_desktop_linux_vm::CAUSE,
    &docker_installed_as_snap::CAUSE,
    &scheduler_no_gpu_allocated::CAUSE,
    &container_without_gpu_access::CAUSE,
    &container_cgroup_device_access_lost::CAUSE,
    &container_no_cgroups_setting::CAUSE,
    &device_node_permission::CAUSE,
    &nvidia_uvm_node_missing::CAUSE,
    &cuda_visible_devices_hides_all::CAUSE,
    &cuda_visible_devices_out_of_range::CAUSE,
    &mig_enabled_unintentionally::CAUSE,
    &exclusive_compute_mode::CAUSE,
    &ptx_jit_compiler_missing::CAUSE,
];
