//! The render node of an Intel GPU is refused to this user.

use super::refused_nodes;
use crate::causes::{Case, Cause, Finding};
use crate::checks::given;
use crate::symptom::AFTER_ACCESS;

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("intel-xpu-device-permission.md"), explains: &[AFTER_ACCESS], assess };

fn assess(case: &Case) -> Vec<Finding> {
    if given::maker_in_use(case.facts) != Some("Intel") {
        return Vec::new();
    }
    let finding = refused_nodes::finding(case).map(|finding| {
        let ask = "ls -ln /dev/dri; id; getfacl /dev/dri/renderD128";
        finding.unknown("who may open the node", ask, &["intel-xpu-device-permission", "intel-driver-not-installed"])
    });
    finding.into_iter().collect()
}
