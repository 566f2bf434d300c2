//! The GPU became too hot and took itself out.

use crate::causes::{Case, Cause, Finding, Level, seen};
use crate::checks::{Evidence, given};
use crate::facts::{kernel, nvidia};
use crate::subject::Kind as SubjectKind;
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
    Cause { page: include_str!("gpu-overheat-shutdown.md"), explains: &[AFTER_KERNEL_DRIVER, MORE], assess };

/// What the kernel and the driver say of heat.
const WORDS: &[&str] = &["thermal shutdown", "overheat", "critical temperature", "thermtrip", "over temperature"];

fn assess(case: &Case) -> Vec<Finding> {
    let lost = case.has(Kind::GpuNotAnswering)
        || case.has(Kind::NvmlDevice)
        || !seen::log_lines(case, &["fallen off the bus"]).is_empty();
    let mut said = seen::log_lines(case, WORDS);
    said.retain(|(line, _)| line.contains("NVRM") || line.contains("nvidia"));
    // A GPU of the machine that is at its limit right now.
    let hot = case.facts.all(&nvidia::NVML_TEMPERATURE).find(|(t, _)| {
        t.shutdown.is_some_and(|limit| t.now + 3 >= limit) || t.slowdown.is_some_and(|limit| t.now >= limit)
    });
    if !lost || said.is_empty() && hot.is_none() {
        return Vec::new();
    }
    let mut finding = Finding::machine(if said.is_empty() { Level::Possible } else { Level::Supported });
    if let Some((t, fact)) = hot
        && fact.subject.kind == SubjectKind::Gpu
    {
        let text = format!("{} is at {} °C", given::name(case.facts, &fact.subject), t.now);
        finding = finding.because(Evidence::of(fact, text));
    }
    for (line, fact) in said.iter().take(2) {
        finding = finding.because(Evidence::of(fact, format!("kernel log: {line}")));
    }
    let log = case.facts.machine(&kernel::LOG);
    if let Some(why) = log.why_failed() {
        finding = finding.because_of(&log, format!("the kernel log could not be read: {why}"));
    }
    vec![finding.unknown(
        "how hot the GPU is before it is lost",
        "nvidia-smi --query-gpu=pci.bus_id,temperature.gpu,clocks_event_reasons.hw_thermal_slowdown --format=csv -l 2",
        &["gpu-overheat-shutdown", "gpu-fell-off-bus"],
    )]
}
