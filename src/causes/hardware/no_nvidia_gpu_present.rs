//! The machine has no NVIDIA GPU. Nothing else is then to blame, and a driver would have nothing to drive.

use crate::causes::{Case, Cause, Finding, Level};
use crate::checks::given::{self, Platform};
use crate::facts::{host, kernel, pci};
use crate::subject::{Kind as SubjectKind, Subject};
use crate::symptom::{AFTER_KERNEL_DRIVER, Kind};

/// The cause.
pub static CAUSE: Cause = Cause {
    page: include_str!("no-nvidia-gpu-present.md"),
    // A build without CUDA is the right one for a machine without a GPU.
    explains: &[AFTER_KERNEL_DRIVER, &[Kind::NoNvidiaGpu, Kind::FewerGpusThanExpected, Kind::FrameworkCpuBuild]],
    assess,
};

fn assess(case: &Case) -> Vec<Finding> {
    if case.value(&host::OS).as_deref() == Some("macos") {
        return on_macos(case);
    }
    if !case.has(Kind::NoNvidiaGpu) {
        return Vec::new();
    }
    let devices = case.facts.machine(&pci::DEVICES);
    let finding = match given::platform(case.facts) {
        Platform::Bus => {
            let count = case.value(&pci::DEVICES).unwrap_or_default();
            let text = format!("none of the {count} PCI devices is an NVIDIA display or 3D controller");
            Finding::machine(Level::Decided)
                .because_of(&devices, text)
                .with("there", format!("on the PCI bus of this machine; {}", others(case)))
        }
        Platform::Wsl => {
            let node = case.facts.look(&kernel::NODE, &Subject::file("/dev/dxg"));
            let there = "offered to this WSL distribution: there is no /dev/dxg";
            Finding::machine(Level::Supported).with("there", there).because_of(&node, "there is no /dev/dxg").unknown(
                "whether Windows itself has an NVIDIA GPU and driver",
                "nvidia-smi.exe",
                &["no-nvidia-gpu-present", "driver-not-installed"],
            )
        }
        _ => Finding::machine(Level::Possible).with("there", "to be seen on this machine"),
    };
    vec![finding]
}

/// What is on the bus instead.
fn others(case: &Case) -> String {
    let mut gpus = case.facts.subjects(SubjectKind::Gpu);
    gpus.retain(|gpu| case.facts.look(&pci::VENDOR, gpu).seen().is_some_and(|v| v != "0x10de"));
    match gpus.is_empty() {
        true => "it has no display or 3D controller at all".to_string(),
        false => format!("it has only {}", crate::causes::seen::names(case, &gpus)),
    }
}

/// NVIDIA's last driver with CUDA for a Mac was for macOS 10.13, and no machine by Apple has had such a GPU since 2015.
fn on_macos(case: &Case) -> Vec<Finding> {
    let finding = Finding::machine(Level::Supported).with("there", "usable under macOS");
    vec![
        finding.because_of(&case.facts.machine(&host::OS), "this is macOS, for which there is no CUDA driver any more"),
    ]
}
