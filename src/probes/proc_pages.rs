//! The driver's own pages: `/proc/driver/nvidia/version`, `params` and `gpus/*/information`.

// The part that runs in a child reads the pages; see clippy.toml.
#![allow(clippy::disallowed_methods)]

use super::child::Channel;
use crate::facts::Facts;
use crate::facts::kernel::{self, GpuInformation};
use crate::machine::child::Report;
use crate::subject::Subject;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;

const FOLDER: &str = "/proc/driver/nvidia";

/// Parameters that explain a fault; the others are left out.
const PARAMETERS: &[&str] = &[
    "DeviceFileUID",
    "DeviceFileGID",
    "DeviceFileMode",
    "ModifyDeviceFiles",
    "PreserveVideoMemoryAllocations",
    "TemporaryFilePath",
    "EnableMSI",
    "EnablePCIeGen3",
    "EnableStreamMemOPs",
    "DynamicPowerManagement",
    "EnableGpuFirmware",
    "OpenRmEnableUnsupportedGpus",
    "EnableResizableBar",
    "RegistryDwords",
    "ExcludedGpus",
    "GrdmaPciTopoCheckOverride",
];

/// The part that runs in a child.
pub fn child(channel: &Channel, folder: &Path) {
    if !folder.is_dir() {
        return;
    }
    let read = |name: &str| {
        let stage = format!("read {FOLDER}/{name}");
        channel.begin(&stage);
        match std::fs::read(folder.join(name)) {
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes[..bytes.len().min(64 << 10)]).into_owned();
                channel.stage(&stage, json!({ "page": name, "text": text }));
            }
            Err(e) => channel.stage(&stage, json!({ "page": name, "error": e.to_string() })),
        }
    };
    read("version");
    read("params");
    let mut gpus: Vec<String> = std::fs::read_dir(folder.join("gpus"))
        .map(|entries| entries.filter_map(|e| e.ok()?.file_name().into_string().ok()).collect())
        .unwrap_or_default();
    gpus.sort();
    for gpu in gpus {
        read(&format!("gpus/{gpu}/information"));
    }
}

/// What the child said, as facts.
pub fn parse(report: &Report, facts: &mut Facts) {
    for stage in &report.stages {
        let Some(page) = stage["page"].as_str() else { continue };
        let source = format!("{FOLDER}/{page}");
        let gpu = page.strip_prefix("gpus/").and_then(|p| p.strip_suffix("/information"));
        match (page, gpu, stage["text"].as_str()) {
            ("version", _, Some(text)) => version(text, &source, facts),
            ("version", _, None) => {
                let why = stage["error"].as_str().unwrap_or("unreadable");
                facts.failed(&kernel::MODULE_FLAVOUR, &Subject::machine(), why, source);
            }
            ("params", _, Some(text)) => {
                let all = table(text);
                let kept: BTreeMap<String, String> =
                    all.into_iter().filter(|(name, _)| PARAMETERS.contains(&name.as_str())).collect();
                facts.seen(&kernel::MODULE_PARAMS, &Subject::machine(), kept, source);
            }
            (_, Some(address), Some(text)) => {
                let page = table(text);
                let information = GpuInformation {
                    model: page.get("Model").cloned().unwrap_or_default(),
                    minor: page.get("Device Minor").and_then(|minor| minor.parse().ok()),
                    excluded: page.get("GPU Excluded").is_some_and(|word| word == "Yes"),
                };
                facts.seen(&kernel::GPU_INFORMATION, &Subject::gpu(address), information, source);
            }
            (_, Some(address), None) => {
                let why = stage["error"].as_str().unwrap_or("unreadable");
                facts.failed(&kernel::GPU_INFORMATION, &Subject::gpu(address), why, source);
            }
            _ => {}
        }
    }
}

/// Version and flavour. Two wordings: `NVIDIA UNIX x86_64 Kernel Module  535.183.01  ...` (closed) and `NVIDIA UNIX Open
/// Kernel Module for x86_64  550.54.14  ...` (open).
fn version(text: &str, source: &str, facts: &mut Facts) {
    let machine = Subject::machine();
    let Some(line) = text.lines().find_map(|line| line.strip_prefix("NVRM version:")) else { return };
    let flavour = if line.contains("Open Kernel Module") { "open" } else { "closed" };
    facts.seen(&kernel::MODULE_FLAVOUR, &machine, flavour.to_string(), source);
    let after = line.split_once("Kernel Module").map(|(_, after)| after).unwrap_or_default();
    let number = |word: &&str| word.contains('.') && word.split('.').all(|part| part.parse::<u32>().is_ok());
    if let Some(version) = after.split_whitespace().find(number) {
        facts.seen(&kernel::MODULE_VERSION, &machine, version.to_string(), source);
    }
}

/// Lines of `Name: value`. Quotes around a value are taken off.
fn table(text: &str) -> BTreeMap<String, String> {
    let pair = |line: &str| {
        let (name, value) = line.split_once(':')?;
        Some((name.trim().to_string(), value.trim().trim_matches('"').to_string()))
    };
    text.lines().filter_map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probes::child::test::report;

    fn page(name: &str, text: &str) -> Facts {
        let mut facts = Facts::new();
        parse(&report(&json!({ "stage": "read", "page": name, "text": text }).to_string()), &mut facts);
        facts
    }

    #[test]
    fn both_wordings_of_the_version_are_read() {
        for (text, flavour, version) in [
            (
                "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun May 12 19:39:15 UTC 2024\n\
                 GCC version:  gcc version 12.2.0 (Debian 12.2.0-14)\n",
                "closed",
                "535.183.01",
            ),
            (
                "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  550.54.14  Release Build  \
                 (dvs-builder@U16-I1-N08-05-1)  Thu Feb 22 01:25:25 UTC 2024\n",
                "open",
                "550.54.14",
            ),
            (
                "NVRM version: NVIDIA UNIX x86_64 Kernel Module  390.157  Wed Oct 12 09:19:07 UTC 2022\n",
                "closed",
                "390.157",
            ),
            ("NVRM version: NVIDIA UNIX aarch64 Kernel Module  470.223.02\n", "closed", "470.223.02"),
        ] {
            let facts = page("version", text);
            assert_eq!(facts.value(&kernel::MODULE_FLAVOUR).as_deref(), Some(flavour), "{text}");
            assert_eq!(facts.value(&kernel::MODULE_VERSION).as_deref(), Some(version), "{text}");
        }
    }

    #[test]
    fn the_page_of_a_gpu_gives_model_and_minor() {
        let text = "Model: \t\t NVIDIA GeForce RTX 3090\nIRQ:   \t\t 148\nGPU UUID: \t GPU-0\nBus Type: \t PCIe\n\
                    Bus Location: \t 0000:0b:00.0\nDevice Minor: \t 1\nGPU Excluded:\t No\n";
        let facts = page("gpus/0000:0b:00.0/information", text);
        let seen = facts.look(&kernel::GPU_INFORMATION, &Subject::gpu("0000:0b:00.0")).seen();
        let expected = GpuInformation { model: "NVIDIA GeForce RTX 3090".to_string(), minor: Some(1), excluded: false };
        assert_eq!(seen, Some(expected));
    }

    #[test]
    fn only_parameters_that_explain_faults_are_kept() {
        let facts = page("params", "ResmanDebugLevel: 4294967295\nDeviceFileMode: 432\nRegistryDwords: \"\"\n");
        let kept = facts.value(&kernel::MODULE_PARAMS).unwrap();
        assert_eq!(kept.get("DeviceFileMode").map(String::as_str), Some("432"));
        assert_eq!(kept.get("RegistryDwords").map(String::as_str), Some(""));
        assert_eq!(kept.len(), 2);
    }
}
