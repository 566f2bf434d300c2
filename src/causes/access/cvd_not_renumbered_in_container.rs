//! CUDA_VISIBLE_DEVICES holds the host's number of a GPU, and in this container counting starts at zero.

use crate::causes::{Case, Cause, Finding, Level};
use crate::checks::given;
use crate::facts::{Look, Variant, cuda, host, nvidia, pci};
use crate::subject::Subject;
use crate::symptom::{AFTER_CUINIT, Kind};

/// The cause.
pub static CAUSE: Cause = Cause {
    page: include_str!("cvd-not-renumbered-in-container.md"),
    explains: &[AFTER_CUINIT, &[Kind::MaskHidesAll]],
    assess,
};

/// The number in the variable, where it is one of the host's GPUs and none of this container's, and how many there are here.
pub fn host_number(case: &Case) -> Option<(u32, u32)> {
    let facts = case.facts;
    case.in_container()?;
    let value = facts.variable("CUDA_VISIBLE_DEVICES").seen()?;
    let number: u32 = value.split(',').next()?.trim().parse().ok()?;
    let without = facts.look_in(&cuda::COUNT, &Subject::machine(), Some(Variant::WithoutMasks)).seen();
    let here = without.or_else(|| facts.value(&nvidia::NVML_COUNT)).filter(|n| *n > 0)?;
    // The bus is the host's, whatever was put into the container.
    let of_host = u32::try_from(given::nvidia_on_bus(facts).len()).ok()?;
    (number >= here && number < of_host).then_some((number, here))
}

fn assess(case: &Case) -> Vec<Finding> {
    let facts = case.facts;
    let failed = facts.value(&cuda::INIT).is_some_and(|code| code != 0) || facts.value(&cuda::COUNT) == Some(0);
    let Some((number, here)) = host_number(case).filter(|_| failed) else { return Vec::new() };
    let without = facts.look_in(&cuda::INIT, &Subject::machine(), Some(Variant::WithoutMasks));
    let level = match &without {
        Look::Seen(0, _) => Level::Decided,
        Look::Seen(..) => return Vec::new(),
        _ => Level::Supported,
    };
    let last = here - 1;
    let there = if here == 1 { "one GPU, number 0".to_string() } else { format!("{here} GPUs, numbers 0 to {last}") };
    let mut finding = Finding::machine(level)
        .with("number", number.to_string())
        .with("there", there.clone())
        .with("numbers", (0..here).map(|n| n.to_string()).collect::<Vec<_>>().join(","))
        .because_of(&facts.variable("CUDA_VISIBLE_DEVICES"), format!("CUDA_VISIBLE_DEVICES starts with {number}"))
        .because_of(&facts.machine(&host::CONTAINER), format!("this is a container, and in it there is {there}"))
        .because_of(&facts.machine(&pci::DEVICES), "the bus of the host shows more");
    if level == Level::Decided {
        finding = finding.because_of(&without, "cuInit succeeds");
    } else {
        finding = finding.unknown(
            "whether it works with the variable unset",
            "env -u CUDA_VISIBLE_DEVICES gpu-doctor check",
            &["cvd-not-renumbered-in-container", "cuda-visible-devices-out-of-range"],
        );
    }
    vec![finding]
}
