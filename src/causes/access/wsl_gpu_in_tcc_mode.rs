//! The card runs in the driver model for computing only, and WSL is offered the other ones.

use crate::causes::{Case, Cause, Finding, Level};
use crate::checks::given::{self, Platform};
use crate::facts::nvidia;
use crate::symptom::{AFTER_ACCESS, Kind};

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("wsl-gpu-in-tcc-mode.md"), explains: &[AFTER_ACCESS, &[Kind::NvmlDevice]], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let facts = case.facts;
    if given::platform(facts) != Platform::Wsl {
        return Vec::new();
    }
    // Windows' own table, where somebody ran it: the place of the persistence mode holds the driver model there.
    let unknown = |finding: Finding| {
        finding.unknown(
            "the driver model of each card on Windows",
            "/mnt/c/Windows/System32/nvidia-smi.exe --query-gpu=index,name,driver_model.current --format=csv",
            &["wsl-gpu-in-tcc-mode", "wsl-driver-store-libs-missing"],
        )
    };
    let count = facts.machine(&nvidia::NVML_COUNT);
    let init = facts.machine(&nvidia::NVML_INIT);
    let lost = facts.all(&nvidia::NVML_HANDLE).find(|(code, _)| *code != 0);
    let finding = match (count.clone().seen(), init.clone().seen(), lost) {
        (Some(0), _, _) => {
            Finding::machine(Level::Possible).because_of(&count, "NVML starts under WSL and lists no GPU")
        }
        (_, Some(17), _) => Finding::machine(Level::Possible)
            .because_of(&init, "NVML answers 17 under WSL: blocked by the operating system"),
        (_, _, Some((code, fact))) => Finding::machine(Level::Possible)
            .because(crate::checks::Evidence::of(fact, format!("NVML gives no handle for a GPU under WSL ({code})"))),
        _ => return Vec::new(),
    };
    vec![unknown(finding)]
}
