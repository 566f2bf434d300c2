//! nvidia-smi and NVML, and the driver's user-space files.

use super::{AnyKey, Key};
use serde::{Deserialize, Serialize};

/// How a run of nvidia-smi ended; subject: the program by path.
pub const SMI: Key<SmiRun> = Key::new("smi.run");
/// Where nvidia-smi was found (machine). Absent: looked on PATH and in the known places, and none is there.
pub const SMI_FOUND: Key<Vec<String>> = Key::new("smi.found");
/// One cell row of `nvidia-smi --query-gpu`; subject: the GPU. Cells keep their words, `[GPU is lost]` too.
pub const SMI_CELLS: Key<std::collections::BTreeMap<String, String>> = Key::new("smi.cells");

/// A user-space driver library on disk: version from its file name; subject: the file. Only `libcuda.so.1` and
/// `libnvidia-ml.so.1` (nvml.dll, nvcuda.dll on Windows).
pub const LIBRARY: Key<DriverLibrary> = Key::new("library.file");
/// How many driver libraries were found on disk in the places that loaders search (machine).
pub const LIBRARIES: Key<u32> = Key::new("library.count");

/// The library file that NVML was loaded from (machine). Absent: the loader finds none. Failed: it would not load.
pub const NVML_LIBRARY: Key<String> = Key::new("nvml.library");
/// Result code of nvmlInit_v2; 0 is success.
pub const NVML_INIT: Key<i32> = Key::new("nvml.init");
/// Driver version, from nvmlSystemGetDriverVersion.
pub const NVML_DRIVER: Key<String> = Key::new("nvml.driver_version");
/// CUDA version of the driver as 1000*major + 10*minor, from nvmlSystemGetCudaDriverVersion.
pub const NVML_CUDA: Key<i32> = Key::new("nvml.cuda_version");
/// Number of devices, from nvmlDeviceGetCount_v2.
pub const NVML_COUNT: Key<u32> = Key::new("nvml.count");
/// Result code for the handle of one GPU; subject: the GPU. 0 is success, 15 lost, 16 reset required.
pub const NVML_HANDLE: Key<i32> = Key::new("nvml.handle");
/// Product name.
pub const NVML_NAME: Key<String> = Key::new("nvml.name");
/// UUID, `GPU-...`.
pub const NVML_UUID: Key<String> = Key::new("nvml.uuid");
/// Compute capability, `8.9`.
pub const NVML_CC: Key<String> = Key::new("nvml.compute_capability");
/// Memory, in bytes.
pub const NVML_MEMORY: Key<Memory> = Key::new("nvml.memory");
/// MIG mode and instances.
pub const NVML_MIG: Key<Mig> = Key::new("nvml.mig");
/// Compute mode: `default`, `exclusive_process`, `prohibited`.
pub const NVML_COMPUTE_MODE: Key<String> = Key::new("nvml.compute_mode");
/// Errors in memory.
pub const NVML_ECC: Key<Ecc> = Key::new("nvml.ecc");
/// Temperature and its limits, in degrees Celsius.
pub const NVML_TEMPERATURE: Key<Temperature> = Key::new("nvml.temperature");
/// Power draw and limits, in watts.
pub const NVML_POWER: Key<PowerDraw> = Key::new("nvml.power");
/// Clock event (throttle) reasons, bit mask of NVML.
pub const NVML_CLOCK_REASONS: Key<u64> = Key::new("nvml.clock_reasons");
/// PCIe link as NVML sees it.
pub const NVML_PCIE: Key<Pcie> = Key::new("nvml.pcie");
/// Processes with a context on the GPU, of other users too (as far as the driver tells); own probes left out.
pub const NVML_PROCESSES: Key<Vec<Process>> = Key::new("nvml.processes");
/// Fabric (NVSwitch) state: 0 not supported, 1 not started, 2 in progress, 3 completed; and its status code.
pub const NVML_FABRIC: Key<Fabric> = Key::new("nvml.fabric");
/// GPU recovery action: 0 none, 1 reset, 2 reboot, 3 drain P2P, 4 drain and reset.
pub const NVML_RECOVERY: Key<u32> = Key::new("nvml.recovery_action");
/// Persistence mode.
pub const NVML_PERSISTENCE: Key<bool> = Key::new("nvml.persistence");
/// Whether a virtual GPU holds a licence; not there for a physical GPU.
pub const NVML_VGPU_LICENSED: Key<bool> = Key::new("nvml.vgpu_licensed");
/// How the card is shared with virtual machines: `none`, `pass-through`, `vgpu` (the guest's side), `host-vgpu`, `host-vsga`.
pub const NVML_VIRTUALIZATION: Key<String> = Key::new("nvml.virtualization_mode");
/// Confidential computing, a setting of the whole guest that NVML is asked per GPU.
pub const NVML_CONF_COMPUTE: Key<ConfCompute> = Key::new("nvml.conf_compute");
/// N of `/dev/nvidiaN`.
pub const NVML_MINOR: Key<u32> = Key::new("nvml.minor");

/// How nvidia-smi ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SmiRun {
    /// Exit status; nothing where a signal or the time limit ended it.
    pub exit: Option<i32>,
    /// What it said, first lines of stdout (its failures are there), else of stderr.
    pub message: String,
    /// Driver version of the header, if it answered.
    #[serde(default)]
    pub driver: Option<String>,
    /// "CUDA Version" of the header: what the driver supports, not what is installed.
    #[serde(default)]
    pub cuda: Option<String>,
}

/// A driver library on disk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DriverLibrary {
    /// `libcuda` or `libnvidia-ml`.
    pub name: String,
    /// File behind the links.
    pub target: String,
    /// Driver version, from the file name behind the links (`libcuda.so.535.183.01`), where it has one.
    pub version: Option<String>,
}

/// GPU memory, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// All of it.
    pub total: u64,
    /// Free now.
    pub free: u64,
    /// In use, with what the driver reserves.
    pub used: u64,
}

/// Multi-instance GPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mig {
    /// On now.
    pub enabled: bool,
    /// On after the next reset.
    pub pending: bool,
    /// UUIDs of the instances.
    #[serde(default)]
    pub instances: Vec<String>,
}

/// Memory errors.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ecc {
    /// Whether ECC is on.
    #[serde(default)]
    pub enabled: Option<bool>,
    /// Uncorrectable errors since the driver was loaded.
    #[serde(default)]
    pub uncorrected_volatile: Option<u64>,
    /// Uncorrectable errors over the card's life.
    #[serde(default)]
    pub uncorrected_aggregate: Option<u64>,
    /// A row remap or page retirement waits for a reset.
    #[serde(default)]
    pub remap_pending: Option<bool>,
    /// A row remap failed: no spare rows.
    #[serde(default)]
    pub remap_failure: Option<bool>,
}

/// Degrees Celsius.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Temperature {
    /// Now.
    pub now: u32,
    /// Where the driver slows the GPU down.
    #[serde(default)]
    pub slowdown: Option<u32>,
    /// Where the GPU shuts itself down.
    #[serde(default)]
    pub shutdown: Option<u32>,
}

/// Watts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PowerDraw {
    /// Now.
    pub now: Option<f64>,
    /// Limit in force.
    pub limit: Option<f64>,
    /// Limit by default.
    pub default_limit: Option<f64>,
}

/// A PCIe link as NVML sees it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pcie {
    /// Generation now.
    pub generation: u32,
    /// Best generation of GPU and system together.
    pub generation_max: u32,
    /// Lanes now.
    pub width: u32,
    /// Lanes at most.
    pub width_max: u32,
}

/// A process on a GPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Process {
    /// Process id in the driver's namespace.
    pub pid: u32,
    /// Memory in bytes, where the driver tells.
    #[serde(default)]
    pub memory: Option<u64>,
    /// `compute` or `graphics`.
    pub kind: String,
}

/// NVSwitch fabric.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fabric {
    /// 0 not supported, 1 not started, 2 in progress, 3 completed.
    pub state: u32,
    /// NVML code of the registration, meaningful once completed.
    pub status: i32,
}

/// Confidential computing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConfCompute {
    /// The mode is on.
    pub on: bool,
    /// The guest has set the GPUs ready to accept work.
    pub ready: bool,
}

/// All keys of this file.
pub const ALL: &[&dyn AnyKey] = &[
    &SMI,
    &SMI_FOUND,
    &SMI_CELLS,
    &LIBRARY,
    &LIBRARIES,
    &NVML_LIBRARY,
    &NVML_INIT,
    &NVML_DRIVER,
    &NVML_CUDA,
    &NVML_COUNT,
    &NVML_HANDLE,
    &NVML_NAME,
    &NVML_UUID,
    &NVML_CC,
    &NVML_MEMORY,
    &NVML_MIG,
    &NVML_COMPUTE_MODE,
    &NVML_ECC,
    &NVML_TEMPERATURE,
    &NVML_POWER,
    &NVML_CLOCK_REASONS,
    &NVML_PCIE,
    &NVML_PROCESSES,
    &NVML_FABRIC,
    &NVML_RECOVERY,
    &NVML_PERSISTENCE,
    &NVML_VGPU_LICENSED,
    &NVML_VIRTUALIZATION,
    &NVML_CONF_COMPUTE,
    &NVML_MINOR,
];
