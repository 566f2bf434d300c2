//! The firmware, or a switch of the maker's, keeps the discrete GPU off the PCI bus.

use crate::causes::{Case, Cause, Finding, Level};
use crate::checks::given::{self, Platform};
use crate::facts::{host, kernel, nvidia};
use crate::symptom::{AFTER_KERNEL_DRIVER, Kind};

const MORE: &[Kind] = &[Kind::NoNvidiaGpu, Kind::FewerGpusThanExpected];

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("dgpu-disabled-in-firmware.md"), explains: &[AFTER_KERNEL_DRIVER, MORE], assess };

/// The maker's switch that takes the GPU off the bus, where it is set.
fn switched_off(case: &Case) -> bool {
    case.value(&host::GPU_SWITCH).is_some_and(|all| all.get("asus").is_some_and(|v| v == "dgpu_disable=1"))
}

/// Whether a machine without an NVIDIA GPU on its bus looks like one that has one: its firmware switch is set, or somebody
/// installed a driver for it.
pub fn in_question(case: &Case) -> bool {
    let driver = case.facts.machine(&kernel::MODULE_FILE).fact().is_some()
        && !case.facts.machine(&kernel::MODULE_FILE).is_absent()
        && case.value(&nvidia::LIBRARIES).is_some_and(|count| count > 0);
    let bare = case.facts.machine(&host::VIRTUALIZATION).is_absent() && case.in_container().is_none();
    given::platform(case.facts) == Platform::Bus
        && case.has(Kind::NoNvidiaGpu)
        && bare
        && (switched_off(case) || driver)
}

fn assess(case: &Case) -> Vec<Finding> {
    if !in_question(case) {
        return Vec::new();
    }
    let switches = case.facts.machine(&host::GPU_SWITCH);
    let finding = if switched_off(case) {
        Finding::machine(Level::Decided).because_of(&switches, "the firmware switch dgpu_disable is 1").tagged("asus")
    } else {
        let file = case.facts.machine(&kernel::MODULE_FILE);
        Finding::machine(Level::Possible)
            .because_of(&file, "an NVIDIA driver is installed, and the bus shows no NVIDIA GPU")
            .unknown(
                "whether this model has an NVIDIA GPU, and whether its firmware shows it",
                "cat /sys/class/dmi/id/product_name; lspci -d 10de: -nn",
                &["dgpu-disabled-in-firmware", "no-nvidia-gpu-present", "optimus-gpu-powered-off"],
            )
    };
    vec![finding]
}
