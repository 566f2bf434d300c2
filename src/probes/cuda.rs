//! The CUDA driver library: is it found, does it start, which devices does it see, and does each of them compute?
//!
//! One child does all of it. After the devices it asks (`context`) which of them may be used, so that no two probes ever
//! hold a context on one GPU.

use super::child::Channel;
use super::loading::{self, Loading};
use crate::facts::Facts;
use crate::facts::cuda::{self, Compute, Device, Loaded};
use crate::machine::Machine;
use crate::machine::child::{Report, Spec};
use crate::subject::Subject;
use driver::Driver;
use serde_json::{Value, json};

mod compute;
mod driver;

/// Name of the probe.
pub const NAME: &str = "cuda";

/// The library's name, as programs load it.
const LIBRARY: &str = if cfg!(windows) { "nvcuda.dll" } else { "libcuda.so.1" };
const PTX_JIT: &str = "libnvidia-ptxjitcompiler.so.1";

/// Folders in which a libcuda often lies without being found.
const ELSEWHERE: &[&str] = &[
    "/usr/lib/wsl/lib",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu/nvidia/current",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu/tegra",
    "/usr/lib/aarch64-linux-gnu/nvidia",
    "/usr/lib64",
    "/usr/lib64/nvidia",
    "/usr/lib/nvidia",
    "/usr/local/nvidia/lib64",
    "/run/opengl-driver/lib",
    "/usr/local/cuda/compat",
];

/// The child.
pub fn spec(base: Spec) -> Spec {
    base.arguments(["__probe", NAME])
}

/// The part that runs in a child.
pub fn child(channel: &Channel) {
    let Some(library) = loading::load(channel, LIBRARY) else { return };
    let driver = match Driver::of(&library) {
        Ok(driver) => driver,
        Err(symbol) => return channel.stage("symbols", json!({ "missing": symbol })),
    };
    channel.begin("cuDriverGetVersion");
    let (code, version) = driver.version();
    channel.stage("cuDriverGetVersion", json!({ "code": code, "version": version }));
    channel.begin("cuInit");
    let code = driver.init();
    channel.stage("cuInit", json!({ "code": code }));
    if cfg!(target_os = "linux") {
        std::mem::forget(loading::load(channel, PTX_JIT));
    }
    if code != 0 {
        return;
    }
    channel.begin("cuDeviceGetCount");
    let (code, count) = driver.count();
    channel.stage("cuDeviceGetCount", json!({ "code": code, "count": count }));
    if code != 0 {
        return;
    }
    for index in 0..count {
        channel.begin("device");
        channel.stage("device", driver.device(index));
    }
    if count == 0 {
        return;
    }
    let answer = channel.ask("context");
    let Some(list) = answer.strip_prefix("go") else { return };
    for index in list.split(',').filter_map(|n| n.trim().parse().ok()).filter(|n| (0..count).contains(n)) {
        compute::run(channel, &driver, index);
    }
}

/// The devices that the child saw so far: ordinal, and the GPU's PCI address.
pub fn devices(stages: &[Value]) -> Vec<(u32, Subject)> {
    stages.iter().filter(|stage| stage["stage"] == "device").filter_map(identity).collect()
}

/// The ordinal and the subject of a device.
fn identity(stage: &Value) -> Option<(u32, Subject)> {
    let index = stage["index"].as_u64()? as u32;
    // Jetson's GPU is on no bus; CUDA gives an address of zeros there.
    let address = stage["pci"].as_str().filter(|a| !a.starts_with("0000:00:00")).and_then(crate::subject::pci_address);
    Some((index, Subject::gpu(&address.unwrap_or_else(|| format!("cuda:{index}")))))
}

/// What the child said, as facts.
pub fn parse(report: &Report, facts: &mut Facts) {
    let machine = Subject::machine();
    match loading::read(report, LIBRARY) {
        Loading::Loaded(path, target) => {
            let version = loading::version(&target);
            facts.seen(&cuda::LIBRARY, &machine, Loaded { path, target, version }, loading::SOURCE);
        }
        Loading::NotFound => facts.absent(&cuda::LIBRARY, &machine, format!("{} {LIBRARY}", loading::CALL)),
        Loading::Refused(why) => facts.failed(&cuda::LIBRARY, &machine, why, format!("{} {LIBRARY}", loading::CALL)),
        Loading::NotTried => {}
    }
    match loading::read(report, PTX_JIT) {
        Loading::Loaded(..) | Loading::Refused(_) => {
            facts.seen(&cuda::PTX_JIT, &machine, true, format!("dlopen {PTX_JIT}"))
        }
        Loading::NotFound => facts.seen(&cuda::PTX_JIT, &machine, false, format!("dlopen {PTX_JIT}")),
        Loading::NotTried => {}
    }
    let call = |name: &'static str, field: &str| {
        let stage = report.result(name)?;
        Some((stage["code"].as_i64()? as i32, stage[field].as_i64().unwrap_or_default() as i32))
    };
    match call("cuDriverGetVersion", "version") {
        Some((0, version)) => facts.seen(&cuda::DRIVER_VERSION, &machine, version, "cuDriverGetVersion"),
        Some((code, _)) => facts.failed(&cuda::DRIVER_VERSION, &machine, format!("error {code}"), "cuDriverGetVersion"),
        None => {}
    }
    if let Some((code, _)) = call("cuInit", "code") {
        facts.seen(&cuda::INIT, &machine, code, "cuInit");
    } else if let (Some("cuInit"), Some(why)) = (report.unfinished().last().copied(), super::ended(report)) {
        facts.failed(&cuda::INIT, &machine, why, "cuInit");
    }
    if let Some(symbol) = report.result("symbols").and_then(|stage| stage["missing"].as_str()) {
        facts.failed(&cuda::INIT, &machine, format!("the library has no {symbol}"), "dlsym");
    }
    match call("cuDeviceGetCount", "count") {
        Some((0, count)) => facts.seen(&cuda::COUNT, &machine, count as u32, "cuDeviceGetCount"),
        Some((code, _)) => facts.failed(&cuda::COUNT, &machine, format!("error {code}"), "cuDeviceGetCount"),
        None => {}
    }
    for stage in report.results("device") {
        let Some((_, gpu)) = identity(stage) else { continue };
        match serde_json::from_value::<Device>(stage.clone()) {
            Ok(device) => facts.seen(&cuda::DEVICE, &gpu, device, "cuDeviceGet"),
            Err(_) => {
                facts.failed(&cuda::DEVICE, &gpu, format!("codes of the readings: {}", stage["codes"]), "cuDeviceGet")
            }
        }
    }
    computed(report, facts);
}

/// How far the computation came, per device.
fn computed(report: &Report, facts: &mut Facts) {
    let devices = devices(&report.stages);
    for (index, gpu) in &devices {
        let mut last: Option<Compute> = None;
        for stage in report.results("compute").filter(|stage| stage["index"] == *index) {
            let (Some(step), Some(code)) = (stage["step"].as_str(), stage["code"].as_i64()) else { continue };
            last = Some(Compute { stage: step.to_string(), code: code as i32 });
        }
        // The line of `done`, or of the step that failed, ends the steps of a device.
        let ended = report.results("compute").any(|stage| stage["index"] == *index && stage["last"] == true);
        match last {
            Some(compute) if ended => {
                let source = call(&compute.stage);
                facts.seen(&cuda::COMPUTE, gpu, compute, source);
            }
            _ => {
                let step = report.stages.iter().rev().find_map(|stage| {
                    (stage["begin"] == "compute" && stage["index"] == *index).then(|| stage["step"].as_str())?
                });
                if let Some(step) = step {
                    facts.failed(&cuda::COMPUTE, gpu, super::ended(report).unwrap_or_default(), call(step));
                }
            }
        }
    }
}

/// The call that a step makes.
fn call(step: &str) -> &'static str {
    match step {
        "context" => "cuCtxCreate",
        "allocate" => "cuMemAlloc",
        "copy_in" => "cuMemcpyHtoD",
        "module" => "cuModuleLoadData",
        "copy_back" => "cuMemcpyDtoH",
        _ => "cuLaunchKernel",
    }
}

/// Where a libcuda lies that the loader does not find.
pub fn elsewhere(machine: &Machine, facts: &mut Facts) {
    if cfg!(windows) || !facts.machine(&cuda::LIBRARY).is_absent() {
        return;
    }
    let folders = ELSEWHERE.iter().map(|folder| format!("{folder}/{LIBRARY}"));
    let found: Vec<String> = folders.filter(|path| machine.exists(path)).collect();
    facts.seen(&cuda::ELSEWHERE, &Subject::machine(), found, ELSEWHERE.join(":"));
}

#[cfg(test)]
mod tests;
