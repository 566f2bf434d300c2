//! /dev/dxg is there, and the driver's libraries that Windows lends to its Linux guests are not.

use crate::causes::{Case, Cause, Finding, Level};
use crate::checks::given::{self, Platform};
use crate::facts::{Look, cuda, kernel, nvidia};
use crate::subject::Subject;
use crate::symptom::{AFTER_ACCESS, Kind};

/// The cause.
pub static CAUSE: Cause = Cause {
    page: include_str!("wsl-driver-store-libs-missing.md"),
    explains: &[AFTER_ACCESS, &[Kind::NvmlMissing, Kind::LibcudaMissing, Kind::LibcudaUnloadable, Kind::SmiMissing]],
    assess,
};

/// NVML's code for a driver of Windows that refuses.
const BLOCKED: i32 = 17;

fn assess(case: &Case) -> Vec<Finding> {
    let facts = case.facts;
    if given::platform(facts) != Platform::Wsl {
        return Vec::new();
    }
    let door = facts.look(&kernel::NODE, &Subject::file("/dev/dxg"));
    let library = facts.machine(&cuda::LIBRARY);
    let elsewhere = facts.machine(&cuda::ELSEWHERE);
    let nowhere = elsewhere.clone().seen().is_some_and(|files| files.is_empty());
    let blocked = facts.value(&nvidia::NVML_INIT) == Some(BLOCKED);
    let level = match (&door, &library) {
        (Look::Seen(..), Look::Absent(_)) if nowhere && case.in_container().is_none() => Level::Supported,
        (Look::Seen(..), Look::Absent(_)) if nowhere => Level::Possible,
        (_, Look::Failed(..)) => Level::Supported,
        _ if blocked => Level::Possible,
        _ => return Vec::new(),
    };
    let mut finding = Finding::machine(level).because_of(&door, "/dev/dxg is there: Windows offers a GPU");
    if library.is_absent() {
        finding = finding.because_of(&library, "and no folder of WSL holds a libcuda.so.1");
    }
    if let Some(why) = library.why_failed() {
        finding = finding.because_of(&library, format!("libcuda.so.1 cannot be loaded: {why}"));
    }
    if blocked {
        finding = finding.because_of(&facts.machine(&nvidia::NVML_INIT), "NVML answers 17: blocked by the system");
    }
    finding = finding.unknown(
        "which files Windows lends to WSL, and what Windows itself says of the GPU",
        "ls /usr/lib/wsl/lib /usr/lib/wsl/drivers; /mnt/c/Windows/System32/nvidia-smi.exe",
        &["wsl-driver-store-libs-missing", "wsl-gpu-in-tcc-mode", "container-without-gpu-access"],
    );
    vec![finding]
}
