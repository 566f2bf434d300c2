//! The driver's libraries and its loaded module are of different versions.

use crate::causes::{Case, Cause, Finding, Level, seen};
use crate::checks::Evidence;
use crate::facts::{kernel, nvidia};
use crate::symptom::{AFTER_CUINIT, Kind};
use crate::tables::drivers::DriverVersion;

/// The cause.
pub static CAUSE: Cause = Cause {
    page: include_str!("driver-library-version-mismatch.md"),
    explains: &[AFTER_CUINIT, &[Kind::NvmlInit, Kind::NvmlFewer, Kind::SmiFails]],
    assess,
};

/// NVML's code for it.
const MISMATCH: i32 = 18;

fn assess(case: &Case) -> Vec<Finding> {
    let facts = case.facts;
    let code = facts.value(&nvidia::NVML_INIT);
    let module = facts.value(&kernel::MODULE_VERSION);
    let library = facts.all(&nvidia::LIBRARY).find(|(library, _)| library.name == "libnvidia-ml");
    let library = library.and_then(|(library, fact)| Some((library.version?, fact)));
    let differ = match (&module, &library) {
        (Some(module), Some((library, _))) => Some(module != library),
        _ => None,
    };
    let said = seen::log_lines(case, &["api mismatch"]);
    let level = match (code, differ) {
        (Some(MISMATCH), _) => Level::Decided,
        // NVML answers: whatever differs does not matter to it.
        (Some(0), _) => return Vec::new(),
        (_, Some(true)) if !said.is_empty() => Level::Decided,
        // NVML has a code of its own for it; another one has another reason, and the difference may be no more than true.
        (Some(_), Some(true)) => Level::Possible,
        (None, Some(true)) if case.has(Kind::SmiFails) => Level::Supported,
        _ => return Vec::new(),
    };
    let known = |text: &Option<String>| text.clone().unwrap_or_else(|| "of another version".to_string());
    let library_version = library.as_ref().map(|(version, _)| version.clone());
    let mut finding = Finding::machine(level).with("module", known(&module)).with("library", known(&library_version));
    if let Some(code) = code.filter(|c| *c == MISMATCH) {
        let text = format!("nvmlInit gives {code} (library and driver versions differ)");
        finding = finding.because_of(&facts.machine(&nvidia::NVML_INIT), text);
    }
    if let Some(module) = &module {
        let text = format!("the loaded module is {module}");
        finding = finding.because_of(&facts.machine(&kernel::MODULE_VERSION), text);
    }
    if let Some((version, fact)) = &library {
        finding = finding.because(Evidence::of(fact, format!("{} is {version}", fact.subject.id)));
    }
    for (line, fact) in said.iter().take(1) {
        finding = finding.because(Evidence::of(fact, format!("kernel log: {line}")));
    }
    // A reboot loads what is on the disk: it helps where that has the libraries' version.
    let on_disk = facts.value(&kernel::MODINFO).and_then(|info| info.version);
    let parsed = |text: &Option<String>| text.as_deref().and_then(DriverVersion::parse);
    let stale = parsed(&library_version) < parsed(&module) && library_version.is_some() && on_disk != library_version;
    let action = match stale {
        true => "Take the old copy of the driver's libraries away, so that those of the loaded module are found",
        false => "Restart, so that the module of the libraries' version is loaded",
    };
    finding = finding.with("action", action);
    if let (true, Some((_, fact))) = (stale, &library) {
        // An update leaves an old module and new libraries. Libraries that are older than the module are an old copy.
        let folder = fact.subject.id.rsplit_once('/').map(|(folder, _)| folder.to_string()).unwrap_or_default();
        let paths = facts.variable("LD_LIBRARY_PATH").seen().unwrap_or_default();
        let named = paths.split(':').any(|path| !path.is_empty() && path.trim_end_matches('/') == folder);
        finding = finding.with("folder", folder).tagged("stale");
        finding = finding.tagged(if named { "library_path" } else { "no_library_path" });
    } else if let (Some(on_disk), Some(library)) = (&on_disk, &library_version) {
        let look = facts.machine(&kernel::MODINFO);
        finding = finding.because_of(&look, format!("the module on disk is {on_disk}"));
        finding = finding.tagged(if on_disk == library { "newmodule" } else { "oldmodule" });
    } else {
        finding = finding.tagged("newmodule");
    }
    if level != Level::Decided {
        finding = finding.unknown(
            "what nvidia-smi says",
            "nvidia-smi",
            &["driver-library-version-mismatch", "driver-not-working"],
        );
    }
    vec![finding]
}
