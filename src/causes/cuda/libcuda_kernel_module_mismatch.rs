//! libcuda and the loaded kernel module are of different driver versions, and cuInit refuses.

use super::{compat, wrong_libcuda_loaded};
use crate::causes::{Case, Cause, Finding, Level, advice};
use crate::facts::{Variant, cuda, kernel, nvidia};
use crate::subject::Subject;
use crate::symptom::AFTER_CUINIT;
use crate::tables::cuda_errors;

/// cuInit 803, or 804 without a compat library, while NVML answers.
pub static CAUSE: Cause =
    Cause { page: include_str!("libcuda-kernel-module-mismatch.md"), explains: &[AFTER_CUINIT], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let init = case.facts.machine(&cuda::INIT);
    let Some(code @ (803 | 804)) = init.clone().seen() else { return Vec::new() };
    // Where NVML refuses as well, all of the user space differs: that is driver-library-version-mismatch.
    if case.facts.value(&nvidia::NVML_INIT) == Some(18) {
        return Vec::new();
    }
    let library = case.facts.machine(&cuda::LIBRARY);
    let module = case.facts.machine(&kernel::MODULE_VERSION);
    let loaded = library.clone().seen();
    let from_compat = loaded.as_ref().is_some_and(compat::is_compat);
    let ours = loaded.as_ref().and_then(|l| l.version.clone());
    let theirs = module.clone().seen();
    let level = match (&ours, &theirs) {
        _ if code == 804 && from_compat => return Vec::new(),
        (Some(ours), Some(theirs)) if ours == theirs => return Vec::new(),
        // The right one is here as well: wrong-libcuda-loaded.
        (Some(_), Some(_)) if !from_compat && wrong_libcuda_loaded::right_copy(case) => return Vec::new(),
        (Some(_), Some(_)) => Level::Decided,
        _ if code == 803 => Level::Supported,
        _ => Level::Possible,
    };

    let name = cuda_errors::name(code);
    let mut finding = Finding::machine(level).because_of(&init, format!("cuInit gives {code} ({name})"));
    if let (Some(loaded), Some(version)) = (&loaded, &ours) {
        finding = finding.because_of(&library, format!("{} is of driver {version}", loaded.target));
    }
    if let Some(version) = &theirs {
        finding = finding.because_of(&module, format!("the loaded kernel module is of driver {version}"));
    }
    let what = match (&ours, &theirs) {
        (Some(ours), Some(theirs)) => format!("libcuda is of driver {ours} and the loaded kernel module of {theirs}"),
        _ => format!("cuInit answers {code}: libcuda and the loaded kernel module are of different drivers"),
    };
    finding = finding.with("what", what);
    if let Some(loaded) = &loaded {
        finding = finding.with("library", loaded.target.clone());
    }
    if level != Level::Decided {
        finding = finding.unknown(
            "which libcuda is loaded, and which kernel module",
            "cat /proc/driver/nvidia/version; readlink -f $(ldconfig -p | awk '/libcuda.so.1 .*x86-64/ {print $NF; exit}')",
            &["libcuda-kernel-module-mismatch", "cuda-compat-on-geforce"],
        );
    }
    vec![with_fix(finding, case, ours.as_deref(), from_compat)]
}

/// The conditions of the fix: another folder first (`library_path`, `compat`), a reboot that loads
/// the new module (`reboot_loads_it`), or drivers to be made whole (`reinstall`).
fn with_fix(finding: Finding, case: &Case, ours: Option<&str>, from_compat: bool) -> Finding {
    let without = case.facts.look_in(&cuda::INIT, &Subject::machine(), Some(Variant::WithoutLibraryPath));
    let loaded: Option<cuda::Loaded> = case.facts.value(&cuda::LIBRARY);
    let folder = loaded.as_ref().and_then(|l| l.path.rsplit_once('/')).map(|(folder, _)| folder.to_string());
    if without.clone().seen() == Some(0) {
        let finding = finding.because_of(&without, "without LD_LIBRARY_PATH, cuInit succeeds");
        return advice::with_library_path(finding, case.facts, |f| Some(f) == folder.as_deref());
    }
    if from_compat {
        let finding = advice::with_library_path(finding, case.facts, |f| advice::has_folder(f, "compat"));
        return finding.tagged("compat");
    }
    let on_disk = case.facts.value(&kernel::MODINFO).and_then(|m| m.version);
    if on_disk.is_some() && on_disk.as_deref() == ours {
        return finding.tagged("reboot_loads_it");
    }
    finding.tagged("reinstall")
}
