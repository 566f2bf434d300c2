//! A probe ended before it was done: a crash, an exit, a flood of text, or no start at all.

use super::ended;
use crate::causes::{Case, Cause, Finding};
use crate::report::Severity;
use crate::subject::Kind as SubjectKind;
use crate::symptom::Kind;

/// What kills the probe kills a program that makes the same call.
pub static CAUSE: Cause = Cause { page: include_str!("probe-crashed.md"), explains: &[&[Kind::ProbeEnd]], assess };

fn assess(case: &Case) -> Vec<Finding> {
    ended::findings(case, |how| matches!(how, "crashed" | "exited" | "not_started" | "flooded"))
        .into_iter()
        .map(|(finding, _)| match finding.tags.first() {
            // These say something about the doctor's surroundings, not about the GPU.
            Some(&"not_started" | &"flooded") => {
                finding.severity(Severity::Warning).with("consequence", "What it would have seen is not known.")
            }
            // A library that loads and calls exit(0) is hardly one; that nothing came of the probe proves no fault.
            Some(&"exited") if finding.subject.kind == SubjectKind::Probe && silent(&finding) => {
                finding.severity(Severity::Warning).with("consequence", "What it would have seen is not known.")
            }
            Some(&how) => ended::with_frameworks(case, finding, how)
                .with("consequence", "A program that takes the same step dies too."),
            None => finding,
        })
        .collect()
}

/// Whether it ended as if all were well.
fn silent(finding: &Finding) -> bool {
    finding.values.get("detail").is_some_and(|detail| detail.contains("exited with status 0 "))
}
