//! The GPU's memory had errors that ECC could not correct, or waits for bad rows to be remapped.

use crate::causes::{Case, Cause, Finding, Level, Occurrence};
use crate::checks::Evidence;
use crate::facts::{kernel, nvidia};
use crate::report::Severity;
use crate::subject::Subject;
use crate::symptom::Kind;
use crate::tables::xid;

/// A warning; an error where a computation died of it.
pub static CAUSE: Cause =
    Cause { page: include_str!("ecc-uncorrectable-error.md"), explains: &[&[Kind::MemoryErrors]], assess };

/// Xids that say that an error was not corrected.
const ERROR_XIDS: [&str; 3] = ["48", "94", "95"];

/// Xids about memory: 48 double-bit error, 63 and 64 remapping, 94 and 95 contained and uncontained, 171 and 172 details of 48.
const MEMORY_XIDS: [&str; 7] = ["48", "63", "64", "94", "95", "171", "172"];

fn assess(case: &Case) -> Vec<Finding> {
    // A remapper that has given up is failing-hbm-memory.
    let worn = |gpu: &Subject| super::failing_hbm_memory::remap_failed(case, gpu);
    let errors: Vec<Occurrence> = case.symptoms(Kind::MemoryErrors).filter(|o| !worn(&o.subject)).collect();
    let mut findings: Vec<Finding> = errors.iter().map(|o| about(case, &o.subject, o.symptom.code())).collect();
    // The log tells of errors that no counter of this boot shows, and a pasted log comes without counters.
    let mut logged: Vec<Subject> = Vec::new();
    for o in case.symptoms(Kind::Xid).filter(|o| ERROR_XIDS.contains(&o.symptom.code())) {
        if !worn(&o.subject) && !logged.contains(&o.subject) && !errors.iter().any(|e| e.subject == o.subject) {
            logged.push(o.subject);
        }
    }
    findings.extend(logged.iter().map(|gpu| from_log(case, gpu)));
    findings
}

/// What the kernel log alone says of a GPU.
fn from_log(case: &Case, gpu: &Subject) -> Finding {
    let here = |o: &Occurrence| o.subject == *gpu && MEMORY_XIDS.contains(&o.symptom.code());
    let xids: Vec<Occurrence> = case.symptoms(Kind::Xid).filter(here).collect();
    let numbers: Vec<&str> = xids.iter().map(|o| o.symptom.code()).collect();
    let mut finding = Finding::new(gpu, Level::Supported)
        .with("counted", format!("the kernel log has Xid {}", numbers.join(", ")))
        .unknown(
            "how many errors the memory counted, and whether rows are remapped or wait for a reset",
            "nvidia-smi -q -d ECC,ROW_REMAPPER",
            &["ecc-uncorrectable-error", "failing-hbm-memory"],
        );
    for (line, fact) in case.facts.all(&kernel::LOG_LINE) {
        let ours = |(number, address): (u32, Option<&str>)| {
            numbers.contains(&number.to_string().as_str())
                && address.map(Subject::gpu).unwrap_or_else(Subject::machine) == *gpu
        };
        if finding.evidence.len() < 3 && xid::parse(&line).is_some_and(ours) {
            finding = finding.because(Evidence::of(fact, line.trim()));
        }
    }
    finding.explaining(xids)
}

fn about(case: &Case, gpu: &Subject, counted: &str) -> Finding {
    let look = case.facts.look(&nvidia::NVML_ECC, gpu);
    let ecc = look.clone().seen();
    let mut finding = Finding::new(gpu, if ecc.is_some() { Level::Decided } else { Level::Supported })
        .because_of(&look, format!("memory errors: {counted}"))
        .with("counted", counted);
    let ecc = ecc.unwrap_or_default();
    if ecc.remap_pending == Some(true) {
        finding = finding.tagged("pending");
    }
    // 214 ECC error, 226 contained error.
    let died = |o: &Occurrence| {
        o.subject == *gpu
            && o.symptom.kind == Kind::CudaCompute
            && ["214", "226"].iter().any(|c| o.symptom.code().ends_with(c))
    };
    let dead: Vec<Occurrence> = case.symptoms(Kind::CudaCompute).filter(died).collect();
    let xids = case.symptoms(Kind::Xid).filter(|o| o.subject == *gpu && MEMORY_XIDS.contains(&o.symptom.code()));
    let mut explains = CAUSE.explained(&finding, case);
    explains.extend(xids);
    // A GPU that waits for a reset is one problem, and gpu-reset-required says it; the errors are then the reason.
    let waits = case.symptoms(Kind::ResetRequired).any(|o| o.subject == *gpu);
    if !dead.is_empty() && !waits {
        finding = finding.severity(Severity::Error);
    }
    if !dead.is_empty() {
        explains.extend(case.symptoms(Kind::Tensor).chain(case.symptoms(Kind::LibtorchTensor)));
    }
    explains.extend(dead);
    finding.explaining(explains)
}
