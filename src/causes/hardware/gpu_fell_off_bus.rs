//! A GPU stopped answering on the PCI bus.

use crate::causes::kernel_driver::runtime_d3_resume_failure;
use crate::causes::{Case, Cause, Finding, Level, Occurrence, seen};
use crate::checks::{Evidence, given};
use crate::facts::{Fact, nvidia, pci, said};
use crate::subject::{Kind as SubjectKind, Subject, pci_address};
use crate::symptom::{AFTER_CUINIT, AFTER_KERNEL_DRIVER, Kind};
use std::collections::HashMap;

const LOST: &[Kind] = &[
    Kind::GpuNotAnswering,
    Kind::NvmlDevice,
    Kind::NvmlFewer,
    Kind::CudaFewer,
    Kind::FewerGpusThanExpected,
    Kind::Xid,
    Kind::ResetRequired,
];

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("gpu-fell-off-bus.md"), explains: &[AFTER_KERNEL_DRIVER, LOST], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let mut gpus = case.facts.subjects(SubjectKind::Gpu);
    // The lines by the GPU that they name: a log may have hundreds of both.
    let mut lines: HashMap<Subject, Vec<(String, &Fact)>> = HashMap::new();
    for (line, fact) in seen::log_lines(case, &["fallen off the bus"]) {
        let Some(gpu) = address(&line) else { continue };
        // A GPU that went away altogether is named by the log alone.
        if !gpus.contains(&gpu) {
            gpus.push(gpu.clone());
        }
        lines.entry(gpu).or_default().push((line, fact));
    }
    let mut lost: Vec<(Subject, Vec<Evidence>)> = Vec::new();
    for gpu in gpus {
        // What answers now is not lost, whatever was read or written down before.
        let evidence =
            if given::answers(case.facts, &gpu) { Vec::new() } else { evidence(case, &gpu, lines.get(&gpu)) };
        if !evidence.is_empty() {
            lost.push((gpu, evidence));
        }
    }
    let subjects: Vec<Subject> = lost.iter().map(|(gpu, _)| gpu.clone()).collect();
    let sleep = subjects.iter().map(|gpu| sleep(case, gpu)).min().unwrap_or(Sleep::Awake);
    // A more exact forerunner: the wake-up that failed, or the errors of an external link.
    let woken = !seen::log_lines(case, runtime_d3_resume_failure::WORDS).is_empty();
    let external = case.facts.all(&pci::REMOVABLE).any(|(removable, _)| removable)
        || case.facts.all(&said::MESSAGE).any(|(message, _)| message.id == "external-gpu");
    let linked = external && !seen::log_lines(case, super::egpu_link_unstable::LINK_ERRORS).is_empty();
    // What stands before the loss in the log, a text may leave out.
    let from_text = case.facts.machine(&said::LINES).fact().is_some();
    let level = match sleep {
        _ if woken || linked => Level::Possible,
        Sleep::Awake if from_text => Level::Supported,
        Sleep::Awake => Level::Decided,
        Sleep::Unwakeable => Level::Supported,
        // A device without power reads all ones: that is no loss.
        Sleep::Asleep => Level::Possible,
    };
    let mut findings = seen::about_gpus(case, &subjects, level, &[AFTER_KERNEL_DRIVER, LOST]);
    for finding in &mut findings {
        if let Some(explains) = &mut finding.explains {
            explains.extend(of_all(case));
        }
        let mine =
            lost.iter().filter(|(gpu, _)| finding.subject.kind == SubjectKind::Machine || *gpu == finding.subject);
        finding.evidence = mine.flat_map(|(_, evidence)| evidence.clone()).collect();
        // nvidia-smi stops at the first GPU that does not answer, whatever the others do.
        if let Some(explained) = &mut finding.explains
            && case.value(&nvidia::NVML_INIT) == Some(0)
        {
            explained.extend(case.symptoms(Kind::SmiFails));
        }
        if case.in_container().is_some() {
            finding.tags.push("guest");
        }
        if level != Level::Decided {
            let unknown = finding.clone().unknown(
                "whether the GPU was lost while it was being woken from sleep",
                "journalctl -k -b | grep -iE 'D3cold|power state|fallen off'",
                &["gpu-fell-off-bus"],
            );
            *finding = unknown;
        }
    }
    findings
}

fn evidence(case: &Case, gpu: &Subject, lines: Option<&Vec<(String, &Fact)>>) -> Vec<Evidence> {
    let mut evidence = Vec::new();
    let name = given::name(case.facts, gpu);
    let ones = case.facts.look(&pci::CONFIG_ALL_ONES, gpu);
    if let Some(fact) = ones.fact()
        && ones.seen() == Some(true)
    {
        evidence.push(Evidence::of(fact, format!("the configuration space of {name} ({}) reads all ones", gpu.id)));
    }
    let handle = case.facts.look(&nvidia::NVML_HANDLE, gpu);
    if let Some(fact) = handle.fact()
        && handle.seen() == Some(15)
    {
        evidence.push(Evidence::of(fact, format!("NVML says 15 (GPU is lost) for {name} ({})", gpu.id)));
    }
    for (line, fact) in lines.into_iter().flatten().take(2) {
        evidence.push(Evidence::of(fact, format!("kernel log: {line}")));
    }
    evidence
}

/// What the kernel's power management says of a GPU.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sleep {
    /// Nothing of it.
    Awake,
    /// It could not be woken.
    Unwakeable,
    /// It is without power for now.
    Asleep,
}

fn sleep(case: &Case, gpu: &Subject) -> Sleep {
    match case.facts.look(&pci::POWER, gpu).seen() {
        Some(power) if power.status.as_deref() == Some("error") => Sleep::Unwakeable,
        Some(power) if power.state.as_deref() == Some("D3cold") => Sleep::Asleep,
        _ => Sleep::Awake,
    }
}

/// What one lost GPU does to the others: CUDA can refuse to start for all of them, with a code that names no reason.
fn of_all(case: &Case) -> Vec<Occurrence> {
    let vague = ["3", "100", "101", "999"];
    if !case.symptoms(Kind::CuInit).any(|o| vague.contains(&o.symptom.code())) {
        return Vec::new();
    }
    let other = |o: &Occurrence| !matches!(o.symptom.kind, Kind::CudaFewer | Kind::CudaCompute);
    case.all_symptoms().filter(|o| AFTER_CUINIT.contains(&o.symptom.kind) && other(o)).collect()
}

/// The PCI address in `NVRM: Xid (PCI:0000:01:00): 79` or `NVRM: GPU 0000:01:00.0: GPU has fallen off the bus.`
fn address(line: &str) -> Option<Subject> {
    let words = line.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ','));
    words
        .map(|word| word.trim_start_matches("PCI:").trim_end_matches([':', '.']))
        .find_map(pci_address)
        .map(|address| Subject::gpu(&address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_wordings_name_the_gpu() {
        let wanted = Some(Subject::gpu("0000:01:00.0"));
        let xid = "NVRM: Xid (PCI:0000:01:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.";
        assert_eq!(address(xid), wanted);
        assert_eq!(address("NVRM: GPU 0000:01:00.0: GPU has fallen off the bus."), wanted);
        assert_eq!(address("NVRM: The GPU has fallen off the bus"), None);
    }
}
