//! /dev/kfd or a render node of an AMD GPU is refused to this user.

use super::refused_nodes;
use crate::causes::{Case, Cause, Finding};
use crate::checks::given;
use crate::symptom::AFTER_ACCESS;

/// The cause.
pub static CAUSE: Cause = Cause { page: include_str!("rocm-device-permission.md"), explains: &[AFTER_ACCESS], assess };

fn assess(case: &Case) -> Vec<Finding> {
    if given::maker_in_use(case.facts) != Some("AMD") {
        return Vec::new();
    }
    let finding = refused_nodes::finding(case).map(|finding| {
        let ask = "ls -ln /dev/kfd /dev/dri/renderD*; id";
        finding.unknown("who may open the nodes", ask, &["rocm-device-permission", "rocm-device-nodes-missing"])
    });
    finding.into_iter().collect()
}
