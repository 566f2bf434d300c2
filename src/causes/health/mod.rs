//! Causes of the layer health: the driver is up, and something about the GPU is not as it should be.

mod benign_pcie_idle_downshift;
mod ecc_uncorrectable_error;
mod failing_hbm_memory;
mod gpu_overheat_shutdown;
mod gpu_reset_required;
mod gsp_firmware_timeout;
mod nvlink_failure;
mod pcie_link_degraded;
mod power_cap_throttling;
mod suspected_faulty_gpu;
mod xid_in_kernel_log;

use super::Cause;

/// The causes of this layer; the generic one last.
pub static ALL: &[&Cause] = &[
    &gpu_reset_required::CAUSE,
    &failing_hbm_memory::CAUSE,
    &ecc_uncorrectable_error::CAUSE,
    &gpu_overheat_shutdown::CAUSE,
    &gsp_firmware_timeout::CAUSE,
    &nvlink_failure::CAUSE,
    &suspected_faulty_gpu::CAUSE,
    &pcie_link_degraded::CAUSE,
    &benign_pcie_idle_downshift::CAUSE,
    &power_cap_throttling::CAUSE,
    &xid_in_kernel_log::CAUSE,
];
