//! Faults come back on one GPU under different programs, while no memory error explains them.

use crate::causes::{Case, Cause, Finding, Level, Occurrence};
use crate::checks::Evidence;
use crate::facts::{Fact, kernel};
use crate::subject::Subject;
use crate::symptom::{AFTER_CUINIT, Kind};
use crate::tables::xid;
use std::collections::BTreeMap;

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("suspected-faulty-gpu.md"), explains: &[AFTER_CUINIT, &[Kind::Xid]], assess };

/// Xids that a program's own fault gives, and those of an engine that halted: on one GPU again and again, the GPU is suspect.
const XIDS: &[u32] = &[8, 13, 31, 32, 43, 46, 61, 62, 69, 109];

/// So many programs on one GPU, and none on another.
const PROGRAMS: usize = 3;

fn assess(case: &Case) -> Vec<Finding> {
    let mut by_gpu: BTreeMap<String, Vec<(String, String, &Fact)>> = BTreeMap::new();
    for (line, fact) in case.facts.all(&kernel::LOG_LINE) {
        let Some((number, Some(address))) = xid::parse(&line) else { continue };
        if XIDS.contains(&number) {
            let process = process(&line).unwrap_or_default();
            let known = by_gpu.entry(address.to_string()).or_default();
            if !known.iter().any(|(other, _, _)| *other == process) {
                known.push((process, line, fact));
            }
        }
    }
    // Faults on several GPUs follow the program.
    let Some((address, lines)) = by_gpu.iter().next().filter(|_| by_gpu.len() == 1) else { return Vec::new() };
    if lines.len() < PROGRAMS {
        return Vec::new();
    }
    let mut finding = Finding::machine(Level::Possible);
    for (_, line, fact) in lines.iter().take(3) {
        finding = finding.because(Evidence::of(fact, format!("kernel log: {line}")));
    }
    let gpu = Subject::gpu(address);
    let mine = |o: &Occurrence| match o.symptom.kind {
        Kind::Xid => o.subject == gpu && o.symptom.code().parse().is_ok_and(|n| XIDS.contains(&n) || n == 45),
        Kind::Said => true,
        _ => false,
    };
    let explains = CAUSE.explained(&finding, case).into_iter().filter(mine).collect();
    vec![
        finding
            .unknown(
                "whether the faults stay with the card when it is put into another slot or machine",
                "dcgmi diag -r 3",
                &["suspected-faulty-gpu", "application-illegal-memory-access"],
            )
            .explaining(explains),
    ]
}

/// `pid=1234` of an Xid.
fn process(line: &str) -> Option<String> {
    let (_, rest) = line.split_once("pid=")?;
    Some(rest.chars().take_while(|c| c.is_ascii_digit()).collect())
}
