//! Owner, group and mode of the nodes keep this user out: EACCES.

use crate::causes::{Case, Cause, Finding, Level, seen};
use crate::facts::host::{self, User};
use crate::facts::kernel::{self, Node};
use crate::symptom::AFTER_ACCESS;

/// The cause.
pub static CAUSE: Cause = Cause { page: include_str!("device-node-permission.md"), explains: &[AFTER_ACCESS], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let facts = case.facts;
    let refused = seen::refused(case, "EACCES");
    if refused.is_empty() {
        return Vec::new();
    }
    let user = facts.value(&host::USER);
    let described = refused.iter().find_map(|(subject, _)| Some((subject, facts.look(&kernel::NODE, subject).seen()?)));
    let level = match (&described, &user) {
        (Some((_, node)), Some(user)) if !allows(node, user) => Level::Decided,
        // The bits would let this user in: something else refuses, as SELinux or a mount with `nodev`.
        (Some(_), Some(_)) => Level::Possible,
        _ => Level::Supported,
    };
    let (first, fact) = &refused[0];
    let mut finding = Finding::machine(level)
        .with("node", first.id.clone())
        .because(crate::checks::Evidence::of(fact, format!("opening {} gives EACCES", first.id)));
    if let Some((subject, node)) = &described {
        let group = node.group.clone().unwrap_or_else(|| node.gid.to_string());
        let text = format!("{} has mode {}, owner {}, group {group}", subject.id, node.mode, node.uid);
        finding = finding.because_of(&facts.look(&kernel::NODE, subject), text);
        // Joining the group helps where it may do more than everybody, and is not root's own.
        let by_group = mode(node) >> 3 & 6 == 6 && node.gid != 0;
        finding = finding.with("mode", node.mode.clone()).with("group", group);
        finding = finding.tagged(match (level, by_group) {
            (Level::Possible, _) => "otherwise",
            (_, true) => "bygroup",
            (_, false) => "bymode",
        });
    } else {
        finding = finding.with("mode", "unknown").with("group", "unknown").tagged("otherwise");
    }
    if let Some(user) = &user {
        let groups: Vec<String> =
            user.groups.iter().map(|(gid, name)| name.clone().unwrap_or_else(|| gid.to_string())).collect();
        let text = format!("this process runs as user {}, in the groups {}", user.uid, groups.join(", "));
        finding = finding.because_of(&facts.machine(&host::USER), text);
    }
    if level != Level::Decided {
        finding = finding.unknown(
            "who may open the nodes, and whether SELinux refuses them",
            "ls -lZ /dev/nvidia*; id; getenforce",
            &["device-node-permission", "selinux-denies-device"],
        );
    }
    vec![finding]
}

/// Whether the permission bits let a user read and write.
pub fn allows(node: &Node, user: &User) -> bool {
    let bits = mode(node);
    let in_group = user.gid == node.gid || user.groups.iter().any(|(gid, _)| *gid == node.gid);
    user.uid == 0
        || match (user.uid == node.uid, in_group) {
            (true, _) => bits >> 6 & 6 == 6,
            (_, true) => bits >> 3 & 6 == 6,
            _ => bits & 6 == 6,
        }
}

fn mode(node: &Node) -> u32 {
    u32::from_str_radix(&node.mode, 8).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(mode: &str, gid: u32) -> Node {
        Node { kind: "char".into(), major: 195, minor: 255, mode: mode.into(), uid: 0, gid, group: None }
    }

    #[test]
    fn the_bits_of_the_class_that_applies_decide() {
        let user = User { uid: 1000, gid: 1000, groups: vec![(1000, None), (44, Some("video".into()))] };
        assert!(allows(&node("666", 0), &user));
        assert!(allows(&node("660", 44), &user));
        assert!(!allows(&node("660", 0), &user));
        assert!(!allows(&node("606", 44), &user));
        let root = User { uid: 0, gid: 0, groups: vec![] };
        assert!(allows(&node("600", 0), &root));
    }
}
