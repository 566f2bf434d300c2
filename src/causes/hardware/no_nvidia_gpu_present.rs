//! The machine has no NVIDIA GPU. Nothing else is then to blame, and a driver would have nothing to drive.

use crate::causes::kernel_driver::optimus_gpu_powered_off;
use crate::causes::{Case, Cause, Finding, Level, seen};
use crate::checks::given::{self, Platform};
use crate::facts::{cuda, kernel, pci};
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
    let platform = given::platform(case.facts);
    // Windows' bus is not read, and a driver that is not installed says nothing about it. For macOS: macos-no-cuda.
    let unseen = platform == Platform::Windows && case.has(Kind::DriverNotLoaded);
    if platform == Platform::MacOs || !case.has(Kind::NoNvidiaGpu) && !unseen {
        return Vec::new();
    }
    let devices = case.facts.machine(&pci::DEVICES);
    let finding = match platform {
        Platform::Bus => {
            let count = case.value(&pci::DEVICES).unwrap_or_default();
            let text = format!("none of the {count} PCI devices is an NVIDIA display or 3D controller");
            let there = format!("on the PCI bus of this machine; {}", others(case));
            // A model that has one, or a driver for one: it may be switched off.
            let hidden = super::dgpu_disabled_in_firmware::in_question(case)
                || optimus_gpu_powered_off::switched_off(case).is_some();
            match hidden {
                false => Finding::machine(Level::Decided).because_of(&devices, text),
                true => Finding::machine(Level::Supported).because_of(&devices, text).unknown(
                    "whether this model has an NVIDIA GPU that is switched off",
                    "cat /sys/class/dmi/id/product_name",
                    &["no-nvidia-gpu-present", "dgpu-disabled-in-firmware", "optimus-gpu-powered-off"],
                ),
            }
            .with("there", there)
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
        Platform::Windows => Finding::machine(Level::Possible)
            .with("there", "known of: Windows has no NVIDIA driver, like any machine without such a GPU")
            .because_of(&case.facts.machine(&cuda::LIBRARY), "Windows finds no nvcuda.dll")
            .unknown(seen::WINDOWS_NEED, seen::WINDOWS_ASK, &["driver-not-installed", "no-nvidia-gpu-present"]),
        _ => Finding::machine(Level::Possible).with("there", "to be seen on this machine"),
    };
    let look = match platform {
        Platform::Windows => seen::WINDOWS_ASK,
        Platform::Wsl => "ls -l /dev/dxg",
        _ => "lspci -d 10de: -nn",
    };
    vec![finding.with("look", look)]
}

/// What is on the bus instead.
fn others(case: &Case) -> String {
    let mut gpus = case.facts.subjects(SubjectKind::Gpu);
    gpus.retain(|gpu| case.facts.look(&pci::VENDOR, gpu).seen().is_some_and(|v| v != "0x10de"));
    match gpus.is_empty() {
        true => "it has no display or 3D controller at all".to_string(),
        false => format!("it has only {}", seen::names(case, &gpus)),
    }
}
