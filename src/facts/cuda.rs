//! The CUDA driver library, the runtimes and toolkits on disk, and how probes ended.

use super::{AnyKey, Key};
use serde::{Deserialize, Serialize};

/// The libcuda file that the loader really took (machine). Absent: the loader finds none. Failed: it would not load.
pub const LIBRARY: Key<Loaded> = Key::new("cuda.library");
/// cuDriverGetVersion: 1000*major + 10*minor.
pub const DRIVER_VERSION: Key<i32> = Key::new("cuda.driver_version");
/// Result code of cuInit(0); 0 is success.
pub const INIT: Key<i32> = Key::new("cuda.init");
/// Number of devices, from cuDeviceGetCount.
pub const COUNT: Key<u32> = Key::new("cuda.count");
/// One device as CUDA sees it; subject: the GPU.
pub const DEVICE: Key<Device> = Key::new("cuda.device");
/// How far the tiny computation came on one device; subject: the GPU.
pub const COMPUTE: Key<Compute> = Key::new("cuda.compute");
/// A GPU that got no context, and why (`busy: ...`, `passive`); subject: the GPU.
pub const NO_CONTEXT: Key<String> = Key::new("cuda.no_context");
/// How a probe ended, where it did not end well; subject: the probe.
pub const PROBE_END: Key<ProbeEnd> = Key::new("probe.end");
/// One CUDA toolkit on disk: its version; subject: the folder.
pub const TOOLKIT: Key<String> = Key::new("toolkit.folder");
/// nvcc on PATH: its release; subject: the program.
pub const NVCC: Key<String> = Key::new("toolkit.nvcc");
/// One CUDA runtime library on the loader's path or in site-packages: its version; subject: the file.
pub const CUDART: Key<String> = Key::new("runtime.cudart");
/// Whether libnvidia-ptxjitcompiler.so.1 is where the loader finds it (machine).
pub const PTX_JIT: Key<bool> = Key::new("library.ptxjitcompiler");
/// Whether libcuda.so.1 lies in a folder that exists, but that the loader did not search (machine).
pub const ELSEWHERE: Key<Vec<String>> = Key::new("library.libcuda_elsewhere");

/// A library that was loaded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Loaded {
    /// Path as mapped into the process.
    pub path: String,
    /// File behind the links.
    pub target: String,
    /// Driver version, from the file name behind the links, where it has one.
    #[serde(default)]
    pub version: Option<String>,
}

/// A device as CUDA sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Device {
    /// CUDA ordinal.
    pub index: u32,
    /// Product name.
    pub name: String,
    /// Compute capability, `8.9`.
    pub compute_capability: String,
    /// Memory in bytes.
    pub memory: u64,
    /// Whether it is part of the system-on-chip (Jetson).
    #[serde(default)]
    pub integrated: bool,
}

/// The tiny computation through the driver alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compute {
    /// The stage reached: `context`, `allocate`, `copy_in`, `module`, `launch`, `copy_back`, `compare`, `done`.
    pub stage: String,
    /// CUDA result code of that stage; 0 with `done`. A wrong result is `compare` with 0.
    pub code: i32,
}

/// An end of a probe that is itself a finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProbeEnd {
    /// `timed_out`, `crashed` (by a signal), `exited` (with a status, before it was done), `not_started`, `flooded`.
    pub how: String,
    /// The stage it was in: `cuInit`, `import`, `nvmlInit`.
    pub stage: String,
    /// Signal, status, or the reason in words.
    pub detail: String,
}

/// All keys of this file.
pub const ALL: &[&dyn AnyKey] = &[
    &LIBRARY,
    &DRIVER_VERSION,
    &INIT,
    &COUNT,
    &DEVICE,
    &COMPUTE,
    &NO_CONTEXT,
    &PROBE_END,
    &TOOLKIT,
    &NVCC,
    &CUDART,
    &PTX_JIT,
    &ELSEWHERE,
];
