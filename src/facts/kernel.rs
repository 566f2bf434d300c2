//! The kernel side of the driver, and what keeps it from loading.

use super::{AnyKey, Key};
use serde::{Deserialize, Serialize};

/// Names of the loaded kernel modules that matter here (`nvidia`, `nvidia_uvm`, `nvidia_modeset`, `nvidia_drm`, `nouveau`,
/// `nova_core`, `vfio_pci`, `amdgpu`, `i915`, `xe`, `nvgpu`), from `/proc/modules` and `/sys/module`. Failed or absent
/// where neither can be read: then nothing is known, which is not "not loaded".
pub const MODULES: Key<Vec<String>> = Key::new("kernel.modules");
/// Version of the loaded nvidia module, from `/sys/module/nvidia/version` or `/proc/driver/nvidia/version`.
pub const MODULE_VERSION: Key<String> = Key::new("kernel.nvidia.version");
/// Flavour of the loaded module: `open` or `closed`, from the words in `/proc/driver/nvidia/version`.
pub const MODULE_FLAVOUR: Key<String> = Key::new("kernel.nvidia.flavour");
/// Parameters of the loaded module that matter, from `/proc/driver/nvidia/params`.
pub const MODULE_PARAMS: Key<std::collections::BTreeMap<String, String>> = Key::new("kernel.nvidia.params");
/// The driver's own page on one GPU, `/proc/driver/nvidia/gpus/*/information`; subject: the GPU.
pub const GPU_INFORMATION: Key<GpuInformation> = Key::new("kernel.nvidia.gpu");
/// nvidia.ko for the running kernel, outside the in-tree folders; absent when there is none.
pub const MODULE_FILE: Key<String> = Key::new("kernel.nvidia.file");
/// Kernels other than the running one for which an nvidia.ko is installed.
pub const MODULE_OTHER_KERNELS: Key<Vec<String>> = Key::new("kernel.nvidia.other_kernels");
/// What `modinfo` says of the file for the running kernel.
pub const MODINFO: Key<Modinfo> = Key::new("kernel.nvidia.modinfo");
/// State of DKMS, one entry per version of the nvidia module; absent without `/var/lib/dkms/nvidia*`.
pub const DKMS: Key<Vec<Dkms>> = Key::new("kernel.dkms");
/// Headers of the running kernel, where DKMS looks for them: `/lib/modules/RELEASE/build`; absent when missing.
pub const HEADERS: Key<String> = Key::new("kernel.headers");
/// Lines that forbid loading nvidia: `FILE:LINE: text`, or a kernel argument. Empty when looked and none found.
pub const BLACKLIST_NVIDIA: Key<Vec<String>> = Key::new("kernel.blacklist.nvidia");
/// Lines that forbid loading nouveau.
pub const BLACKLIST_NOUVEAU: Key<Vec<String>> = Key::new("kernel.blacklist.nouveau");
/// Kernel arguments that matter here (modprobe.blacklist, module_blacklist, nouveau.*, vfio-pci.ids, nvidia*, iommu,
/// pci=, nokaslr, lockdown=).
pub const ARGUMENTS: Key<Vec<String>> = Key::new("kernel.arguments");
/// Whether Secure Boot is on, from the EFI variable; absent on a machine without EFI variables.
pub const SECURE_BOOT: Key<bool> = Key::new("kernel.secure_boot");
/// Lockdown mode: `none`, `integrity`, `confidentiality`.
pub const LOCKDOWN: Key<String> = Key::new("kernel.lockdown");
/// How many lines of the kernel log were read; failed where the log could not be read.
pub const LOG: Key<u64> = Key::new("kernel.log");
/// One line of the kernel log that speaks of NVIDIA (NVRM, Xid, nouveau, module signature, PCIe errors of a GPU).
pub const LOG_LINE: Key<String> = Key::new("kernel.log.line");
/// Whether `/proc/devices` lists the character device `nvidia-uvm` (its major number).
pub const UVM_MAJOR: Key<u32> = Key::new("kernel.uvm_major");
/// Whether UVM's heterogeneous memory management is switched off, from `/sys/module/nvidia_uvm/parameters/uvm_disable_hmm`;
/// absent where the module has no such parameter.
pub const UVM_DISABLE_HMM: Key<bool> = Key::new("kernel.uvm_disable_hmm");
/// nvidia-modprobe: its path and whether it is setuid root; absent when not installed.
pub const NVIDIA_MODPROBE: Key<NvidiaModprobe> = Key::new("kernel.nvidia_modprobe");
/// What opening a device node gave: `ok` or the name of the errno; subject: the node. Absent: no such file.
pub const NODE_OPEN: Key<String> = Key::new("node.open");
/// What kind of file a device node is; subject: the node. Absent: no such file.
pub const NODE: Key<Node> = Key::new("node.file");

/// From `/proc/driver/nvidia/gpus/*/information`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GpuInformation {
    /// `Model`.
    pub model: String,
    /// `Device Minor`: N of `/dev/nvidiaN`.
    #[serde(default)]
    pub minor: Option<u32>,
    /// `GPU Excluded`.
    #[serde(default)]
    pub excluded: bool,
}

/// From `modinfo`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Modinfo {
    /// Version of the driver.
    #[serde(default)]
    pub version: Option<String>,
    /// `NVIDIA` (closed) or `Dual MIT/GPL` (open).
    #[serde(default)]
    pub license: Option<String>,
    /// Who signed it; nothing where there is no signature.
    #[serde(default)]
    pub signer: Option<String>,
}

/// One version of the module under DKMS.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dkms {
    /// Name of the DKMS module: `nvidia`, `nvidia-current`, `nvidia-open`.
    pub module: String,
    /// Version of the driver.
    pub version: String,
    /// Kernels for which it is built.
    #[serde(default)]
    pub built_for: Vec<String>,
    /// The log of the last build, where one is left.
    #[serde(default)]
    pub log: Option<DkmsLog>,
}

/// A left-over build log of DKMS.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DkmsLog {
    /// Path of `make.log`.
    pub path: String,
    /// Kernel it was for, from its first line, where it says so.
    #[serde(default)]
    pub kernel: Option<String>,
    /// The first lines that tell of an error; empty when the build went well.
    pub errors: Vec<String>,
}

/// The helper that makes nodes and loads modules on demand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NvidiaModprobe {
    /// Path.
    pub path: String,
    /// Whether it is setuid root.
    pub setuid: bool,
}

/// From stat(2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// `char`, `file`, `dir`, `link`, `other`.
    pub kind: String,
    /// Major number of a device.
    #[serde(default)]
    pub major: u32,
    /// Minor number of a device.
    #[serde(default)]
    pub minor: u32,
    /// Permission bits, as in `660` (octal, written in digits).
    pub mode: String,
    /// Owner.
    pub uid: u32,
    /// Group, by number.
    pub gid: u32,
    /// Group, by name.
    #[serde(default)]
    pub group: Option<String>,
}

/// All keys of this file.
pub const ALL: &[&dyn AnyKey] = &[
    &MODULES,
    &MODULE_VERSION,
    &MODULE_FLAVOUR,
    &MODULE_PARAMS,
    &GPU_INFORMATION,
    &MODULE_FILE,
    &MODULE_OTHER_KERNELS,
    &MODINFO,
    &DKMS,
    &HEADERS,
    &BLACKLIST_NVIDIA,
    &BLACKLIST_NOUVEAU,
    &ARGUMENTS,
    &SECURE_BOOT,
    &LOCKDOWN,
    &LOG,
    &LOG_LINE,
    &UVM_MAJOR,
    &UVM_DISABLE_HMM,
    &NVIDIA_MODPROBE,
    &NODE_OPEN,
    &NODE,
];
