//! The GPU is reserved for a virtual machine.

use crate::causes::{Case, Cause, Finding, Level, seen};
use crate::facts::{kernel, pci};
use crate::report::Severity;
use crate::subject::Kind as SubjectKind;
use crate::symptom::{AFTER_KERNEL_DRIVER, Kind};

const MORE: &[Kind] = &[Kind::FewerGpusThanExpected];

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("gpu-bound-to-vfio-pci.md"), explains: &[AFTER_KERNEL_DRIVER, MORE], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let gpus = seen::bound_to(case, &["vfio-pci"]);
    let mut findings = seen::about_gpus(case, &gpus, Level::Decided, &[AFTER_KERNEL_DRIVER, MORE]);
    for finding in &mut findings {
        let mut full = finding.clone();
        for gpu in gpus.iter().filter(|g| finding.subject.kind == SubjectKind::Machine || **g == finding.subject) {
            full = full.because_of(&case.facts.look(&pci::DRIVER, gpu), format!("vfio-pci holds {}", gpu.id));
            if let Some(device) = case.facts.look(&pci::DEVICE, gpu).seen() {
                full = full.with("ids", format!("10de:{}", device.trim_start_matches("0x")));
            }
        }
        let arguments = case.value(&kernel::ARGUMENTS).unwrap_or_default();
        if let Some(argument) = arguments.iter().find(|a| a.starts_with("vfio-pci.ids")) {
            let text = format!("the kernel was started with {argument}");
            full = full.because_of(&case.facts.machine(&kernel::ARGUMENTS), text).tagged("argument");
        }
        // Beside GPUs that this machine uses, giving one away is a choice.
        if finding.subject.kind == SubjectKind::Gpu && !case.has(Kind::FewerGpusThanExpected) {
            full = full.severity(Severity::Note);
        }
        *finding = full;
    }
    findings
}
