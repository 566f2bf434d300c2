//! Under WSL, libcuda lies in a folder of its own, and the loader does not search it.

use crate::causes::{Case, Cause, Finding, Level, advice};
use crate::checks::given::{self, Platform};
use crate::facts::{Look, cuda, host};
use crate::symptom::{AFTER_CUINIT, Kind};

/// The cause.
pub static CAUSE: Cause = Cause {
    page: include_str!("wsl-libcuda-not-on-path.md"),
    explains: &[&[Kind::LibcudaMissing, Kind::NvmlMissing], AFTER_CUINIT],
    assess,
};

/// Where Windows puts its libraries for Linux.
const FOLDER: &str = "/usr/lib/wsl/";

/// The file, where this is WSL and the loader passed it by.
pub fn passed_by(case: &Case) -> Option<String> {
    let files: Option<Vec<String>> = case.facts.value(&cuda::ELSEWHERE);
    let here = given::platform(case.facts) == Platform::Wsl && case.facts.machine(&cuda::LIBRARY).is_absent();
    files.filter(|_| here)?.into_iter().find(|file| file.starts_with(FOLDER))
}

fn assess(case: &Case) -> Vec<Finding> {
    let Some(file) = passed_by(case) else { return Vec::new() };
    let library = case.facts.machine(&cuda::LIBRARY);
    let mut finding = Finding::machine(Level::Decided)
        .because_of(&case.facts.machine(&host::WSL), "this is WSL")
        .because_of(&library, "the loader finds no libcuda.so.1")
        .because_of(&case.facts.machine(&cuda::ELSEWHERE), format!("{file} exists"))
        .with("file", file);
    if let Look::Seen(path, _) = case.facts.variable("LD_LIBRARY_PATH") {
        let text = format!("LD_LIBRARY_PATH is {path}");
        finding = finding.because_of(&case.facts.variable("LD_LIBRARY_PATH"), text);
    }
    vec![advice::with_python(finding, case.facts)]
}
