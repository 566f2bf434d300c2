//! EACCES although the mode bits would let the process in, under an enforcing SELinux: the policy refuses.

use super::device_node_permission::allows;
use crate::causes::{Case, Cause, Finding, Level, seen};
use crate::checks::Evidence;
use crate::facts::{host, kernel};
use crate::symptom::AFTER_ACCESS;

/// The cause.
pub static CAUSE: Cause = Cause { page: include_str!("selinux-denies-device.md"), explains: &[AFTER_ACCESS], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let facts = case.facts;
    let refused = seen::refused(case, "EACCES");
    let Some(((node, fact), user)) = refused.first().zip(facts.value(&host::USER)) else { return Vec::new() };
    let Some(described) = facts.look(&kernel::NODE, node).seen() else { return Vec::new() };
    if !allows(&described, &user) || described.kind != "char" {
        return Vec::new();
    }
    let mode = facts.machine(&host::SELINUX);
    let label = facts.machine(&host::SELINUX_LABEL);
    let domain = label.clone().seen().and_then(|label| label.split(':').nth(2).map(str::to_string));
    let confined = domain.as_deref().is_some_and(|domain| !domain.starts_with("unconfined"));
    let level = match (mode.clone().seen().as_deref(), confined) {
        (Some("permissive"), _) => return Vec::new(),
        (Some("enforcing"), true) => Level::Decided,
        // A container rarely shows the mode; a label of its own says that there is a policy.
        (_, true) => Level::Supported,
        (Some("enforcing"), false) => Level::Possible,
        _ => return Vec::new(),
    };
    let domain = domain.unwrap_or_else(|| "not known".to_string());
    let mut finding = Finding::machine(level)
        .with("node", node.id.clone())
        .with("domain", domain.clone())
        .because(Evidence::of(fact, format!("opening {} gives EACCES", node.id)))
        .because_of(&facts.look(&kernel::NODE, node), format!("its mode {} would let this user in", described.mode))
        .because_of(&mode, "SELinux is enforcing")
        .because_of(&label, format!("this process runs in the domain {domain}"));
    if level != Level::Decided {
        finding = finding.unknown(
            "whether SELinux refused it",
            "sudo ausearch -m avc -ts recent | grep -i nvidia",
            &["selinux-denies-device", "device-node-permission"],
        );
    }
    vec![finding]
}
