//! libcuda.so.1 is on the disk, in a folder that the loader does not search.

use super::wsl_libcuda_not_on_path;
use crate::causes::{Case, Cause, Finding, Level, advice};
use crate::checks::given;
use crate::facts::{cuda, kernel, nvidia};
use crate::symptom::{AFTER_CUINIT, Kind};

/// The file exists; this process's loader does not look there.
pub static CAUSE: Cause = Cause {
    page: include_str!("libcuda-not-on-loader-path.md"),
    explains: &[&[Kind::LibcudaMissing, Kind::NvmlMissing], AFTER_CUINIT],
    assess,
};

fn assess(case: &Case) -> Vec<Finding> {
    let library = case.facts.machine(&cuda::LIBRARY);
    if !library.is_absent() || wsl_libcuda_not_on_path::passed_by(case).is_some() {
        return Vec::new();
    }
    let elsewhere = case.facts.machine(&cuda::ELSEWHERE);
    let Some(file) = elsewhere.clone().seen().and_then(|files| files.into_iter().next()) else { return Vec::new() };
    let folder = file.rsplit_once('/').map(|(folder, _)| folder).filter(|f| !f.is_empty()).unwrap_or("/").to_string();

    let module = given::module_loaded(case.facts, "nvidia") == Some(true);
    let nvml = case.facts.value(&nvidia::NVML_INIT) == Some(0);
    let wsl = given::platform(case.facts) == given::Platform::Wsl;
    let level = if module || nvml || wsl { Level::Decided } else { Level::Supported };
    let mut finding = Finding::machine(level)
        .because_of(&library, "the loader finds no libcuda.so.1")
        .because_of(&elsewhere, format!("{file} exists"));
    if module {
        finding = finding.because_of(&case.facts.machine(&kernel::MODULES), "the nvidia kernel module is loaded");
    }
    if nvml {
        finding = finding.because_of(&case.facts.machine(&nvidia::NVML_INIT), "NVML starts, so the driver works");
    }
    if level != Level::Decided {
        finding = finding.unknown(
            "whether the kernel driver works",
            "nvidia-smi",
            &["libcuda-not-on-loader-path", "driver-not-installed", "kernel-module-not-loaded"],
        );
    }
    if advice::has_folder(&file, "opengl-driver") {
        finding = finding.tagged("nixos");
    }
    vec![finding.with("file", file).with("folder", folder)]
}
