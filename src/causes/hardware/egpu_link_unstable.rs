//! A GPU behind an external port was lost after errors of its link.

use crate::causes::{Case, Cause, Finding, Level, seen};
use crate::checks::Evidence;
use crate::facts::pci;
use crate::symptom::{AFTER_KERNEL_DRIVER, Kind};

const MORE: &[Kind] = &[
    Kind::GpuNotAnswering,
    Kind::NvmlDevice,
    Kind::NvmlFewer,
    Kind::CudaFewer,
    Kind::FewerGpusThanExpected,
    Kind::Xid,
];

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("egpu-link-unstable.md"), explains: &[AFTER_KERNEL_DRIVER, MORE], assess };

/// Errors of a PCIe link, as the kernel reports them.
pub const LINK_ERRORS: &[&str] =
    &["pcie bus error", "aer: corrected error", "aer: uncorrected", "aer: multiple", "link is down", "surprise down"];

fn assess(case: &Case) -> Vec<Finding> {
    let external: Vec<_> = case.facts.all(&pci::REMOVABLE).filter(|(removable, _)| *removable).collect();
    let errors = seen::log_lines(case, LINK_ERRORS);
    let lost = !seen::log_lines(case, &["fallen off the bus"]).is_empty()
        || case.has(Kind::GpuNotAnswering)
        || case.symptoms(Kind::NvmlDevice).any(|o| o.symptom.code() == "15");
    let Some((_, port)) = external.first().filter(|_| lost) else { return Vec::new() };
    let level = if errors.is_empty() { Level::Possible } else { Level::Supported };
    let mut finding = Finding::machine(level).because(Evidence::of(port, "the GPU stands behind an external port"));
    for (line, fact) in errors.iter().take(3) {
        finding = finding.because(Evidence::of(fact, format!("kernel log: {line}")));
    }
    vec![finding.unknown(
        "whether errors of the link stand before the loss",
        "sudo journalctl -k -b | grep -iE 'pcie bus error|aer|xid|link is down'",
        &["egpu-link-unstable", "gpu-fell-off-bus"],
    )]
}
