//! An NVSwitch machine whose fabric has not been brought up.

use crate::causes::{Case, Cause, Finding, Level};
use crate::checks::given;
use crate::facts::{cuda, host, nvidia, pci};
use crate::symptom::AFTER_CUINIT;

/// cuInit 802 while the GPUs wait for the fabric.
pub static CAUSE: Cause =
    Cause { page: include_str!("fabric-manager-not-ready.md"), explains: &[AFTER_CUINIT], assess };

/// CUDA_ERROR_SYSTEM_NOT_READY.
const NOT_READY: i32 = 802;

fn assess(case: &Case) -> Vec<Finding> {
    let init = case.facts.machine(&cuda::INIT);
    if init.clone().seen() != Some(NOT_READY) {
        return Vec::new();
    }
    let states: Vec<_> = case.facts.all(&nvidia::NVML_FABRIC).collect();
    let waiting = states.iter().find(|(f, _)| matches!(f.state, 1 | 2) || (f.state == 3 && f.status != 0));
    let switches = case.facts.machine(&pci::NVSWITCHES);
    let count = switches.clone().seen().unwrap_or(0);
    let product = case.facts.machine(&host::PRODUCT);
    let built_for_it = product.clone().seen().filter(|p| ["DGX", "HGX"].iter().any(|word| p.contains(word)));

    let mut finding = Finding::machine(Level::Possible);
    let state = if let Some((fabric, fact)) = waiting {
        finding.level = Level::Decided;
        let words = in_words(fabric.state, fabric.status);
        let text = format!("the fabric state of {} is {words}", fact.subject.id);
        finding = finding.because(crate::checks::Evidence::of(fact, text));
        words
    } else if !states.is_empty() {
        // Every GPU says that it needs no fabric, or that it has one: 802 has another reason.
        return Vec::new();
    } else {
        if count > 0 || built_for_it.is_some() {
            finding.level = Level::Supported;
        }
        "not known".to_string()
    };
    finding = finding.because_of(&init, "cuInit gives 802 (CUDA_ERROR_SYSTEM_NOT_READY)");
    if count > 0 {
        finding = finding.because_of(&switches, format!("the bus shows {count} NVSwitches"));
    }
    if let Some(name) = built_for_it {
        finding = finding.because_of(&product, format!("the machine is a {name}"));
    }
    if finding.level != Level::Decided {
        finding = finding
            .unknown(
                "the fabric state of the GPUs",
                "nvidia-smi -q | grep -A3 -i fabric",
                &["fabric-manager-not-ready", "cuda-init-fails"],
            )
            .unknown(
                "whether confidential computing is on and the GPU not yet set ready",
                "nvidia-smi conf-compute -f",
                &["fabric-manager-not-ready", "cuda-init-fails"],
            );
    }
    if let Some(version) = given::driver_version(case.facts) {
        let branch = version.split('.').next().unwrap_or(&version).to_string();
        finding = finding.with("branch", branch).tagged("branch_known");
    }
    vec![finding.with("state", state)]
}

fn in_words(state: u32, status: i32) -> String {
    match state {
        1 => "not started".to_string(),
        2 => "in progress".to_string(),
        3 => format!("completed with error {status}"),
        other => other.to_string(),
    }
}
