//! The PCI bus, from sysfs: every display and 3D controller, and every NVSwitch. Subject: the GPU by its address.

use super::{AnyKey, Key};
use serde::{Deserialize, Serialize};

/// How many PCI devices the bus shows in all (machine). Absent: no PCI directory (gVisor, WSL, some containers).
pub const DEVICES: Key<u32> = Key::new("pci.devices");
/// How many NVSwitch bridges the bus shows (machine).
pub const NVSWITCHES: Key<u32> = Key::new("pci.nvswitches");
/// Vendor id, `0x10de` for NVIDIA, `0x1002` for AMD, `0x8086` for Intel.
pub const VENDOR: Key<String> = Key::new("pci.vendor");
/// Device id, `0x2684`.
pub const DEVICE: Key<String> = Key::new("pci.device");
/// Class code, `0x030000` (VGA) or `0x030200` (3D).
pub const CLASS: Key<String> = Key::new("pci.class");
/// Marketing name, from the table of ids or the system's pci.ids.
pub const NAME: Key<String> = Key::new("pci.name");
/// NVIDIA architecture by device id: `fermi`, `kepler`, `maxwell`, `pascal`, `volta`, `turing`, `ampere`, `ada`, `hopper`,
/// `blackwell`.
pub const ARCHITECTURE: Key<String> = Key::new("pci.architecture");
/// Kernel driver that is bound to the function: `nvidia`, `nouveau`, `vfio-pci`; absent when none is.
pub const DRIVER: Key<String> = Key::new("pci.driver");
/// Link rate and width, now and at most.
pub const LINK: Key<Link> = Key::new("pci.link");
/// Runtime power management.
pub const POWER: Key<Power> = Key::new("pci.power");
/// Memory windows (BARs), from the `resource` file.
pub const WINDOWS: Key<Vec<Window>> = Key::new("pci.windows");
/// Whether configuration space reads all ones: the device no longer answers.
pub const CONFIG_ALL_ONES: Key<bool> = Key::new("pci.config_all_ones");
/// Whether the function is behind an external port (Thunderbolt, USB4), from `removable` of it or of a bridge above it.
pub const REMOVABLE: Key<bool> = Key::new("pci.removable");
/// How the IOMMU treats the function, from `iommu_group/type`: `DMA`, `DMA-FQ`, `identity`; absent without an IOMMU.
pub const IOMMU: Key<String> = Key::new("pci.iommu");
/// Whether the function is a virtual function (SR-IOV).
pub const VIRTUAL_FUNCTION: Key<bool> = Key::new("pci.virtual_function");

/// A PCIe link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// Rate now, in GT/s.
    pub speed_now: Option<f32>,
    /// Best rate of the device, in GT/s.
    pub speed_max: Option<f32>,
    /// Lanes now.
    pub width_now: Option<u32>,
    /// Lanes at most.
    pub width_max: Option<u32>,
}

/// Runtime power management of a function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Power {
    /// `power/control`: `on` or `auto`.
    pub control: Option<String>,
    /// `power/runtime_status`: `active`, `suspended`, `error`.
    pub status: Option<String>,
    /// `power_state`: `D0`, `D3hot`, `D3cold`.
    pub state: Option<String>,
}

/// One memory window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// Number of the BAR, 0 to 5.
    pub index: u32,
    /// Start address; 0 with a size means that it was not assigned.
    pub start: u64,
    /// Size in bytes.
    pub size: u64,
}

/// All keys of this file.
pub const ALL: &[&dyn AnyKey] = &[
    &DEVICES,
    &NVSWITCHES,
    &VENDOR,
    &DEVICE,
    &CLASS,
    &NAME,
    &ARCHITECTURE,
    &DRIVER,
    &LINK,
    &POWER,
    &WINDOWS,
    &CONFIG_ALL_ONES,
    &REMOVABLE,
    &IOMMU,
    &VIRTUAL_FUNCTION,
];
