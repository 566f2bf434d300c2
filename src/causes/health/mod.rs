//! Causes of the layer health: the driver is up, and something about the GPU is not as it should be.

mod ecc_uncorrectable_error;
mod gpu_reset_required;
mod pcie_link_degraded;
mod power_cap_throttling;
mod xid_in_kernel_log;

use super::Cause;

/// The causes of this layer; the generic one last.
pub static ALL: &[&Cause] = &[
    &gpu_reset_required::CAUSE,
    &ecc_uncorrectable_error::CAUSE,
    &pcie_link_degraded::CAUSE,
    &power_cap_throttling::CAUSE,
    &xid_in_kernel_log::CAUSE,
];
