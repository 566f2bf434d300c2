//! The PCIe link has fewer lanes than GPU and slot could use. A low rate is not looked at: an idle link is slow on purpose.

use crate::causes::{Case, Cause, Finding, Level, page};
use crate::facts::{host, nvidia, pci};
use crate::subject::Subject;
use crate::symptom::Kind;

/// Copies to and from the GPU are slow; computing is not.
pub static CAUSE: Cause =
    Cause { page: include_str!("pcie-link-degraded.md"), explains: &[&[Kind::NarrowLink]], assess };

fn assess(case: &Case) -> Vec<Finding> {
    case.symptoms(Kind::NarrowLink).map(|o| about(case, &o.subject, o.symptom.code())).collect()
}

fn about(case: &Case, gpu: &Subject, code: &str) -> Finding {
    let nvml = case.facts.look(&nvidia::NVML_PCIE, gpu);
    let sysfs = case.facts.look(&pci::LINK, gpu);
    let virtual_machine = case.facts.value(&host::VIRTUALIZATION).is_some();
    // NVML's maximum is that of GPU and system together; sysfs knows the GPU's own alone, and a slot may be wired with
    // fewer lanes by design. What a virtual machine shows of the bus is not the real link.
    let level = match nvml.fact().is_some() {
        _ if virtual_machine => Level::Possible,
        true => Level::Decided,
        false => Level::Supported,
    };
    let (now, most) = code.split_once(" of ").unwrap_or((code, "all"));
    let text = format!("the link runs with {now}, and could with {most}");
    let mut finding = Finding::new(gpu, level).with("now", now).with("most", most);
    finding = match nvml.fact().is_some() {
        true => finding.because_of(&nvml, text),
        false => finding.because_of(&sysfs, text),
    };
    if level != Level::Decided {
        finding = finding.unknown(
            "how many lanes the slot has, and whether the width stays low under load",
            format!("cat /sys/bus/pci/devices/{}/../max_link_width", page::word(&gpu.id)),
            &["pcie-link-degraded"],
        );
    }
    finding
}
