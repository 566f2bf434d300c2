//! Confidential computing is on, and nobody has set the GPU ready to accept work.

use crate::causes::{Case, Cause, Finding, Level};
use crate::checks::Evidence;
use crate::facts::{cuda, nvidia};
use crate::symptom::AFTER_CUINIT;

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("confidential-compute-not-ready.md"), explains: &[AFTER_CUINIT], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let init = case.facts.machine(&cuda::INIT);
    if init.clone().seen() != Some(802) {
        return Vec::new();
    }
    let waiting = case.facts.all(&nvidia::NVML_CONF_COMPUTE).find(|(state, _)| state.on && !state.ready);
    let Some((_, fact)) = waiting else { return Vec::new() };
    let finding = Finding::machine(Level::Decided)
        .because_of(&init, "cuInit gives 802 (CUDA_ERROR_SYSTEM_NOT_READY)")
        .because(Evidence::of(fact, "confidential computing is on, and the GPUs are not set ready"));
    vec![finding]
}
