//! A forward-compatibility libcuda stands before the driver's own, and this GPU may not use it.

use super::compat;
use crate::causes::{Case, Cause, Finding, Level, advice};
use crate::facts::{cuda, kernel};
use crate::symptom::AFTER_CUINIT;
use crate::tables::drivers;

/// cuInit 804 with a libcuda of a cuda-compat package.
pub static CAUSE: Cause = Cause { page: include_str!("cuda-compat-on-geforce.md"), explains: &[AFTER_CUINIT], assess };

/// CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE.
const NOT_SUPPORTED: i32 = 804;

fn assess(case: &Case) -> Vec<Finding> {
    let init = case.facts.machine(&cuda::INIT);
    if init.clone().seen() != Some(NOT_SUPPORTED) {
        return Vec::new();
    }
    let library = case.facts.machine(&cuda::LIBRARY);
    let loaded = library.clone().seen();
    let from_compat = loaded.as_ref().map(compat::is_compat);
    let offered = case.facts.machine(&cuda::DRIVER_VERSION);
    let raised = compat::raised(case.facts);
    let level = match from_compat {
        Some(true) => Level::Decided,
        Some(false) => return Vec::new(),
        // Images bring compat packages; a half upgrade of the driver happens on the host.
        None if case.in_container().is_some() => Level::Supported,
        None => Level::Possible,
    };
    let mut finding = Finding::machine(level)
        .because_of(&init, "cuInit gives 804: libcuda is newer than the kernel driver allows on this GPU");
    let what = match (&loaded, raised) {
        (Some(loaded), _) if from_compat == Some(true) => {
            finding = finding.because_of(&library, format!("{} is from a cuda-compat package", loaded.path));
            format!("{}, a forward-compatibility copy", loaded.path)
        }
        (_, Some((offers, native))) => {
            let text = format!(
                "libcuda offers CUDA {}.{}, and the driver's branch has {}.{} of its own",
                offers.0, offers.1, native.0, native.1
            );
            finding = finding.because_of(&offered, text);
            "a libcuda that is newer than the driver".to_string()
        }
        _ => "a libcuda that is newer than the driver".to_string(),
    };
    let module = case.facts.machine(&kernel::MODULE_VERSION);
    if let Some(version) = module.clone().seen() {
        finding = finding.because_of(&module, format!("the loaded kernel module is {version}"));
    }
    if level != Level::Decided {
        finding = finding.unknown(
            "which libcuda the process loads",
            "python3 -c 'import ctypes; ctypes.CDLL(\"libcuda.so.1\"); print(*{l.split()[-1] for l in open(\"/proc/self/maps\") if \"libcuda\" in l})'",
            &["cuda-compat-on-geforce", "libcuda-kernel-module-mismatch"],
        );
    }
    finding = advice::with_library_path(finding, case.facts, |folder| advice::has_folder(folder, "compat"));
    if !finding.tags.contains(&"library_path") {
        finding = finding.tagged("loader_cache");
    }
    let native = advice::driver(case.facts).and_then(|d| drivers::native_cuda(d, advice::platform(case.facts)));
    if let Some(native) = native {
        finding = finding.with("native", advice::dotted(native)).tagged("native_known");
    }
    vec![finding.with("what", what)]
}
