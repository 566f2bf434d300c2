//! An NVIDIA GPU, and nothing of a driver on the disk.

use crate::causes::seen::{self, Installed};
use crate::causes::{Case, Cause, Finding, Level};
use crate::checks::given;
use crate::facts::{cuda, host, kernel, nvidia};
use crate::symptom::AFTER_KERNEL_DRIVER;
use crate::tables::drivers::{Flavours, flavours};
use crate::tables::pci_ids::Architecture;

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("driver-not-installed.md"), explains: &[AFTER_KERNEL_DRIVER], assess };

fn assess(case: &Case) -> Vec<Finding> {
    if case.value(&host::OS).as_deref() == Some("windows") {
        return on_windows(case);
    }
    if !seen::waits_for_driver(case) {
        return Vec::new();
    }
    let facts = case.facts;
    let gpus = given::expected(facts);
    let (file, libraries) = (facts.machine(&kernel::MODULE_FILE), facts.machine(&nvidia::LIBRARIES));
    let level = match seen::installed(case) {
        Installed::Nothing => Level::Decided,
        // Somebody looked for the module and it is nowhere, and the rest was not looked at.
        Installed::Unknown if file.is_absent() && libraries.fact().is_none() => Level::Supported,
        _ => return Vec::new(),
    };
    let mut finding = Finding::machine(level)
        .with("seen", format!("{} is there, and nothing that drives it", seen::names(case, &gpus)))
        .because_of(&facts.machine(&kernel::MODULES), "the nvidia module is not loaded")
        .because_of(&file, "there is no nvidia.ko for the running kernel");
    if let Some(count) = facts.value(&nvidia::LIBRARIES) {
        let text = match count {
            0 => "no libcuda.so.1 and no libnvidia-ml.so.1 in any place that loaders search".to_string(),
            n => format!("{n} driver libraries were found"),
        };
        finding = finding.because_of(&libraries, text);
    }
    if level != Level::Decided {
        finding = finding.unknown(
            "whether any part of a driver is installed",
            "modinfo -F filename nvidia; find /lib/modules -name 'nvidia*.ko*'; ldconfig -p | grep -E 'libcuda|libnvidia-ml'",
            &["driver-not-installed", "kernel-module-not-built-for-kernel"],
        );
    }
    // One old GPU decides: the open flavour would not serve it.
    let old = gpus
        .iter()
        .filter_map(|gpu| facts.look(&crate::facts::pci::ARCHITECTURE, gpu).seen())
        .any(|name| Architecture::from_name(&name).is_some_and(|a| flavours(a) == Flavours::ClosedOnly));
    // NVIDIA's repositories name the architecture of ARM servers in their own way.
    let arm = case.value(&host::ARCH).as_deref() == Some("aarch64");
    finding = finding.with("repo_arch", if arm { "sbsa" } else { "x86_64" });
    vec![finding.tagged(if old { "closed" } else { "open" })]
}

/// On Windows every driver brings nvcuda.dll and nvml.dll. The bus is not read there, so a GPU may be missing as well.
fn on_windows(case: &Case) -> Vec<Finding> {
    let (nvml, cuda) = (case.facts.machine(&nvidia::NVML_LIBRARY), case.facts.machine(&cuda::LIBRARY));
    if !nvml.is_absent() || !cuda.is_absent() {
        return Vec::new();
    }
    let finding = Finding::machine(Level::Supported)
        .with("repo_arch", "x86_64")
        .with("seen", "Windows has neither nvcuda.dll nor nvml.dll, which every driver brings")
        .because_of(&nvml, "Windows finds no nvml.dll")
        .because_of(&cuda, "Windows finds no nvcuda.dll")
        .unknown(seen::WINDOWS_NEED, seen::WINDOWS_ASK, &["driver-not-installed", "no-nvidia-gpu-present"]);
    vec![finding.tagged("open")]
}
