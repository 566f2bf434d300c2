//! /dev/kfd, which ROCm opens first, is not there.

use crate::causes::{Case, Cause, Finding, Level};
use crate::checks::given;
use crate::facts::{host, kernel, pci};
use crate::subject::Subject;
use crate::symptom::{AFTER_ACCESS, Kind};

/// The cause.
pub static CAUSE: Cause = Cause {
    page: include_str!("rocm-device-nodes-missing.md"),
    explains: &[AFTER_ACCESS, &[Kind::DriverNotLoaded]],
    assess,
};

fn assess(case: &Case) -> Vec<Finding> {
    let missing = case
        .symptoms(Kind::NodeMissing)
        .find(|o| o.symptom.code() == "kfd" || o.symptom.code().starts_with("dri/renderD"));
    let ours = given::maker_in_use(case.facts) == Some("AMD");
    let undriven = case.symptoms(Kind::DriverNotLoaded).any(|o| o.symptom.code() == "amdgpu");
    let Some(missing) = missing.filter(|_| ours) else { return Vec::new() };
    let node = case.facts.look(&kernel::NODE_OPEN, &missing.subject);
    let container = case.facts.machine(&host::CONTAINER);
    let level = if container.clone().seen().is_some() || undriven { Level::Decided } else { Level::Supported };
    let mut finding =
        Finding::machine(level).because_of(&node, format!("there is no {}", missing.subject.id)).because_of(
            &container,
            match container.clone().seen() {
                Some(c) => format!("this is a container ({})", c.engine),
                None => "this is no container".to_string(),
            },
        );
    let gpus: Vec<Subject> = given::of_vendor(case.facts, "0x1002");
    if let Some(gpu) = gpus.first() {
        let driver = case.facts.look(&pci::DRIVER, gpu);
        let text = match driver.clone().seen() {
            Some(name) => format!("{} is on the bus, driven by {name}", given::name(case.facts, gpu)),
            None => format!("{} is on the bus, and no driver is bound to it", given::name(case.facts, gpu)),
        };
        finding = finding.because_of(&driver, text);
    }
    vec![finding.unknown(
        "whether the host has the nodes, and whether they were passed on",
        "ls -l /dev/kfd /dev/dri; lsmod | grep amdgpu",
        &["rocm-device-nodes-missing", "rocm-device-permission"],
    )]
}
