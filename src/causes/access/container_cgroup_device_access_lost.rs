//! The device cgroup refuses nodes that it once allowed: systemd took back what the container runtime had added.
//!
//! EPERM proves a device cgroup, not its history (NVIDIA/nvidia-container-toolkit issues 48 and 1227): this is never more
//! than likely.

use crate::causes::{Case, Cause, Finding, Level, seen};
use crate::facts::{host, nvidia};
use crate::symptom::AFTER_ACCESS;

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("container-cgroup-device-access-lost.md"), explains: &[AFTER_ACCESS], assess };

/// A container younger than this, in seconds, has hardly lived through a reload of systemd.
pub const YOUNG: u64 = 60;

fn assess(case: &Case) -> Vec<Finding> {
    let facts = case.facts;
    let refused = seen::refused(case, "EPERM");
    let container = case.in_container();
    let age = facts.value(&host::CONTAINER_AGE);
    let level = match (&container, refused.is_empty()) {
        (Some(_), false) if age.is_some_and(|s| s < YOUNG) => Level::Possible,
        (Some(_), false) if seen::job_without_gpu(case, "slurm") => Level::Possible,
        (Some(_), false) => Level::Supported,
        // A device cgroup without a container, as far as can be seen.
        (None, false) => Level::Possible,
        // The nodes were not opened, and this is how NVML answers EPERM.
        (Some(_), true) if facts.value(&nvidia::NVML_INIT) == Some(999) && !opened(case) => Level::Possible,
        _ => return Vec::new(),
    };
    let mut finding = Finding::machine(level);
    for (node, fact) in refused.iter().take(2) {
        finding = finding.because(crate::checks::Evidence::of(fact, format!("opening {} gives EPERM", node.id)));
    }
    if let Some(container) = &container {
        let text = format!("this is a container ({})", container.signals.join(", "));
        finding = finding.because_of(&facts.machine(&host::CONTAINER), text);
    }
    if let Some(age) = age {
        let text = format!("the container was started {} ago", duration(age));
        finding = finding.because_of(&facts.machine(&host::CONTAINER_AGE), text);
    }
    finding = finding.with("nodes", nodes(&refused));
    vec![finding.unknown(
        "whether the GPU worked earlier in this same container, and whether systemd on the host reloaded its units since",
        "journalctl --since '-7 days' | grep -iE 'Reloading|daemon-reload'",
        &["container-cgroup-device-access-lost", "container-no-cgroups-setting", "scheduler-no-gpu-allocated"],
    )]
}

/// Whether any node of the GPU was opened, with whatever result.
pub fn opened(case: &Case) -> bool {
    !case.facts.subjects_with(&crate::facts::kernel::NODE_OPEN).is_empty()
}

/// The names of the nodes, in one line.
pub fn nodes(refused: &[(crate::subject::Subject, &crate::facts::Fact)]) -> String {
    match refused.is_empty() {
        true => "the GPU's device nodes".to_string(),
        false => refused.iter().map(|(node, _)| node.id.as_str()).collect::<Vec<_>>().join(", "),
    }
}

/// `3 days`, `2 hours`, `5 minutes`, `12 seconds`.
pub fn duration(seconds: u64) -> String {
    let (count, unit) = match seconds {
        0..60 => (seconds, "second"),
        60..3600 => (seconds / 60, "minute"),
        3600..86400 => (seconds / 3600, "hour"),
        _ => (seconds / 86400, "day"),
    };
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn ages_in_words() {
        assert_eq!(duration(1), "1 second");
        assert_eq!(duration(119), "1 minute");
        assert_eq!(duration(7200), "2 hours");
        assert_eq!(duration(86400 * 3), "3 days");
    }
}
