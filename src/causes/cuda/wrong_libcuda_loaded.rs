//! The loader took a libcuda of another driver although the right one is on this machine.

use super::compat;
use crate::causes::{Case, Cause, Finding, Level, advice};
use crate::checks::Evidence;
use crate::facts::{Variant, cuda, kernel, nvidia};
use crate::subject::Subject;
use crate::symptom::{AFTER_CUINIT, Kind};

/// The cause.
pub static CAUSE: Cause = Cause {
    page: include_str!("wrong-libcuda-loaded.md"),
    explains: &[AFTER_CUINIT, &[Kind::LibcudaUnloadable]],
    assess,
};

/// Whether a libcuda of the loaded module's version lies in the loader's folders.
pub fn right_copy(case: &Case) -> bool {
    let module: Option<String> = case.facts.value(&kernel::MODULE_VERSION);
    case.facts.all(&nvidia::LIBRARY).any(|(l, _)| l.name == "libcuda" && l.version.is_some() && l.version == module)
}

fn assess(case: &Case) -> Vec<Finding> {
    let facts = case.facts;
    let init = facts.machine(&cuda::INIT);
    let library = facts.machine(&cuda::LIBRARY);
    let (Some(code), Some(loaded)) = (case.cuinit(), library.clone().seen()) else { return Vec::new() };
    let module = facts.machine(&kernel::MODULE_VERSION);
    let (Some(ours), Some(theirs)) = (&loaded.version, module.clone().seen()) else { return Vec::new() };
    let foreign = *ours != theirs && !compat::is_compat(&loaded);
    if !foreign || !right_copy(case) {
        return Vec::new();
    }
    // Only these codes say that the two halves do not fit.
    let level = if matches!(code, 803 | 804) { Level::Decided } else { Level::Supported };
    let right = facts.all(&nvidia::LIBRARY).find(|(l, _)| l.name == "libcuda" && l.version.as_ref() == Some(&theirs));
    let mut finding = Finding::machine(level)
        .with("library", loaded.target.clone())
        .with("version", ours.clone())
        .with("module", theirs.clone())
        .because_of(&library, format!("{} was loaded, of driver {ours}", loaded.target))
        .because_of(&module, format!("the loaded kernel module is of driver {theirs}"));
    if let Some((right, fact)) = right {
        finding = finding.because(Evidence::of(fact, format!("{} would be the right one", right.target)));
    }
    finding = finding.because_of(&init, format!("cuInit gives {code}"));
    let without = facts.look_in(&cuda::INIT, &Subject::machine(), Some(Variant::WithoutLibraryPath));
    let folder = loaded.path.rsplit_once('/').map(|(folder, _)| folder.to_string());
    if without.clone().seen() == Some(0) {
        finding = finding.because_of(&without, "without LD_LIBRARY_PATH, cuInit succeeds");
        finding = advice::with_library_path(finding, facts, |f| Some(f) == folder.as_deref());
    }
    if !finding.tags.contains(&"library_path") {
        finding = finding.tagged("in_loader_list");
    }
    if level != Level::Decided {
        finding = finding.unknown(
            "which libcuda the process loads, and which there are",
            "ldconfig -p | grep libcuda; cat /proc/driver/nvidia/version",
            &["wrong-libcuda-loaded", "libcuda-kernel-module-mismatch", "cuda-init-fails"],
        );
    }
    vec![finding]
}
