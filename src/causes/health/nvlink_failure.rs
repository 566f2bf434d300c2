//! Links between GPUs, or the switches that join them, report errors and go down.

use crate::causes::{Case, Cause, Finding, Level, Occurrence};
use crate::checks::Evidence;
use crate::facts::{kernel, links};
use crate::report::Severity;
use crate::symptom::{AFTER_CUINIT, Kind};
use crate::tables::xid;

/// The cause.
pub static CAUSE: Cause = Cause {
    page: include_str!("nvlink-failure.md"),
    explains: &[AFTER_CUINIT, &[Kind::Xid, Kind::ResetRequired, Kind::LinksDown]],
    assess,
};

/// The Xids of it.
const XIDS: &[u32] = &[74, 144, 145, 146, 147, 148, 149, 150];

fn assess(case: &Case) -> Vec<Finding> {
    let lines: Vec<_> = case
        .facts
        .all(&kernel::LOG_LINE)
        .filter(|(line, _)| xid::parse(line).is_some_and(|(n, _)| XIDS.contains(&n)) || line.contains("SXid"))
        .collect();
    let down: Vec<Occurrence> = case.symptoms(Kind::LinksDown).collect();
    if lines.is_empty() && down.is_empty() {
        return Vec::new();
    }
    let mut finding = Finding::machine(if down.is_empty() { Level::Supported } else { Level::Decided });
    for o in down.iter().take(3) {
        let look = case.facts.look(&links::NVLINKS, &o.subject);
        finding = finding.because_of(&look, format!("GPU {}: {} NVLinks are down", o.subject.id, o.symptom.code()));
    }
    // Without an error of the driver, the links that are up do the work.
    if lines.is_empty() && !case.has(Kind::CuInit) {
        finding = finding.severity(Severity::Warning);
    }
    for (line, fact) in lines.iter().take(3) {
        finding = finding.because(Evidence::of(fact, format!("kernel log: {line}")));
    }
    let mine = |o: &Occurrence| {
        o.symptom.kind != Kind::Xid
            || XIDS.iter().any(|n| n.to_string() == o.symptom.code())
            || ["45", "154", "137"].contains(&o.symptom.code())
    };
    let explains = CAUSE.explained(&finding, case).into_iter().filter(mine).collect();
    vec![
        finding
            .unknown(
                "which links are down or count errors",
                "nvidia-smi nvlink -s; nvidia-smi nvlink -e",
                &["nvlink-failure", "fabric-manager-not-ready"],
            )
            .explaining(explains),
    ]
}
