//! CUDA was sent to the multi-process service, and does not reach its daemon.

use crate::causes::{Case, Cause, Finding, Level};
use crate::facts::{Look, cuda, host};
use crate::symptom::AFTER_CUINIT;

/// The cause.
pub static CAUSE: Cause = Cause { page: include_str!("mps-daemon-unreachable.md"), explains: &[AFTER_CUINIT], assess };

/// Connection failed, RPC failed, server not ready.
const CODES: [i32; 3] = [805, 806, 807];

fn assess(case: &Case) -> Vec<Finding> {
    let init = case.facts.machine(&cuda::INIT);
    let Some(code) = init.clone().seen().filter(|code| CODES.contains(code)) else { return Vec::new() };
    // Only 805 says that the daemon was not reached at all.
    let level = if code == 805 { Level::Decided } else { Level::Supported };
    let pipe = case.facts.variable("CUDA_MPS_PIPE_DIRECTORY");
    let folder = pipe.clone().seen().unwrap_or_else(|| "/tmp/nvidia-mps".to_string());
    let mut finding = Finding::machine(level)
        .because_of(&init, format!("cuInit gives {code}: the daemon of the multi-process service does not answer"))
        .with("folder", folder.clone());
    if matches!(pipe, Look::Seen(..)) {
        finding = finding.because_of(&pipe, format!("CUDA_MPS_PIPE_DIRECTORY is {folder}")).tagged("pipe_set");
    }
    if case.in_container().is_some() {
        finding = finding.because_of(&case.facts.machine(&host::CONTAINER), "this is a container");
    }
    if level != Level::Decided {
        finding = finding.unknown(
            "whether the daemon runs, and as whom",
            "ps -eo user,args | grep [n]vidia-cuda-mps",
            &["mps-daemon-unreachable", "cuda-init-fails"],
        );
    }
    vec![finding]
}
