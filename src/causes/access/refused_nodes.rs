//! What the causes about refused nodes of AMD and Intel share.

use super::device_node_permission::allows;
use crate::causes::{Case, Evidence, Finding, Level, seen};
use crate::facts::{host, kernel};

/// A finding about the nodes of other makers that were refused; nothing where none was.
pub fn finding(case: &Case) -> Option<Finding> {
    let mut refused = seen::refused_elsewhere(case, "EACCES");
    let by_rights = !refused.is_empty();
    if !by_rights {
        // A node that a device cgroup keeps from this container.
        refused = seen::refused_elsewhere(case, "EPERM");
    }
    let (first, _) = refused.first()?;
    let node = case.facts.look(&kernel::NODE, first);
    let user = case.facts.machine(&host::USER);
    let kept_out = match (node.clone().seen(), user.clone().seen()) {
        (Some(node), Some(user)) => !allows(&node, &user),
        _ => false,
    };
    let level = if by_rights && kept_out { Level::Decided } else { Level::Supported };
    let mut finding = Finding::machine(level);
    for (subject, fact) in refused.iter().take(3) {
        let errno = if by_rights { "EACCES" } else { "EPERM" };
        finding = finding.because(Evidence::of(fact, format!("opening {} gives {errno}", subject.id)));
    }
    if let Some(n) = node.clone().seen() {
        let group = n.group.clone().unwrap_or_else(|| n.gid.to_string());
        finding = finding.because_of(&node, format!("{} has mode {} and group {group}", first.id, n.mode));
    }
    if let Some(u) = user.clone().seen() {
        let groups: Vec<String> =
            u.groups.iter().map(|(gid, name)| name.clone().unwrap_or_else(|| gid.to_string())).collect();
        finding = finding.because_of(&user, format!("this process is in the groups {}", groups.join(", ")));
    }
    Some(finding)
}
