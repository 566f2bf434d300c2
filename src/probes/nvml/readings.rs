//! The readings of one GPU, each with its own code.

use super::code;
use crate::facts::nvidia::{ConfCompute, Ecc, Fabric, Memory, Mig, Pcie, PowerDraw, Process, Temperature};
use crate::probes::child::Channel;
use nvml_wrapper::Device;
use nvml_wrapper::enum_wrappers::device::{
    ComputeMode, EccCounter, MemoryError, TemperatureSensor, TemperatureThreshold,
};
use nvml_wrapper::enums::device::{SampleValue, UsedGpuMemory};
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::structs::device::FieldId;
use nvml_wrapper::sys_exports::field_id::NVML_FI_DEV_GET_GPU_RECOVERY_ACTION;
use serde::Serialize;
use serde_json::json;
use std::ffi::{c_int, c_uint, c_void};
use std::mem::zeroed;

/// A value, or NVML's code.
pub type Reading<T> = Result<T, u32>;
/// There is no such reading.
pub const NOT_SUPPORTED: u32 = 3;
/// The library has no such function.
pub const FUNCTION_NOT_FOUND: u32 = 13;

/// Takes all readings of a GPU.
pub fn all(channel: &Channel, device: &Device, index: u32) {
    let at = At { channel, index };
    at.say("name", || device.name().map_err(code));
    at.say("uuid", || device.uuid().map_err(code));
    at.say("minor", || minor(device));
    at.say("compute_capability", || {
        device.cuda_compute_capability().map(|cc| format!("{}.{}", cc.major, cc.minor)).map_err(code)
    });
    at.say("memory", || memory(device));
    at.say("compute_mode", || device.compute_mode().map(compute_mode).map_err(code));
    at.say("mig", || mig(device));
    at.say("processes", || processes(device));
    at.say("persistence", || persistence(device));
    at.say("temperature", || temperature(device));
    at.say("power", || power(device));
    at.say("clock_reasons", || device.current_throttle_reasons().map(|bits| bits.bits()).map_err(code));
    at.say("pcie", || pcie(device).map_err(code));
    at.say("ecc", || ecc(device));
    at.say("fabric", || fabric(device));
    at.say("recovery_action", || recovery(device));
    at.say("vgpu_licensed", || vgpu_licensed(device));
    at.say("virtualization_mode", || virtualization(device));
    at.say("conf_compute", || conf_compute(device));
}

/// One GPU, and where to say what it reads.
pub struct At<'a> {
    /// To the parent.
    pub channel: &'a Channel,
    /// NVML's number of the GPU.
    pub index: u32,
}

impl At<'_> {
    /// Takes one reading.
    pub fn say<T: Serialize>(&self, name: &str, read: impl FnOnce() -> Reading<T>) {
        self.channel.line(&json!({ "begin": "reading", "name": name, "index": self.index }));
        let fields = match read() {
            Ok(value) => json!({ "name": name, "index": self.index, "code": 0, "value": value }),
            Err(code) => json!({ "name": name, "index": self.index, "code": code }),
        };
        self.channel.stage("reading", fields);
    }
}

/// A function of the library that the wrapper does not call, by the wrapper's own handle on the library.
///
/// # Safety
/// `T` must be the function's type.
unsafe fn symbol<T: Copy>(device: &Device, name: &[u8]) -> Reading<T> {
    // SAFETY: as promised by the caller; the library outlives the process's use of it.
    unsafe { device.nvml().lib().__library.get::<T>(name) }.map(|s| *s).map_err(|_| FUNCTION_NOT_FOUND)
}

fn handle(device: &Device) -> *mut c_void {
    // SAFETY: the handle is only used for calls, as the wrapper itself does.
    unsafe { device.handle() }.cast()
}

/// A result code.
pub fn checked(code: c_int) -> Reading<()> {
    if code == 0 { Ok(()) } else { Err(code as u32) }
}

/// N of `/dev/nvidiaN`; Linux only.
fn minor(device: &Device) -> Reading<u32> {
    #[cfg(target_os = "linux")]
    return device.minor_number().map_err(code);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = device;
        Err(NOT_SUPPORTED)
    }
}

fn persistence(device: &Device) -> Reading<bool> {
    #[cfg(target_os = "linux")]
    return device.is_in_persistent_mode().map_err(code);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = device;
        Err(NOT_SUPPORTED)
    }
}

/// Drivers before 510 have only the first version of the call.
fn memory(device: &Device) -> Reading<Memory> {
    match device.memory_info().map_err(code) {
        Ok(info) => Ok(Memory { total: info.total, free: info.free, used: info.used }),
        Err(FUNCTION_NOT_FOUND) => {
            type Get = unsafe extern "C" fn(*mut c_void, *mut [u64; 3]) -> c_int;
            let mut info = [0u64; 3];
            // SAFETY: nvmlMemory_t is total, free and used, each unsigned long long.
            unsafe { checked(symbol::<Get>(device, b"nvmlDeviceGetMemoryInfo")?(handle(device), &mut info))? };
            Ok(Memory { total: info[0], free: info[1], used: info[2] })
        }
        Err(code) => Err(code),
    }
}

fn compute_mode(mode: ComputeMode) -> &'static str {
    match mode {
        ComputeMode::Default => "default",
        ComputeMode::ExclusiveThread => "exclusive_thread",
        ComputeMode::Prohibited => "prohibited",
        ComputeMode::ExclusiveProcess => "exclusive_process",
    }
}

fn mig(device: &Device) -> Reading<Mig> {
    let mode = device.mig_mode().map_err(code)?;
    let count = device.mig_device_count().unwrap_or(0);
    let instances = (0..count).filter_map(|i| device.mig_device_by_index(i).ok()?.uuid().ok()).collect();
    Ok(Mig { enabled: mode.current != 0, pending: mode.pending != 0, instances })
}

/// nvmlProcessInfo_t of the second and third version of the calls.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct RawProcess {
    pid: c_uint,
    memory: u64,
    gpu_instance: c_uint,
    compute_instance: c_uint,
}

/// Processes that compute, and those that draw. A process that does both, as every desktop program on Windows, counts as
/// one that draws.
fn processes(device: &Device) -> Reading<Vec<Process>> {
    let newer = |found: Result<Vec<nvml_wrapper::struct_wrappers::device::ProcessInfo>, NvmlError>| {
        let memory = |used: &UsedGpuMemory| match used {
            UsedGpuMemory::Used(bytes) => Some(*bytes),
            UsedGpuMemory::Unavailable => None,
        };
        found.map(|list| list.iter().map(|p| (p.pid, memory(&p.used_gpu_memory))).collect::<Vec<_>>()).map_err(code)
    };
    let older = |name: &[u8]| -> Reading<Vec<(u32, Option<u64>)>> {
        type Get = unsafe extern "C" fn(*mut c_void, *mut c_uint, *mut RawProcess) -> c_int;
        let mut found = vec![RawProcess::default(); 128];
        let mut count = found.len() as c_uint;
        // SAFETY: the buffer has room for as many as `count` says.
        unsafe { checked(symbol::<Get>(device, name)?(handle(device), &mut count, found.as_mut_ptr()))? };
        found.truncate(count as usize);
        // NVML_VALUE_NOT_AVAILABLE is all ones.
        Ok(found.iter().map(|p| (p.pid, (p.memory != u64::MAX).then_some(p.memory))).collect())
    };
    let compute = match newer(device.running_compute_processes()) {
        Err(FUNCTION_NOT_FOUND) => older(b"nvmlDeviceGetComputeRunningProcesses_v2")?,
        other => other?,
    };
    let graphics = match newer(device.running_graphics_processes()) {
        Err(FUNCTION_NOT_FOUND) => older(b"nvmlDeviceGetGraphicsRunningProcesses_v2").unwrap_or_default(),
        other => other.unwrap_or_default(),
    };
    let draws = |pid: u32| graphics.iter().any(|(other, _)| *other == pid);
    let process =
        |kind: &str, (pid, memory): &(u32, Option<u64>)| Process { pid: *pid, memory: *memory, kind: kind.into() };
    let mut all: Vec<Process> =
        compute.iter().filter(|(pid, _)| !draws(*pid)).map(|found| process("compute", found)).collect();
    all.extend(graphics.iter().map(|found| process("graphics", found)));
    Ok(all)
}

fn temperature(device: &Device) -> Reading<Temperature> {
    Ok(Temperature {
        now: device.temperature(TemperatureSensor::Gpu).map_err(code)?,
        slowdown: device.temperature_threshold(TemperatureThreshold::Slowdown).ok(),
        shutdown: device.temperature_threshold(TemperatureThreshold::Shutdown).ok(),
    })
}

fn power(device: &Device) -> Reading<PowerDraw> {
    let watts = |milliwatts: Result<u32, NvmlError>| milliwatts.map(|mw| f64::from(mw) / 1000.0).map_err(code);
    let now = watts(device.power_usage());
    let limit = watts(device.enforced_power_limit());
    if let (Err(code), Err(_)) = (&now, &limit) {
        return Err(*code);
    }
    Ok(PowerDraw {
        now: now.ok(),
        limit: limit.ok(),
        default_limit: watts(device.power_management_limit_default()).ok(),
    })
}

fn pcie(device: &Device) -> Result<Pcie, NvmlError> {
    Ok(Pcie {
        generation: device.current_pcie_link_gen()?,
        generation_max: device.max_pcie_link_gen()?,
        width: device.current_pcie_link_width()?,
        width_max: device.max_pcie_link_width()?,
    })
}

fn ecc(device: &Device) -> Reading<Ecc> {
    let errors = |counter| device.total_ecc_errors(MemoryError::Uncorrected, counter).ok();
    let enabled = device.is_ecc_enabled().map(|state| state.currently_enabled).map_err(code);
    let rows = remapped(device);
    if let Err(code) = enabled
        && rows.is_err()
    {
        return Err(code);
    }
    let retired = || device.are_pages_pending_retired().ok();
    Ok(Ecc {
        enabled: enabled.ok(),
        uncorrected_volatile: errors(EccCounter::Volatile),
        uncorrected_aggregate: errors(EccCounter::Aggregate),
        // Ampere and later remap rows; before that, pages were retired.
        remap_pending: rows.ok().map(|rows| rows[2] != 0).or_else(retired),
        remap_failure: rows.ok().map(|rows| rows[3] != 0),
    })
}

/// nvmlDeviceGetRemappedRows: corrected, uncorrected, pending, failed.
fn remapped(device: &Device) -> Reading<[c_uint; 4]> {
    type Get = unsafe extern "C" fn(*mut c_void, *mut c_uint, *mut c_uint, *mut c_uint, *mut c_uint) -> c_int;
    let [mut corrected, mut uncorrected, mut pending, mut failed] = [0; 4];
    // SAFETY: four pointers to live integers.
    unsafe {
        let get = symbol::<Get>(device, b"nvmlDeviceGetRemappedRows")?;
        checked(get(handle(device), &mut corrected, &mut uncorrected, &mut pending, &mut failed))?;
    }
    Ok([corrected, uncorrected, pending, failed])
}

/// nvmlDeviceGetGpuFabricInfo; the wrapper has only the binding.
fn fabric(device: &Device) -> Reading<Fabric> {
    let get = device.nvml().lib().nvmlDeviceGetGpuFabricInfo.as_ref().map_err(|_| FUNCTION_NOT_FOUND)?;
    // SAFETY: a plain structure of numbers, filled by the call.
    unsafe {
        let mut info = zeroed();
        checked(get(device.handle(), &mut info) as c_int)?;
        Ok(Fabric { state: info.state.into(), status: info.status as i32 })
    }
}

fn recovery(device: &Device) -> Reading<u32> {
    let mut values = device.field_values_for(&[FieldId(NVML_FI_DEV_GET_GPU_RECOVERY_ACTION)]).map_err(code)?;
    let value = values.pop().ok_or(NOT_SUPPORTED)?.and_then(|sample| sample.value).map_err(code)?;
    match value {
        SampleValue::U32(action) => Ok(action),
        SampleValue::U64(action) => Ok(action as u32),
        _ => Err(NOT_SUPPORTED),
    }
}

/// NVML_GPU_VIRTUALIZATION_MODE_*.
fn virtualization(device: &Device) -> Reading<&'static str> {
    let get = device.nvml().lib().nvmlDeviceGetVirtualizationMode.as_ref().map_err(|_| FUNCTION_NOT_FOUND)?;
    let mut mode = 0;
    // SAFETY: the handle is the wrapper's own, and the pointer is to a live number.
    checked(unsafe { get(device.handle(), &mut mode) } as c_int)?;
    match mode {
        0 => Ok("none"),
        1 => Ok("pass-through"),
        2 => Ok("vgpu"),
        3 => Ok("host-vgpu"),
        4 => Ok("host-vsga"),
        _ => Err(NOT_SUPPORTED),
    }
}

/// Whether a virtual GPU's licence is held; a physical GPU has no such thing.
fn vgpu_licensed(device: &Device) -> Reading<bool> {
    /// NVML_GPU_VIRTUALIZATION_MODE_VGPU: this is the guest's side of a vGPU.
    const VGPU: u32 = 2;
    let lib = device.nvml().lib();
    let mode = lib.nvmlDeviceGetVirtualizationMode.as_ref().map_err(|_| FUNCTION_NOT_FOUND)?;
    let features = lib.nvmlDeviceGetGridLicensableFeatures_v4.as_ref().map_err(|_| FUNCTION_NOT_FOUND)?;
    // SAFETY: a plain number and a plain structure of numbers, filled by the calls.
    unsafe {
        let mut is = 0;
        checked(mode(device.handle(), &mut is) as c_int)?;
        if is != VGPU {
            return Err(NOT_SUPPORTED);
        }
        let mut found = zeroed();
        checked(features(device.handle(), &mut found) as c_int)?;
        let count = (found.licensableFeaturesCount as usize).min(found.gridLicensableFeatures.len());
        Ok(found.gridLicensableFeatures[..count].iter().any(|feature| feature.featureState != 0))
    }
}

/// nvmlSystemGetConfComputeState and nvmlSystemGetConfComputeGpusReadyState.
fn conf_compute(device: &Device) -> Reading<ConfCompute> {
    let lib = device.nvml().lib();
    let state = lib.nvmlSystemGetConfComputeState.as_ref().map_err(|_| FUNCTION_NOT_FOUND)?;
    let ready = lib.nvmlSystemGetConfComputeGpusReadyState.as_ref().map_err(|_| FUNCTION_NOT_FOUND)?;
    // SAFETY: a plain structure of numbers and a number, filled by the calls.
    unsafe {
        let mut found = zeroed();
        checked(state(&mut found) as c_int)?;
        let mut accepts = 0;
        checked(ready(&mut accepts) as c_int)?;
        Ok(ConfCompute { on: found.ccFeature != 0, ready: accepts != 0 })
    }
}
