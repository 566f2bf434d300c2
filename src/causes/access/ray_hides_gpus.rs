//! A Ray task that asked for no GPU: Ray gave its process an empty CUDA_VISIBLE_DEVICES.

use crate::causes::{Case, Cause, Finding, Level};
use crate::facts::{Look, Variant, cuda};
use crate::subject::Subject;
use crate::symptom::{AFTER_CUINIT, Kind};

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("ray-hides-gpus.md"), explains: &[AFTER_CUINIT, &[Kind::MaskHidesAll]], assess };

/// What Ray sets for its workers.
const OF_RAY: [&str; 2] = ["RAY_JOB_ID", "RAY_RAYLET_PID"];

/// Whether this process is a worker of Ray with an empty mask.
pub fn hides(case: &Case) -> bool {
    let worker = OF_RAY.iter().any(|name| matches!(case.facts.variable(name), Look::Seen(..)));
    let mask = case.facts.variable("CUDA_VISIBLE_DEVICES").seen();
    worker && mask.is_some_and(|mask| mask.trim().is_empty() || mask.trim() == "-1")
}

fn assess(case: &Case) -> Vec<Finding> {
    let facts = case.facts;
    let works = facts.value(&cuda::INIT) == Some(0) && facts.value(&cuda::COUNT) != Some(0);
    if !hides(case) || works {
        return Vec::new();
    }
    let without = facts.look_in(&cuda::INIT, &Subject::machine(), Some(Variant::WithoutMasks));
    let level = match &without {
        Look::Seen(0, _) => Level::Decided,
        Look::Seen(..) => return Vec::new(),
        _ => Level::Supported,
    };
    let mut finding = Finding::machine(level);
    for name in OF_RAY {
        finding = finding.because_of(&facts.variable(name), format!("{name} is set: this process is a worker of Ray"));
    }
    finding = finding.because_of(&facts.variable("CUDA_VISIBLE_DEVICES"), "CUDA_VISIBLE_DEVICES is empty");
    if level == Level::Decided {
        finding = finding.because_of(&without, "without the variable, cuInit succeeds");
    } else {
        finding = finding.unknown(
            "what Ray granted to this task",
            "python -c 'import ray; ray.init(address=\"auto\"); print(ray.cluster_resources())'",
            &["ray-hides-gpus", "cuda-visible-devices-hides-all"],
        );
    }
    vec![finding]
}
