//! A probe did not come back within its limit. Slow is not dead: nothing is concluded from it.

use super::ended;
use crate::causes::{Case, Cause, Finding};
use crate::symptom::Kind;

/// A warning, with the stage that it hung in.
pub static CAUSE: Cause = Cause { page: include_str!("probe-timed-out.md"), explains: &[&[Kind::ProbeEnd]], assess };

fn assess(case: &Case) -> Vec<Finding> {
    ended::findings(case, |how| how == "timed_out")
        .into_iter()
        .map(|(finding, stage)| {
            // A call that starts the driver is held by it; everything else may merely be slow.
            let in_driver =
                ["nvmlInit", "cuInit", "open", "query", "nvidia-smi"].iter().any(|name| stage.contains(name));
            let finding = if in_driver { finding.tagged("in_driver") } else { finding };
            let finding = ended::with_frameworks(case, finding, "timed_out");
            finding.unknown(
                "whether the call comes back when it is given more time",
                "gpu-doctor check --timeout 300",
                &["probe-timed-out"],
            )
        })
        .collect()
}
