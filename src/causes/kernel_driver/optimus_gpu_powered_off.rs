//! A hybrid laptop's switcher keeps the NVIDIA GPU off, and nothing forbids the module.

use crate::causes::{Case, Cause, Finding, Level, seen};
use crate::checks::given;
use crate::facts::{host, kernel, pci};
use crate::symptom::{AFTER_KERNEL_DRIVER, Kind};

const MORE: &[Kind] = &[Kind::NoNvidiaGpu, Kind::FewerGpusThanExpected];

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("optimus-gpu-powered-off.md"), explains: &[AFTER_KERNEL_DRIVER, MORE], assess };

/// The switch that keeps the GPU off, in words, where one does.
pub fn switched_off(case: &Case) -> Option<String> {
    let switches = case.value(&host::GPU_SWITCH)?;
    let off = |name: &str, value: &str| match name {
        "bbswitch" => value == "OFF",
        "envycontrol" => value == "integrated",
        "supergfxctl" => value.eq_ignore_ascii_case("integrated"),
        "prime-select" => matches!(value, "off" | "intel" | "amd"),
        _ => false,
    };
    switches.iter().find(|(name, value)| off(name, value)).map(|(name, value)| format!("{name}: {value}"))
}

fn assess(case: &Case) -> Vec<Finding> {
    let facts = case.facts;
    let forbidden = case.value(&kernel::BLACKLIST_NVIDIA).is_some_and(|rules| !rules.is_empty());
    let waits = seen::waits_for_driver(case) || case.has(Kind::NoNvidiaGpu);
    if !waits || forbidden || case.in_container().is_some() {
        return Vec::new();
    }
    if let Some(switch) = switched_off(case) {
        let text = format!("the NVIDIA GPU is switched off ({switch})");
        let finding = Finding::machine(Level::Decided).because_of(&facts.machine(&host::GPU_SWITCH), text);
        return vec![finding.tagged(tag(&switch))];
    }
    let off = given::expected(facts).into_iter().find(|gpu| {
        facts.look(&pci::DRIVER, gpu).is_absent()
            && facts.look(&pci::POWER, gpu).seen().is_some_and(|power| power.state.as_deref() == Some("D3cold"))
    });
    let Some(gpu) = off else { return Vec::new() };
    let finding = Finding::machine(Level::Possible)
        .because_of(
            &facts.look(&pci::POWER, &gpu),
            format!("{} is off (D3cold), without a driver", given::name(facts, &gpu)),
        )
        .unknown(
            "whether a tool for hybrid graphics keeps it off",
            "prime-select query; envycontrol --query; supergfxctl --get; cat /proc/acpi/bbswitch",
            &["optimus-gpu-powered-off", "kernel-module-not-loaded", "runtime-d3-resume-failure"],
        );
    vec![finding]
}

fn tag(switch: &str) -> &'static str {
    match switch.split(':').next() {
        Some("bbswitch") => "bbswitch",
        Some("envycontrol") => "envycontrol",
        Some("supergfxctl") => "supergfxctl",
        _ => "prime",
    }
}
