//! A variable of this very process hides every GPU. Decided by the experiment: without the variable it works.

use super::ray_hides_gpus;
use crate::causes::{Case, Cause, Finding, Level, page, seen};
use crate::facts::{Look, Variant, cuda};
use crate::report::Severity;
use crate::subject::Subject;
use crate::symptom::{AFTER_CUINIT, Kind};

/// The cause.
pub static CAUSE: Cause = Cause {
    page: include_str!("cuda-visible-devices-hides-all.md"),
    explains: &[AFTER_CUINIT, &[Kind::MaskHidesAll]],
    assess,
};

fn assess(case: &Case) -> Vec<Finding> {
    let facts = case.facts;
    let works = facts.value(&cuda::INIT) == Some(0) && facts.value(&cuda::COUNT) != Some(0);
    let machine = Subject::machine();
    let without = facts.look_in(&cuda::INIT, &machine, Some(Variant::WithoutMasks));
    let mut findings = Vec::new();
    if ray_hides_gpus::hides(case) {
        return findings;
    }
    for hidden in case.symptoms(Kind::MaskHidesAll) {
        let name = hidden.symptom.code().to_string();
        let look = facts.variable(&name);
        let value = facts.variable(&name).seen().unwrap_or_default();
        let of_cuda = name == "CUDA_VISIBLE_DEVICES";
        let base = |level| {
            Finding::machine(level)
                .because_of(&look, format!("{name} is \"{value}\""))
                .with("variable", name.clone())
                .with("value", value.clone())
        };
        let finding = match &without {
            // It hides nothing from this process.
            _ if works => base(Level::Supported).severity(Severity::Note).explaining(vec![hidden.clone()]),
            // The container toolkit's variable only says what was asked for.
            _ if !of_cuda => base(Level::Possible),
            // In a job without a GPU the variable is the batch system's way to say so.
            _ if seen::job_without_gpu(case, "slurm") || value == "NoDevFiles" => base(Level::Possible),
            Look::Seen(0, _) => base(Level::Decided).because_of(&without, "cuInit succeeds"),
            // Two faults: something else fails with the variable unset.
            Look::Seen(code, _) => base(Level::Supported)
                .because_of(&without, format!("cuInit gives {code} all the same"))
                .explaining(vec![hidden.clone()]),
            _ => base(Level::Supported),
        };
        let finding = match finding.level {
            Level::Decided => finding,
            _ => finding.unknown(
                "whether it works with the variable unset",
                format!("env -u {} gpu-doctor check", page::word(&name)),
                &["cuda-visible-devices-hides-all", "scheduler-no-gpu-allocated"],
            ),
        };
        findings.push(finding);
    }
    findings
}
