//! The container toolkit was told to leave the device cgroup alone, so nodes are there and may not be opened.

use super::container_cgroup_device_access_lost::{YOUNG, duration, nodes, opened};
use crate::causes::{Case, Cause, Finding, Level, seen};
use crate::facts::{host, nvidia};
use crate::symptom::AFTER_ACCESS;

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("container-no-cgroups-setting.md"), explains: &[AFTER_ACCESS], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let facts = case.facts;
    // The setting belongs to NVIDIA's container toolkit, which these engines do without.
    let Some(container) = case.in_container().filter(|c| !matches!(c.engine.as_str(), "lxc" | "apptainer")) else {
        return Vec::new();
    };
    let refused = seen::refused(case, "EPERM");
    let age = facts.value(&host::CONTAINER_AGE);
    let level = match refused.is_empty() {
        // It fails from the first second on, and this container has not seen many.
        false if age.is_some_and(|s| s < YOUNG) => Level::Supported,
        false => Level::Possible,
        true if facts.value(&nvidia::NVML_INIT) == Some(999) && !opened(case) => Level::Possible,
        true => return Vec::new(),
    };
    let mut finding = Finding::machine(level).with("nodes", nodes(&refused));
    for (node, fact) in refused.iter().take(2) {
        finding = finding.because(crate::checks::Evidence::of(fact, format!("opening {} gives EPERM", node.id)));
    }
    let text = format!("this is a container ({})", container.signals.join(", "));
    finding = finding.because_of(&facts.machine(&host::CONTAINER), text);
    if let Some(age) = age {
        let text = format!("the container was started {} ago", duration(age));
        finding = finding.because_of(&facts.machine(&host::CONTAINER_AGE), text);
    }
    vec![finding.unknown(
        "what the container toolkit's configuration on the host says",
        "grep no-cgroups /etc/nvidia-container-runtime/config.toml",
        &["container-no-cgroups-setting", "container-cgroup-device-access-lost"],
    )]
}
