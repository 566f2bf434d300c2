//! Memory windows (BARs) of a GPU that have no address, as sysfs shows them and as the kernel and the driver say it.

use crate::causes::{Case, Cause, Finding, Level, seen};
use crate::checks::{Evidence, given};
use crate::facts::{host, pci};
use crate::subject::{Kind as SubjectKind, Subject};
use crate::symptom::Kind;

/// What fails beside the driver as a whole.
pub const MORE: &[Kind] = &[Kind::NvmlDevice, Kind::FewerGpusThanExpected];

/// What the driver (nv.c) and the kernel's PCI code say.
const WORDS: &[&str] = &[
    "pci i/o region assigned to your nvidia device is invalid",
    "bar0 is 0m",
    "bar1 is 0m",
    "system bios may have misconfigured your gpu",
    "bar 0: no space for",
    "bar 1: no space for",
    "bar 15: no space for",
    "bar 0: failed to assign",
    "bar 1: failed to assign",
    "bar 15: failed to assign",
];

/// Where the GPU stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a slot of this machine's board.
    Board,
    /// In a virtual machine.
    Guest,
    /// Behind Thunderbolt, USB4 or another external port.
    ExternalPort,
    /// Nobody looked.
    Unknown,
}

/// Where a GPU stands.
fn place(case: &Case, gpu: &Subject) -> Place {
    let virtualization = case.facts.machine(&host::VIRTUALIZATION);
    if case.facts.look(&pci::REMOVABLE, gpu).seen() == Some(true) {
        Place::ExternalPort
    } else if virtualization.fact().is_some() && !virtualization.is_absent() {
        Place::Guest
    } else if virtualization.is_absent() {
        Place::Board
    } else {
        Place::Unknown
    }
}

/// Whether the GPU, or every GPU for the machine, is in a guest or behind an external port.
pub fn is_elsewhere(case: &Case, subject: &Subject) -> bool {
    let gpus = match subject.kind {
        SubjectKind::Gpu => vec![subject.clone()],
        _ => given::nvidia_on_bus(case.facts),
    };
    let elsewhere = |gpu: &Subject| matches!(place(case, gpu), Place::Guest | Place::ExternalPort);
    match gpus.is_empty() {
        true => elsewhere(subject),
        false => gpus.iter().all(elsewhere),
    }
}

/// The number of a window without an address: one with a size that starts at 0, or the second one of a GPU, which every
/// NVIDIA GPU has, where only the first is listed.
fn unassigned(case: &Case, gpu: &Subject) -> Option<u32> {
    if case.facts.look(&pci::VIRTUAL_FUNCTION, gpu).seen() == Some(true) {
        return None;
    }
    let windows = case.facts.look(&pci::WINDOWS, gpu).seen()?;
    let zero = windows.iter().find(|window| window.start == 0 && window.size > 1).map(|window| window.index);
    let lacks = |index: u32| windows.iter().all(|window| window.index != index);
    zero.or_else(|| (!windows.is_empty() && lacks(1)).then_some(1)).or_else(|| (windows.is_empty()).then_some(0))
}

/// Findings for the GPUs that have such a window and that the driver does not serve; one for the machine where only the log
/// speaks of it.
pub fn findings(case: &Case, cause: &Cause, level: impl Fn(Place) -> Level) -> Vec<Finding> {
    let driven = |gpu: &Subject| case.facts.look(&pci::DRIVER, gpu).seen().is_some_and(|driver| driver == "nvidia");
    let served =
        |gpu: &Subject| driven(gpu) && case.facts.look(&crate::facts::nvidia::NVML_HANDLE, gpu).seen() == Some(0);
    let said = seen::log_lines(case, WORDS);
    let mut gpus = given::expected(case.facts);
    gpus.retain(|gpu| unassigned(case, gpu).is_some() && !served(gpu));
    if gpus.is_empty() && said.is_empty() {
        return Vec::new();
    }
    let mut findings = match gpus.first() {
        Some(first) => {
            let mut findings = seen::about_gpus(case, &gpus, level(place(case, first)), cause.explains);
            for finding in &mut findings {
                let gpu =
                    if finding.subject.kind == SubjectKind::Gpu { finding.subject.clone() } else { first.clone() };
                let number = unassigned(case, &gpu).unwrap_or_default();
                let text = format!("memory window {number} of {} has no address", given::name(case.facts, &gpu));
                *finding = finding.clone().because_of(&case.facts.look(&pci::WINDOWS, &gpu), text);
            }
            findings
        }
        None => {
            let gpu = given::nvidia_on_bus(case.facts).into_iter().next().unwrap_or_else(Subject::machine);
            vec![Finding::machine(level(place(case, &gpu)))]
        }
    };
    for finding in &mut findings {
        for (line, fact) in said.iter().take(3) {
            *finding = finding.clone().because(Evidence::of(fact, format!("kernel log: {line}")));
        }
        *finding = finding.clone().unknown(
            "whether the firmware may place memory windows above 4 GiB, and whether this is a guest",
            "systemd-detect-virt; sudo lspci -vv -d 10de: | grep -i region; sudo journalctl -k -b | grep -i 'bar '",
            &["above-4g-decoding-disabled", "pci-bar-not-assigned"],
        );
    }
    findings
}
