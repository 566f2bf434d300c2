//! CUDA cannot be initialised, and no known cause explains it: the code's own meaning, and what to look at next.

use crate::causes::{Case, Cause, Finding, Level, advice};
use crate::checks::given;
use crate::facts::{cuda, nvidia};
use crate::symptom::{AFTER_CUINIT, Kind};
use crate::tables::cuda_errors;

/// The name of last resort for cuInit and for libcuda itself.
pub static CAUSE: Cause = Cause {
    page: include_str!("cuda-init-fails.md"),
    explains: &[&[Kind::LibcudaMissing, Kind::LibcudaUnloadable], AFTER_CUINIT],
    assess,
};

fn assess(case: &Case) -> Vec<Finding> {
    let mut finding = Finding::machine(Level::Generic);
    if let Some(driver) = advice::driver(case.facts) {
        finding = finding.with("branch", driver.branch.to_string()).tagged("branch_known");
    }
    let symptom = case
        .all_symptoms()
        .find(|o| matches!(o.symptom.kind, Kind::CuInit | Kind::LibcudaMissing | Kind::LibcudaUnloadable));
    let Some(symptom) = symptom else { return Vec::new() };
    let library = case.facts.machine(&cuda::LIBRARY);
    let (_, file) = given::library_files(case.facts);
    let finding = match symptom.symptom.kind {
        Kind::LibcudaMissing => finding
            .because_of(&library, format!("the loader finds no {file}"))
            .with("what", format!("the loader finds no {file}"))
            .tagged("library_missing"),
        Kind::LibcudaUnloadable => {
            let why = library.why_failed().unwrap_or("the loader refuses it").to_string();
            finding
                .because_of(&library, format!("{file} could not be loaded: {why}"))
                .with("what", format!("{file} could not be loaded ({why})"))
                .tagged("library_unloadable")
        }
        _ => of_code(case, finding, symptom.symptom.code()),
    };
    let mut explains = CAUSE.explained(&finding, case);
    // nvidia-uvm is CUDA's alone: where NVML answers, its node is a part of this and says nothing against the driver.
    if case.value(&nvidia::NVML_INIT) == Some(0) && case.cuinit().is_some() {
        let nodes = case.symptoms(Kind::NodeOpen).chain(case.symptoms(Kind::NodeMissing));
        explains.extend(nodes.filter(|o| o.symptom.code().starts_with("nvidia-uvm")));
    }
    vec![finding.explaining(explains)]
}

fn of_code(case: &Case, finding: Finding, code: &str) -> Finding {
    let number = code.parse().unwrap_or(999);
    let name = cuda_errors::name(number);
    let meaning = cuda_errors::lookup(number).map(|e| format!(". {}", e.meaning.trim_end_matches('.')));
    let mut finding = finding
        .because_of(&case.facts.machine(&cuda::INIT), format!("cuInit gives {code} ({name})"))
        .with("what", format!("cuInit gives {code} ({name}){}", meaning.unwrap_or_default()));
    if let Some(tag) = tag(number) {
        finding = finding.tagged(tag);
    }
    let (need, ask, separates) = question(case, number);
    finding.unknown(need, ask, separates)
}

/// The fact that would tell more about a code, and how to get it.
fn question(case: &Case, code: i32) -> (&'static str, &'static str, &'static [&'static str]) {
    let bare = case.in_container().is_none() && given::platform(case.facts) != given::Platform::Wsl;
    match code {
        2 => (
            "whether CUDA starts with a single GPU in sight",
            "CUDA_VISIBLE_DEVICES=0 gpu-doctor check --only cuda-driver",
            &["cuda-init-fails"],
        ),
        3 if bare => (
            "whether the memory sharing (HMM) of nvidia_uvm is on; with some kernels it keeps CUDA from starting",
            "cat /sys/module/nvidia_uvm/parameters/uvm_disable_hmm; uname -r",
            &["cuda-init-fails"],
        ),
        100 => (
            "which nodes this process may open, and which variables hide GPUs from it",
            "ls -l /dev/nvidia*; env | grep -E 'VISIBLE_DEVICES|CUDA_MPS'",
            &["cuda-init-fails", "device-node-permission", "cuda-visible-devices-hides-all"],
        ),
        802 => (
            "the fabric state of the GPUs, and whether confidential computing is on",
            "nvidia-smi -q | grep -A3 -i fabric; nvidia-smi conf-compute -f",
            &["cuda-init-fails", "fabric-manager-not-ready"],
        ),
        805..=810 => (
            "whether a control daemon of the multi-process service runs, and where this process looks for it",
            "env | grep CUDA_MPS; echo get_server_list | nvidia-cuda-mps-control",
            &["cuda-init-fails"],
        ),
        999 if bare => (
            "whether loading nvidia_uvm afresh cures it",
            "sudo modprobe -r nvidia_uvm && sudo modprobe nvidia_uvm",
            &["cuda-init-fails", "suspend-breaks-nvidia-uvm", "nvidia-uvm-node-missing"],
        ),
        _ if case.in_container().is_some() => (
            "whether CUDA starts on the host",
            "gpu-doctor check --only cuda-driver",
            &["cuda-init-fails", "suspend-breaks-nvidia-uvm"],
        ),
        _ => {
            ("what the kernel log says of the driver", "sudo dmesg | grep -iE 'nvrm|nvidia|xid'", &["cuda-init-fails"])
        }
    }
}

/// The condition of the page's steps for a code.
fn tag(code: i32) -> Option<&'static str> {
    Some(match code {
        2 => "out_of_memory",
        3 => "not_initialized",
        100 => "no_device",
        101 => "bad_device",
        304 => "os_call",
        801 => "not_supported",
        802 => "not_ready",
        805..=810 => "mps",
        999 => "unknown_error",
        _ => return None,
    })
}
