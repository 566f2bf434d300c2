//! The toolkit's stub of libcuda, which is meant for linking only, was loaded in place of the driver's library.

use crate::causes::{Case, Cause, Finding, Level, advice};
use crate::facts::{Variant, cuda, nvidia};
use crate::subject::Subject;
use crate::symptom::{AFTER_CUINIT, Kind};

/// Wrong library first on the loader's path; every call answers 34.
pub static CAUSE: Cause = Cause {
    page: include_str!("libcuda-stub-loaded.md"),
    explains: &[AFTER_CUINIT, &[Kind::LibcudaUnloadable]],
    assess,
};

/// CUDA_ERROR_STUB_LIBRARY; measured with the stub of CUDA 11.8.
const STUB_LIBRARY: i32 = 34;

fn assess(case: &Case) -> Vec<Finding> {
    let machine = Subject::machine();
    let library = case.facts.machine(&cuda::LIBRARY);
    let init = case.facts.machine(&cuda::INIT);
    let is_stub = |l: &cuda::Loaded| advice::has_folder(&l.path, "stubs") || advice::has_folder(&l.target, "stubs");
    let loaded = library.clone().seen();
    let in_stubs = loaded.as_ref().is_some_and(is_stub);
    let code = init.clone().seen();
    if code == Some(0) || (code != Some(STUB_LIBRARY) && !in_stubs) {
        return Vec::new();
    }

    let without = Some(Variant::WithoutLibraryPath);
    let init_without = case.facts.look_in(&cuda::INIT, &machine, without);
    let library_without = case.facts.look_in(&cuda::LIBRARY, &machine, without);
    let another = match (&init_without.clone().seen(), &library_without) {
        (Some(code), _) => *code != STUB_LIBRARY,
        (None, look) => look.is_absent() || look.clone().seen().is_some_and(|l| !is_stub(&l)),
    };
    let level = match (code == Some(STUB_LIBRARY), in_stubs || another) {
        (true, true) => Level::Decided,
        _ => Level::Supported,
    };

    let path = loaded.map(|l| l.path).filter(|_| in_stubs);
    let mut finding = Finding::machine(level);
    if let Some(path) = &path {
        finding = finding.because_of(&library, format!("the loader took {path}, a stub of the toolkit"));
    }
    if code == Some(STUB_LIBRARY) {
        finding = finding.because_of(&init, "cuInit gives 34 (CUDA_ERROR_STUB_LIBRARY)");
    }
    if let Some(code) = init_without.clone().seen().filter(|_| another) {
        finding = finding.because_of(&init_without, format!("without LD_LIBRARY_PATH, cuInit gives {code}"));
    }
    if library_without.is_absent() && init_without.fact().is_none() {
        let text = "without LD_LIBRARY_PATH, the loader finds no libcuda at all";
        finding = finding.because_of(&library_without, text);
    }
    if let Some(other) = library_without.clone().seen().filter(|_| another) {
        finding = finding.because_of(&library_without, format!("without LD_LIBRARY_PATH, {} is loaded", other.path));
    }
    let search = case.facts.variable("LD_LIBRARY_PATH");
    let stubs = |folder: &str| advice::has_folder(folder, "stubs");
    if search.clone().seen().is_some_and(|path| path.split(':').any(stubs)) {
        finding = finding.because_of(&search, "LD_LIBRARY_PATH names a stubs folder");
    }
    finding = advice::with_library_path(finding, case.facts, stubs);
    if !finding.tags.contains(&"library_path") {
        finding = finding.tagged("loader_cache");
    }
    finding = finding.with("library", path.unwrap_or_else(|| "a stub of libcuda".to_string()));
    if level != Level::Decided {
        finding = finding.unknown(
            "which libcuda the process loads",
            "LD_DEBUG=libs python3 -c 'import ctypes; ctypes.CDLL(\"libcuda.so.1\")' 2>&1 | grep libcuda",
            &["libcuda-stub-loaded", "libcuda-kernel-module-mismatch"],
        );
    }

    // The toolkit's stub of NVML lies in the same folder, and answers as if no driver were loaded.
    let mut explains = CAUSE.explained(&finding, case);
    let nvml = case.facts.value(&nvidia::NVML_LIBRARY).is_some_and(|path| advice::has_folder(&path, "stubs"));
    if nvml {
        explains.extend(case.symptoms(Kind::NvmlInit).chain(case.symptoms(Kind::NvmlFewer)));
    }
    vec![finding.explaining(explains)]
}
