//! NVML: does it start, which GPUs does it list, and how is each of them? One code per reading: a lost GPU, or one that
//! has no such reading, hides nothing of the others.

use super::child::Channel;
use super::loading::{self, Loading};
use crate::facts::nvidia::{self, Process};
use crate::facts::{Facts, Key, links, pci};
use crate::machine::child::{Report, Spec};
use crate::subject::{Subject, pci_address};
use nvml_wrapper::Nvml;
use nvml_wrapper::error::NvmlError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

mod between;
mod readings;

/// Name of the probe.
pub const NAME: &str = "nvml";

/// The library's name, as programs load it.
const LIBRARY: &str = if cfg!(windows) { "nvml.dll" } else { "libnvidia-ml.so.1" };

/// Where the library lies when the loader does not find it.
const ELSEWHERE: &[&str] = &[
    "/usr/lib/wsl/lib",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu/nvidia/current",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/run/opengl-driver/lib",
];

/// The child, with the addresses of the NVIDIA GPUs on the bus.
pub fn spec(base: Spec, facts: &Facts) -> Spec {
    base.arguments(["__probe", NAME]).arguments(on_bus(facts))
}

/// Addresses of the NVIDIA GPUs on the bus, in the bus's order, which is NVML's as well.
fn on_bus(facts: &Facts) -> Vec<String> {
    let nvidia = facts.all(&pci::VENDOR).filter(|(vendor, _)| vendor == "0x10de");
    let mut addresses: Vec<String> = nvidia.map(|(_, fact)| fact.subject.id.clone()).collect();
    addresses.sort();
    addresses
}

/// The part that runs in a child: `ADDRESS...`.
pub fn child(channel: &Channel, addresses: &[String]) {
    let Some((_library, path)) = load(channel) else { return };
    channel.begin("nvmlInit");
    let nvml = match Nvml::builder().lib_path(path.as_ref()).init() {
        Ok(nvml) => nvml,
        Err(error) => return channel.stage("nvmlInit", json!({ "code": code(error) })),
    };
    channel.stage("nvmlInit", json!({ "code": 0 }));
    system(channel, "driver_version", nvml.sys_driver_version());
    system(channel, "cuda_version", nvml.sys_cuda_driver_version());
    let count = system(channel, "count", nvml.device_count()).unwrap_or(0);
    let mut missing: Vec<&String> = addresses.iter().collect();
    let mut devices = Vec::new();
    for index in 0..count {
        channel.begin("handle");
        let device = match nvml.device_by_index(index) {
            Ok(device) => device,
            Err(error) => {
                channel.stage("handle", json!({ "index": index, "code": code(error) }));
                continue;
            }
        };
        let pci = device.pci_info().map(|info| info.bus_id);
        let address = pci.as_deref().ok().and_then(pci_address);
        missing.retain(|a| Some(*a) != address.as_ref());
        channel.stage("handle", json!({ "index": index, "code": 0, "pci": address, "pci_code": pci.err().map(code) }));
        readings::all(channel, &device, index);
        devices.extend(address.map(|address| (index, address, device)));
    }
    between::all(channel, &devices);
    // By address, a GPU that has no handle says why.
    for address in missing {
        channel.begin("handle");
        let code = nvml.device_by_pci_bus_id(address.as_str()).map(|_| 0).unwrap_or_else(code);
        channel.stage("handle", json!({ "pci": address, "code": code }));
    }
    // No nvmlShutdown: nothing is to be gained, and it may hang.
    std::mem::forget(nvml);
}

/// Loads the library by name, or from where it often lies. Gives back what it was loaded by.
fn load(channel: &Channel) -> Option<(libloading::Library, String)> {
    let elsewhere = ELSEWHERE.iter().map(|folder| format!("{folder}/{LIBRARY}"));
    let elsewhere = elsewhere.filter(|path| std::path::Path::new(path).exists());
    std::iter::once(LIBRARY.to_string())
        .chain(elsewhere)
        .find_map(|path| loading::load(channel, &path).map(|library| (library, path)))
}

/// The code of an error. The wrapper has errors of its own; a function that is missing is NVML's 13.
fn code(error: NvmlError) -> u32 {
    match error {
        NvmlError::FailedToLoadSymbol(_) => 13,
        error => error.into(),
    }
}

fn system<T: Serialize>(channel: &Channel, name: &str, value: Result<T, NvmlError>) -> Option<T> {
    let value = value.map_err(code);
    match &value {
        Ok(value) => channel.stage("system", json!({ "name": name, "code": 0, "value": value })),
        Err(code) => channel.stage("system", json!({ "name": name, "code": code })),
    }
    value.ok()
}

/// What the child said, as facts. `own` are processes of this program; `facts` holds the bus.
pub fn parse(report: &Report, own: &[u32], facts: &mut Facts) {
    let machine = Subject::machine();
    match loaded(report) {
        Loading::Loaded(path, _) => facts.seen(&nvidia::NVML_LIBRARY, &machine, path, loading::SOURCE),
        Loading::NotFound => facts.absent(&nvidia::NVML_LIBRARY, &machine, format!("{} {LIBRARY}", loading::CALL)),
        Loading::Refused(why) => {
            facts.failed(&nvidia::NVML_LIBRARY, &machine, why, format!("{} {LIBRARY}", loading::CALL))
        }
        Loading::NotTried => {}
    }
    if let Some(code) = report.result("nvmlInit").and_then(|stage| stage["code"].as_i64()) {
        facts.seen(&nvidia::NVML_INIT, &machine, code as i32, "nvmlInit_v2");
    } else if let (Some("nvmlInit"), Some(why)) = (report.unfinished().last().copied(), super::ended(report)) {
        facts.failed(&nvidia::NVML_INIT, &machine, why, "nvmlInit_v2");
    }
    for stage in report.results("system") {
        match stage["name"].as_str() {
            Some("driver_version") => put(&nvidia::NVML_DRIVER, &machine, stage, facts),
            Some("cuda_version") => put(&nvidia::NVML_CUDA, &machine, stage, facts),
            Some("count") => put(&nvidia::NVML_COUNT, &machine, stage, facts),
            _ => {}
        }
    }
    let gpus = handles(report, facts);
    for stage in report.results("reading") {
        if let Some((_, gpu)) = gpus.iter().find(|(index, _)| stage["index"] == *index) {
            reading(stage, gpu, own, facts);
        }
    }
}

/// The library as it was found in the end, or what the loader said of its plain name.
fn loaded(report: &Report) -> Loading {
    let elsewhere = ELSEWHERE.iter().map(|folder| loading::read(report, &format!("{folder}/{LIBRARY}")));
    match loading::read(report, LIBRARY) {
        Loading::NotFound => {
            elsewhere.into_iter().find(|l| matches!(l, Loading::Loaded(..))).unwrap_or(Loading::NotFound)
        }
        other => other,
    }
}

/// Which GPU an index is, with the code of every handle. A GPU without a handle has no address to tell: it is one of
/// those that the bus shows and no other index claims.
fn handles(report: &Report, facts: &mut Facts) -> Vec<(u64, Subject)> {
    let (mut gpus, mut nameless, mut codes) = (Vec::new(), Vec::new(), Vec::new());
    for stage in report.results("handle") {
        let code = stage["code"].as_i64().unwrap_or(999) as i32;
        match (stage["index"].as_u64(), stage["pci"].as_str()) {
            (Some(index), Some(address)) => gpus.push((index, Subject::gpu(address), code)),
            (Some(index), None) => nameless.push((index, code)),
            // By address: not found, no permission and the like only mean that this context was not given that GPU.
            (None, Some(address)) => codes.push((Subject::gpu(address), code)),
            (None, None) => {}
        }
    }
    let unclaimed = |gpu: &Subject| !gpus.iter().any(|(_, other, _)| other == gpu);
    let missing: Vec<Subject> = on_bus(facts).iter().map(|a| Subject::gpu(a)).filter(unclaimed).collect();
    let ill: Vec<&(Subject, i32)> = codes.iter().filter(|(_, code)| matches!(code, 8 | 11 | 14..=16)).collect();
    let candidates: Vec<Subject> = match ill.len() == nameless.len() {
        true => ill.iter().map(|(gpu, _)| gpu.clone()).collect(),
        false if missing.len() == nameless.len() => missing,
        false => nameless.iter().map(|(index, _)| Subject::gpu(&format!("nvml:{index}"))).collect(),
    };
    gpus.extend(nameless.iter().zip(candidates).map(|(&(index, code), gpu)| (index, gpu, code)));
    for (_, gpu, code) in &gpus {
        facts.seen(&nvidia::NVML_HANDLE, gpu, *code, "nvmlDeviceGetHandleByIndex_v2");
    }
    for (gpu, code) in ill.into_iter().filter(|(gpu, _)| !gpus.iter().any(|(_, other, _)| other == gpu)) {
        facts.seen(&nvidia::NVML_HANDLE, gpu, *code, "nvmlDeviceGetHandleByPciBusId_v2");
    }
    gpus.into_iter().map(|(index, gpu, _)| (index, gpu)).collect()
}

fn reading(stage: &Value, gpu: &Subject, own: &[u32], facts: &mut Facts) {
    match stage["name"].as_str().unwrap_or_default() {
        "name" => put(&nvidia::NVML_NAME, gpu, stage, facts),
        "uuid" => put(&nvidia::NVML_UUID, gpu, stage, facts),
        "minor" => put(&nvidia::NVML_MINOR, gpu, stage, facts),
        "compute_capability" => put(&nvidia::NVML_CC, gpu, stage, facts),
        "memory" => put(&nvidia::NVML_MEMORY, gpu, stage, facts),
        "compute_mode" => put(&nvidia::NVML_COMPUTE_MODE, gpu, stage, facts),
        "mig" => put(&nvidia::NVML_MIG, gpu, stage, facts),
        "processes" => {
            let mut stage = stage.clone();
            if let Ok(mut all) = serde_json::from_value::<Vec<Process>>(stage["value"].take()) {
                all.retain(|process| !own.contains(&process.pid));
                stage["value"] = serde_json::to_value(all).unwrap_or_default();
            }
            put(&nvidia::NVML_PROCESSES, gpu, &stage, facts);
        }
        "persistence" => put(&nvidia::NVML_PERSISTENCE, gpu, stage, facts),
        "temperature" => put(&nvidia::NVML_TEMPERATURE, gpu, stage, facts),
        "power" => put(&nvidia::NVML_POWER, gpu, stage, facts),
        "clock_reasons" => put(&nvidia::NVML_CLOCK_REASONS, gpu, stage, facts),
        "pcie" => put(&nvidia::NVML_PCIE, gpu, stage, facts),
        "ecc" => put(&nvidia::NVML_ECC, gpu, stage, facts),
        "fabric" => put(&nvidia::NVML_FABRIC, gpu, stage, facts),
        "vgpu_licensed" => put(&nvidia::NVML_VGPU_LICENSED, gpu, stage, facts),
        "virtualization_mode" => put(&nvidia::NVML_VIRTUALIZATION, gpu, stage, facts),
        "conf_compute" => put(&nvidia::NVML_CONF_COMPUTE, gpu, stage, facts),
        "nvlinks" => put(&links::NVLINKS, gpu, stage, facts),
        "p2p" => put(&links::PEERS, gpu, stage, facts),
        "recovery_action" => put(&nvidia::NVML_RECOVERY, gpu, stage, facts),
        _ => {}
    }
}

/// A reading as a fact: its value, absent where the card or the library has no such reading, or its code.
fn put<T: DeserializeOwned + Serialize>(key: &Key<T>, subject: &Subject, stage: &Value, facts: &mut Facts) {
    let source = "NVML";
    match stage["code"].as_i64() {
        Some(0) => match serde_json::from_value::<T>(stage["value"].clone()) {
            Ok(value) => facts.seen(key, subject, value, source),
            Err(e) => facts.failed(key, subject, e.to_string(), source),
        },
        // Not supported; no such function in the library; a field that this driver does not know.
        Some(2 | 3 | 13) => facts.absent(key, subject, source),
        Some(code) => facts.failed(key, subject, format!("NVML error {code}"), source),
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probes::child::test::report;

    fn two_gpus() -> Facts {
        let mut facts = Facts::new();
        for address in ["0000:01:00.0", "0000:0b:00.0"] {
            facts.seen(&pci::VENDOR, &Subject::gpu(address), "0x10de".to_string(), "sysfs");
        }
        facts
    }

    #[test]
    fn a_lost_gpu_keeps_its_address() {
        let mut facts = two_gpus();
        let said = report(
            r#"{"stage":"nvmlInit","code":0}
            {"stage":"system","name":"count","code":0,"value":2}
            {"stage":"handle","index":0,"code":15}
            {"stage":"handle","index":1,"code":0,"pci":"0000:0b:00.0"}
            {"stage":"reading","name":"name","index":1,"code":0,"value":"NVIDIA L4"}
            {"stage":"handle","pci":"0000:01:00.0","code":6}"#,
        );
        parse(&said, &[], &mut facts);
        let handle = |address: &str| facts.look(&nvidia::NVML_HANDLE, &Subject::gpu(address)).seen();
        assert_eq!((handle("0000:01:00.0"), handle("0000:0b:00.0")), (Some(15), Some(0)));
        assert_eq!(facts.look(&nvidia::NVML_NAME, &Subject::gpu("0000:0b:00.0")).seen().as_deref(), Some("NVIDIA L4"));
    }

    #[test]
    fn a_gpu_that_was_not_granted_is_not_a_fault() {
        let mut facts = two_gpus();
        let said = report(
            r#"{"stage":"handle","index":0,"code":0,"pci":"0000:01:00.0"}
            {"stage":"handle","pci":"0000:0b:00.0","code":6}"#,
        );
        parse(&said, &[], &mut facts);
        assert_eq!(facts.subjects_with(&nvidia::NVML_HANDLE), [Subject::gpu("0000:01:00.0")]);
    }

    #[test]
    fn a_reading_that_a_card_does_not_have_is_absent_and_an_error_is_an_error() {
        let mut facts = two_gpus();
        let said = report(
            r#"{"stage":"handle","index":0,"code":0,"pci":"0000:01:00.0"}
            {"stage":"reading","name":"mig","index":0,"code":3}
            {"stage":"reading","name":"temperature","index":0,"code":15}
            {"stage":"reading","name":"processes","index":0,"code":0,
             "value":[{"pid":7,"kind":"compute"},{"pid":8,"memory":1048576,"kind":"compute"}]}"#
                .replace(",\n             ", ",")
                .as_str(),
        );
        parse(&said, &[7], &mut facts);
        let gpu = Subject::gpu("0000:01:00.0");
        assert!(facts.look(&nvidia::NVML_MIG, &gpu).is_absent());
        assert_eq!(facts.look(&nvidia::NVML_TEMPERATURE, &gpu).why_failed(), Some("NVML error 15"));
        let processes = facts.look(&nvidia::NVML_PROCESSES, &gpu).seen().unwrap();
        assert_eq!(processes.iter().map(|p| p.pid).collect::<Vec<_>>(), [8]);
    }
}
