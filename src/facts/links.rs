//! What joins the GPUs of a machine: NVLink, peer-to-peer over PCIe, and the bridges between. Subject: the GPU.

use super::{AnyKey, Key};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Each NVLink of the GPU, from nvmlDeviceGetNvLinkState; absent for a GPU without any.
pub const NVLINKS: Key<Vec<NvLink>> = Key::new("nvml.nvlinks");
/// By the address of each other GPU, whether it can be read from directly (nvmlDeviceGetP2PStatus): `ok`,
/// `chipset_not_supported`, `gpu_not_supported`, `topology_not_supported`, `disabled`, `not_supported`, `unknown`.
pub const PEERS: Key<BTreeMap<String, String>> = Key::new("nvml.p2p");
/// By each other GPU, what lies between the two, as `nvidia-smi topo -m` names it: `NV4`, `PIX`, `PXB`, `PHB`, `NODE`, `SYS`.
pub const TOPOLOGY: Key<BTreeMap<String, String>> = Key::new("gpu.topology");
/// The access control (ACS) of each PCIe bridge above the GPU that has it, from the bridge's configuration space. Failed
/// where that cannot be read: without root the kernel shows its first 64 bytes only, and ACS comes later.
pub const ACS: Key<Vec<Acs>> = Key::new("pci.acs");

/// One NVLink.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NvLink {
    /// Its number.
    pub link: u32,
    /// Whether it is up.
    pub active: bool,
    /// What is at the other end: `gpu`, `npu`, `switch`; nothing where the driver does not tell.
    #[serde(default)]
    pub remote: Option<String>,
}

/// The access control of a bridge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Acs {
    /// Address of the bridge.
    pub bridge: String,
    /// The ACS control register.
    pub control: u32,
}

impl Acs {
    /// Whether the bridge sends requests or answers between devices below it up to the root complex: bits 2 and 3 of the
    /// register (PCI Express Base Specification, ACS Control).
    pub fn redirects(&self) -> bool {
        self.control & 0xc != 0
    }
}

/// All keys of this file.
pub const ALL: &[&dyn AnyKey] = &[&NVLINKS, &PEERS, &TOPOLOGY, &ACS];
