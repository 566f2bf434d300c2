//! Runtime power management put the GPU into a deep sleep, and it did not wake up.

use crate::causes::{Case, Cause, Finding, Level, seen};
use crate::checks::{Evidence, given};
use crate::facts::pci;
use crate::subject::Subject;
use crate::symptom::{AFTER_KERNEL_DRIVER, Kind};

const MORE: &[Kind] = &[
    Kind::GpuNotAnswering,
    Kind::NvmlDevice,
    Kind::NvmlFewer,
    Kind::CudaFewer,
    Kind::FewerGpusThanExpected,
    Kind::Xid,
];

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("runtime-d3-resume-failure.md"), explains: &[AFTER_KERNEL_DRIVER, MORE], assess };

/// What the kernel's PCI code says of a device that does not wake up.
pub const WORDS: &[&str] = &[
    "unable to change power state from d3",
    "can't change power state from d3",
    "refused to change power state, currently in d3",
];

fn assess(case: &Case) -> Vec<Finding> {
    let gpus = given::all_gpus(case.facts);
    let mut said = seen::log_lines(case, WORDS);
    // The line names its device: one that is no GPU's is none of this.
    said.retain(|(line, _)| gpus.is_empty() || gpus.iter().any(|gpu| names(line, gpu)));
    let stuck = gpus.iter().find(|gpu| {
        let power = case.facts.look(&pci::POWER, gpu).seen();
        let lost = case.symptoms(Kind::GpuNotAnswering).any(|o| o.subject == **gpu);
        power.is_some_and(|p| p.status.as_deref() == Some("error") || lost && p.state.as_deref() == Some("D3cold"))
    });
    if said.is_empty() && stuck.is_none() {
        return Vec::new();
    }
    let level = if said.is_empty() { Level::Possible } else { Level::Supported };
    let mut finding = Finding::machine(level);
    for (line, fact) in said.iter().take(2) {
        finding = finding.because(Evidence::of(fact, format!("kernel log: {line}")));
    }
    if let Some(gpu) = stuck {
        let text = format!("{} is asleep and does not answer", given::name(case.facts, gpu));
        finding = finding.because_of(&case.facts.look(&pci::POWER, gpu), text);
    }
    vec![finding.unknown(
        "whether the GPU stays with runtime power management switched off for it",
        "grep . /sys/bus/pci/devices/*/power/control | grep auto; sudo journalctl -k -b | grep -i 'power state'",
        &["runtime-d3-resume-failure", "gpu-fell-off-bus"],
    )]
}

/// Whether a line of the log names a GPU, in the long or the short form of its address.
fn names(line: &str, gpu: &Subject) -> bool {
    let short = gpu.id.split_once(':').map_or(gpu.id.as_str(), |(_, rest)| rest);
    line.contains(short.split('.').next().unwrap_or(short))
}
