//! With a physical bridge between two cards, CUDA finds no device, although everything it needs can be opened.

use crate::causes::{Case, Cause, Finding, Level};
use crate::checks::given;
use crate::facts::{cuda, host, kernel, nvidia, pci};
use crate::subject::Subject;
use crate::symptom::{AFTER_CUINIT, Kind};

/// The cause.
pub static CAUSE: Cause = Cause { page: include_str!("nvlink-bridge-fault.md"), explains: &[AFTER_CUINIT], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let facts = case.facts;
    let opens = |node: &str| facts.look(&kernel::NODE_OPEN, &Subject::file(node)).seen().as_deref() == Some("ok");
    let several = facts.value(&nvidia::NVML_COUNT).is_some_and(|count| count >= 2);
    let shown = case.in_container().is_none() && facts.machine(&host::WSL).is_absent();
    if case.cuinit() != Some(100)
        || !takes_a_bridge(case)
        || !several
        || !shown
        || !["/dev/nvidiactl", "/dev/nvidia0", "/dev/nvidia-uvm"].iter().all(|node| opens(node))
        || case.has(Kind::MaskHidesAll)
        || case.has(Kind::MigEmpty)
    {
        return Vec::new();
    }
    let finding = Finding::machine(Level::Possible)
        .because_of(&facts.machine(&cuda::INIT), "cuInit gives 100 (no device)")
        .because_of(&facts.machine(&nvidia::NVML_COUNT), "NVML lists several GPUs, and their nodes can be opened")
        .unknown(
            "whether a bridge joins the cards, and whether CUDA works without it",
            "nvidia-smi nvlink -s",
            &["nvlink-bridge-fault", "cuda-init-fails"],
        );
    vec![finding]
}

/// Whether some GPU here is of a generation that has boards with a connector for a bridge. Ada's and Blackwell's boards have
/// none.
fn takes_a_bridge(case: &Case) -> bool {
    given::expected(case.facts).iter().any(|gpu| {
        let architecture = case.facts.look(&pci::ARCHITECTURE, gpu).seen().unwrap_or_default();
        ["pascal", "volta", "turing", "ampere", "hopper"].contains(&architecture.as_str())
    })
}
