//! The GPU System Processor stopped answering after a good start: Xid 119 or 120.

use crate::causes::{Case, Cause, Finding, Level, Occurrence};
use crate::checks::Evidence;
use crate::facts::kernel;
use crate::symptom::{AFTER_KERNEL_DRIVER, Kind};
use crate::tables::xid;

/// The cause.
pub static CAUSE: Cause = Cause {
    page: include_str!("gsp-firmware-timeout.md"),
    explains: &[AFTER_KERNEL_DRIVER, &[Kind::Xid, Kind::ResetRequired, Kind::NvmlDevice, Kind::ProbeEnd]],
    assess,
};

/// The Xids of it.
const XIDS: &[u32] = &[119, 120];

fn assess(case: &Case) -> Vec<Finding> {
    let lines: Vec<_> = case
        .facts
        .all(&kernel::LOG_LINE)
        .filter(|(line, _)| {
            xid::parse(line).is_some_and(|(n, _)| XIDS.contains(&n)) || line.contains("waiting for RPC from GSP")
        })
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
            || ["45", "109", "154", "62"].contains(&o.symptom.code())
    };
    let explains = CAUSE.explained(&finding, case).into_iter().filter(mine).collect();
    vec![
        finding
            .unknown(
                "whether it comes again after a restart, and on which GPU",
                "sudo journalctl -k --since '-30 days' | grep -E 'Xid.*(119|120)'",
                &["gsp-firmware-timeout", "driver-regression", "suspected-faulty-gpu"],
            )
            .explaining(explains),
    ]
}
