//! A kernel of a program used an address that is not its own: CUDA 700, 710, 716, and Xid 31 or 13 beside it.

use crate::causes::{Case, Cause, Finding, Level};
use crate::checks::Evidence;
use crate::facts::kernel;
use crate::symptom::Kind;
use crate::tables::xid;

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("application-illegal-memory-access.md"), explains: &[OURS], assess };

const OURS: &[Kind] = &[Kind::CudaCompute, Kind::Tensor, Kind::LibtorchTensor];

/// Illegal address, assert, misaligned address.
const CODES: [&str; 3] = ["700", "710", "716"];
/// Engine exception and memory fault: a program's own, as a rule.
const OF_PROGRAMS: [u32; 2] = [13, 31];

fn assess(case: &Case) -> Vec<Finding> {
    let failed: Vec<_> = case
        .all_symptoms()
        .filter(|o| OURS.contains(&o.symptom.kind))
        .filter(|o| o.symptom.code().rsplit(", ").next().is_some_and(|code| CODES.contains(&code)))
        .collect();
    if failed.is_empty() || case.has(Kind::MemoryErrors) || case.has(Kind::Xid) {
        return Vec::new();
    }
    // The computation of this program is right: where it faults, an Xid with its words has to speak for the program.
    let logged = case
        .facts
        .all(&kernel::LOG_LINE)
        .find(|(line, _)| xid::parse(line).is_some_and(|(number, _)| OF_PROGRAMS.contains(&number)));
    let level = if logged.is_some() { Level::Supported } else { Level::Possible };
    let mut finding = Finding::machine(level).explaining(failed);
    if let Some((line, fact)) = logged {
        finding = finding.because(Evidence::of(fact, line.trim()));
    }
    vec![finding.unknown(
        "whether other programs fail on the same GPU",
        "sudo journalctl -k --since '-30 days' | grep Xid",
        &["application-illegal-memory-access", "suspected-faulty-gpu"],
    )]
}
