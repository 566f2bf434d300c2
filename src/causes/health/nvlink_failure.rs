//! Links between GPUs, or the switches that join them, report errors and go down.

use crate::causes::{Case, Cause, Finding, Level, Occurrence};
use crate::checks::Evidence;
use crate::facts::kernel;
use crate::symptom::{AFTER_CUINIT, Kind};
use crate::tables::xid;

/// The cause.
pub static CAUSE: Cause = Cause {
    page: include_str!("nvlink-failure.md"),
    explains: &[AFTER_CUINIT, &[Kind::Xid, Kind::ResetRequired]],
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
    if lines.is_empty() {
        return Vec::new();
    }
    let mut finding = Finding::machine(Level::Supported);
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
