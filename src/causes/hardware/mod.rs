//! Causes of the layer hardware. One that keeps another from being true stands before it.

use super::Cause;

mod above_4g_decoding_disabled;
pub mod dgpu_disabled_in_firmware;
pub mod egpu_link_unstable;
mod fewer_gpus_than_expected;
mod gpu_fell_off_bus;
mod gpu_init_failed_gfw_gsp;
mod motherboard_hardware_fault;
mod nccl_p2p_blocked_by_acs_iommu;
mod no_nvidia_gpu_present;
mod nvlink_bridge_fault;
mod pci_bar_not_assigned;
mod windows;

/// The causes of this layer.
pub static ALL: &[&Cause] = &[
    &dgpu_disabled_in_firmware::CAUSE,
    &no_nvidia_gpu_present::CAUSE,
    &above_4g_decoding_disabled::CAUSE,
    &pci_bar_not_assigned::CAUSE,
    &gpu_init_failed_gfw_gsp::CAUSE,
    &egpu_link_unstable::CAUSE,
    &gpu_fell_off_bus::CAUSE,
    &fewer_gpus_than_expected::CAUSE,
    &motherboard_hardware_fault::CAUSE,
    &nccl_p2p_blocked_by_acs_iommu::CAUSE,
    &nvlink_bridge_fault::CAUSE,
];
