//! The GPU's memory is wearing out: rows that can no longer be remapped, or errors that come back.

use crate::causes::{Case, Cause, Finding, Level, Occurrence};
use crate::checks::Evidence;
use crate::facts::{Fact, kernel, nvidia};
use crate::subject::{Kind as SubjectKind, Subject};
use crate::symptom::Kind;
use crate::tables::xid;

/// The cause.
pub static CAUSE: Cause = Cause {
    page: include_str!("failing-hbm-memory.md"),
    explains: &[&[Kind::MemoryErrors, Kind::Xid, Kind::ResetRequired, Kind::CudaCompute]],
    assess,
};

/// The Xid of a row that could not be remapped.
const REMAP_FAILED: u32 = 64;

/// Whether a GPU's row remapper has given up: then it is this, and not a single error.
pub fn remap_failed(case: &Case, gpu: &Subject) -> bool {
    case.facts.look(&nvidia::NVML_ECC, gpu).seen().is_some_and(|ecc| ecc.remap_failure == Some(true))
}

fn assess(case: &Case) -> Vec<Finding> {
    let mut gpus = case.facts.subjects(SubjectKind::Gpu);
    gpus.retain(|gpu| remap_failed(case, gpu) || !errors(case, gpu).is_empty());
    let mut findings: Vec<Finding> = gpus.iter().map(|gpu| about(case, gpu)).collect();
    findings.retain(|finding| !finding.evidence.is_empty());
    findings
}

/// The lines of the log that say so of this GPU.
fn errors<'a>(case: &Case<'a>, gpu: &Subject) -> Vec<(String, &'a Fact)> {
    let mine = |line: &str| {
        xid::parse(line).is_some_and(|(n, a)| n == REMAP_FAILED && a.map(Subject::gpu).as_ref() == Some(gpu))
    };
    case.facts.all(&kernel::LOG_LINE).filter(|(line, _)| mine(line)).collect()
}

fn about(case: &Case, gpu: &Subject) -> Finding {
    let look = case.facts.look(&nvidia::NVML_ECC, gpu);
    let sure = remap_failed(case, gpu);
    let mut finding = Finding::new(gpu, if sure { Level::Decided } else { Level::Supported });
    if sure {
        finding = finding.because_of(&look, "a memory row could not be remapped: no spare row is left");
    }
    for (line, fact) in errors(case, gpu).into_iter().take(3) {
        finding = finding.because(Evidence::of(fact, format!("kernel log: {line}")));
    }
    if !sure {
        finding = finding.unknown(
            "how many rows are remapped, and whether a remap failed",
            "nvidia-smi -q -d ROW_REMAPPER,ECC",
            &["failing-hbm-memory", "ecc-uncorrectable-error"],
        );
    }
    let mut explains = CAUSE.explained(&finding, case);
    // A computation that ended with a memory error (214, 226) ended because of this.
    let died = |o: &Occurrence| o.subject == *gpu && ["214", "226"].iter().any(|c| o.symptom.code().ends_with(c));
    explains.retain(|o| o.symptom.kind != Kind::CudaCompute || died(o));
    if explains.iter().any(|o| o.symptom.kind == Kind::CudaCompute) {
        explains.extend(case.symptoms(Kind::Tensor).chain(case.symptoms(Kind::LibtorchTensor)));
    }
    finding.explaining(explains)
}
