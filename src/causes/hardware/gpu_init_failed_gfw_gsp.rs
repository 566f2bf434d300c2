//! The card answers on the bus and its own firmware does not start.

use crate::causes::{Case, Cause, Finding, Level, seen};
use crate::checks::Evidence;
use crate::symptom::{AFTER_KERNEL_DRIVER, Kind};

const MORE: &[Kind] = &[Kind::NvmlDevice, Kind::FewerGpusThanExpected];

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("gpu-init-failed-gfw-gsp.md"), explains: &[AFTER_KERNEL_DRIVER, MORE], assess };

/// What the driver says of the card's own boot (GFW), of the region that GSP is put into (WPR2), and of GSP itself.
const WORDS: &[&str] = &[
    "wpr2",
    "gfw",
    "cannot initialize gsp firmware",
    "kgspinitrm",
    "kgspbootstrap",
    "fwsec",
    "booter",
    "gsp_init_done",
    "rminitadapter failed! (0x62:",
    "rminitadapter failed! (0x61:",
];

fn assess(case: &Case) -> Vec<Finding> {
    let mut said = seen::log_lines(case, WORDS);
    said.retain(|(line, _)| line.contains("NVRM") || line.contains("nvidia"));
    let Some((first, _)) = said.first().cloned() else { return Vec::new() };
    // A region that is set already, or a boot that did not end, leaves no other reading.
    let words = first.to_lowercase();
    let sure = words.contains("wpr2 already up") || words.contains("gfw");
    let mut finding = Finding::machine(Level::Supported);
    for (line, fact) in said.iter().take(3) {
        finding = finding.because(Evidence::of(fact, format!("kernel log: {line}")));
    }
    if sure {
        finding = finding.tagged("region");
    }
    vec![finding.unknown(
        "whether the GPU starts after the machine was without power for a minute",
        "sudo poweroff",
        &["gpu-init-failed-gfw-gsp", "suspected-faulty-gpu"],
    )]
}
