//! The variable starts with a GPU that does not exist here, and CUDA stops counting at the first such entry.

use super::cvd_not_renumbered_in_container;
use crate::causes::{Case, Cause, Finding, Level};
use crate::facts::{Look, Variant, cuda, nvidia};
use crate::subject::Subject;
use crate::symptom::{AFTER_CUINIT, Kind};

/// The cause.
pub static CAUSE: Cause = Cause {
    page: include_str!("cuda-visible-devices-out-of-range.md"),
    explains: &[AFTER_CUINIT, &[Kind::MaskHidesAll]],
    assess,
};

fn assess(case: &Case) -> Vec<Finding> {
    let facts = case.facts;
    let look = facts.variable("CUDA_VISIBLE_DEVICES");
    let Look::Seen(value, _) = &look else { return Vec::new() };
    let first = value.split(',').next().unwrap_or_default().trim();
    let failed = facts.value(&cuda::INIT).is_some_and(|code| code != 0) || facts.value(&cuda::COUNT) == Some(0);
    // A host's number in a container is cvd-not-renumbered-in-container.
    if cvd_not_renumbered_in_container::host_number(case).is_some() {
        return Vec::new();
    }
    if first.is_empty() || case.has_code(Kind::MaskHidesAll, "CUDA_VISIBLE_DEVICES") || !failed {
        return Vec::new();
    }
    let machine = Subject::machine();
    let without = facts.look_in(&cuda::INIT, &machine, Some(Variant::WithoutMasks));
    let counted = facts.look_in(&cuda::COUNT, &machine, Some(Variant::WithoutMasks));
    let count = facts
        .look_in(&cuda::COUNT, &machine, Some(Variant::WithoutMasks))
        .seen()
        .or_else(|| facts.value(&nvidia::NVML_COUNT))
        // A list in a text.
        .or_else(|| u32::try_from(facts.subjects_with(&nvidia::NVML_NAME).len()).ok().filter(|n| *n > 0));
    let exists = exists(case, first, count);
    let level = match (&without, exists) {
        (Look::Seen(0, _), _) => Level::Decided,
        // It fails without the variable too.
        (Look::Seen(..), _) | (_, Some(true)) => return Vec::new(),
        (_, Some(false)) => Level::Supported,
        (_, None) => return Vec::new(),
    };
    let there = match count {
        Some(1) => "one GPU, number 0".to_string(),
        Some(n) if n > 0 => format!("{n} GPUs, numbers 0 to {}", n - 1),
        _ => "no such GPU".to_string(),
    };
    let mut finding = Finding::machine(level)
        .with("value", value.clone())
        .with("first", first)
        .with("there", there.clone())
        .because_of(&look, format!("CUDA_VISIBLE_DEVICES is \"{value}\""));
    if level == Level::Decided {
        finding = finding.because_of(&without, "cuInit succeeds");
        if let Some(n) = count {
            finding = finding.because_of(&counted, format!("CUDA counts {n}"));
        }
    } else {
        finding = finding.because_of(&facts.machine(&nvidia::NVML_COUNT), format!("NVML lists {there}"));
        if let Some((_, fact)) = facts.all(&nvidia::NVML_NAME).last().filter(|_| finding.evidence.len() < 2) {
            finding = finding.because(crate::checks::Evidence::of(fact, format!("what is listed is {there}")));
        }
        finding = finding.unknown(
            "whether it works with the variable unset",
            "env -u CUDA_VISIBLE_DEVICES gpu-doctor check",
            &["cuda-visible-devices-out-of-range", "cuda-init-fails"],
        );
    }
    vec![finding]
}

/// Whether an entry names a GPU that is there; nothing where that cannot be told.
fn exists(case: &Case, entry: &str, count: Option<u32>) -> Option<bool> {
    if let Ok(index) = entry.parse::<u32>() {
        return count.map(|count| index < count);
    }
    // The start of a UUID is enough for CUDA.
    let known: Vec<String> = match entry.starts_with("MIG-") {
        true => case.facts.all(&nvidia::NVML_MIG).flat_map(|(mig, _)| mig.instances).collect(),
        false => case.facts.all(&nvidia::NVML_UUID).map(|(uuid, _)| uuid).collect(),
    };
    (!known.is_empty()).then(|| known.iter().any(|uuid| uuid.starts_with(entry)))
}
