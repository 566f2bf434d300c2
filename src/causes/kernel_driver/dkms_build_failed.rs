//! DKMS tried to build the driver for the running kernel, and the compiler failed.

use crate::causes::{Case, Cause, Finding, Level, page, seen};
use crate::facts::kernel::{self, Dkms};
use crate::facts::{Look, host};
use crate::symptom::AFTER_KERNEL_DRIVER;

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("dkms-build-failed.md"), explains: &[AFTER_KERNEL_DRIVER], assess };

/// The DKMS entry whose last build for the running kernel failed, and whether its log names that kernel.
pub fn failed_here(case: &Case) -> Option<(Dkms, bool)> {
    // A module that is there makes an old log history.
    if matches!(case.facts.machine(&kernel::MODULE_FILE), Look::Seen(..)) {
        return None;
    }
    let running = case.value(&host::KERNEL);
    case.value(&kernel::DKMS)?.into_iter().find_map(|entry| {
        let log = entry.log.as_ref().filter(|log| !log.errors.is_empty())?;
        let named = log.kernel.is_some() && log.kernel == running;
        let built = running.as_ref().is_some_and(|kernel| entry.built_for.contains(kernel));
        (!built && (named || log.kernel.is_none())).then_some((entry, named))
    })
}

fn assess(case: &Case) -> Vec<Finding> {
    // A container's DKMS is not the host's.
    if !seen::waits_for_driver(case) || case.in_container().is_some() {
        return Vec::new();
    }
    let Some((entry, named)) = failed_here(case) else { return Vec::new() };
    let Some(log) = entry.log else { return Vec::new() };
    let dkms = case.facts.machine(&kernel::DKMS);
    let first = log.errors.first().cloned().unwrap_or_default();
    let level = if named { Level::Decided } else { Level::Supported };
    let mut finding = Finding::machine(level)
        .with("log", log.path.clone())
        .with("module", entry.module)
        .with("version", entry.version)
        .with("error", first.trim())
        .because_of(&dkms, format!("{}: {}", log.path, first.trim()))
        .because_of(&case.facts.machine(&kernel::MODULE_FILE), "there is no nvidia.ko for the running kernel");
    let headers = case.facts.machine(&kernel::HEADERS);
    if headers.is_absent() {
        finding = finding.because_of(&headers, "the headers of the running kernel are missing").tagged("noheaders");
    }
    let compiler = log
        .errors
        .iter()
        .any(|line| line.contains("gcc") && (line.contains("not found") || line.contains("No such file")));
    if compiler {
        finding = finding.tagged("nocompiler");
    }
    if !named {
        finding = finding.unknown(
            "for which kernel the failed build was",
            format!("head -n 3 {}", page::word(&log.path)),
            &["dkms-build-failed", "kernel-module-not-built-for-kernel"],
        );
    }
    vec![finding]
}
