//! A probe did not come back within its limit. Slow is not dead: nothing is concluded from it.

use super::ended;
use crate::causes::{Case, Cause, Finding};
use crate::checks::Evidence;
use crate::facts::nvidia;
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
            let mut finding = if in_driver { finding.tagged("in_driver") } else { finding };
            // Such a GPU is started anew for every program; one that stays awake does not wait for that.
            let all: Vec<_> = case.facts.all(&nvidia::NVML_PERSISTENCE).collect();
            if in_driver && let Some((_, fact)) = all.iter().find(|(on, _)| !on) {
                let off = all.iter().filter(|(on, _)| !on).count();
                finding = finding
                    .because(Evidence::of(fact, format!("persistence mode is off on {off} of {} GPUs", all.len())))
                    .tagged("asleep");
            } else if in_driver && !all.is_empty() {
                finding = finding.tagged("awake");
            }
            let finding = ended::with_frameworks(case, finding, "timed_out");
            finding.unknown(
                "whether the call comes back when it is given more time",
                "gpu-doctor check --timeout 300",
                &["probe-timed-out"],
            )
        })
        .collect()
}
