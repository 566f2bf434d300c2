//! Under WSL with several GPUs, CUDA runs out of something while it starts, and says "out of memory".

use crate::causes::{Case, Cause, Finding, Level};
use crate::checks::given::{self, Platform};
use crate::facts::{cuda, host, nvidia};
use crate::symptom::AFTER_CUINIT;

/// The cause.
pub static CAUSE: Cause = Cause { page: include_str!("wsl-multi-gpu-init-oom.md"), explains: &[AFTER_CUINIT], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let facts = case.facts;
    let init = facts.machine(&cuda::INIT);
    if init.clone().seen() != Some(2) || given::platform(facts) != Platform::Wsl {
        return Vec::new();
    }
    let count = facts.machine(&nvidia::NVML_COUNT);
    let level = match count.clone().seen() {
        Some(0 | 1) => return Vec::new(),
        Some(_) => Level::Supported,
        None => Level::Possible,
    };
    let mut finding = Finding::machine(level)
        .because_of(&facts.machine(&host::WSL), "this is WSL")
        .because_of(&init, "cuInit gives 2 (out of memory) before anything was allocated");
    if let Some(n) = count.clone().seen() {
        finding = finding.because_of(&count, format!("NVML lists {n} GPUs"));
    }
    let finding = finding.unknown(
        "whether CUDA starts with one of the GPUs",
        "CUDA_VISIBLE_DEVICES=0 gpu-doctor check --only cuda-driver",
        &["wsl-multi-gpu-init-oom", "cuda-init-fails"],
    );
    vec![finding]
}
