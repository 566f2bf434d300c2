//! torch is built for Intel's GPUs, and the kernel driver or the compute runtime is missing.

use crate::causes::{Case, Cause, Finding, Level};
use crate::checks::given;
use crate::facts::{makers, pci};
use crate::symptom::{AFTER_ACCESS, Kind};

/// The cause.
pub static CAUSE: Cause = Cause {
    page: include_str!("intel-driver-not-installed.md"),
    explains: &[AFTER_ACCESS, &[Kind::DriverNotLoaded, Kind::BoundTo]],
    assess,
};

fn assess(case: &Case) -> Vec<Finding> {
    if given::maker_in_use(case.facts) != Some("Intel") {
        return Vec::new();
    }
    let gpus = given::of_vendor(case.facts, "0x8086");
    let undriven = gpus.iter().find(|gpu| case.facts.look(&pci::DRIVER, gpu).is_absent());
    let all = gpus.iter().all(|gpu| case.facts.look(&pci::DRIVER, gpu).is_absent());
    if let Some(gpu) = undriven.filter(|_| all) {
        let text = format!("no driver is bound to {} ({})", given::name(case.facts, gpu), gpu.id);
        return vec![Finding::machine(Level::Decided).because_of(&case.facts.look(&pci::DRIVER, gpu), text)];
    }
    let runtime = case.facts.machine(&makers::LEVEL_ZERO);
    if !runtime.is_absent() || !case.has(Kind::FrameworkSeesNoGpu) {
        return Vec::new();
    }
    // An environment may bring a runtime of its own, so the system's absence alone does not decide.
    let finding = Finding::machine(Level::Supported)
        .because_of(&runtime, "the loader finds no libze_intel_gpu.so.1, Intel's compute runtime")
        .unknown(
            "whether any Level Zero runtime is there",
            "ldconfig -p | grep -E 'libze_(intel_gpu|loader)'",
            &["intel-driver-not-installed", "intel-xpu-device-permission"],
        );
    vec![finding]
}
