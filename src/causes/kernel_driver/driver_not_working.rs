//! The driver cannot be reached, and nothing says why: a name for it, until a better one is found.

use crate::causes::{Case, Cause, Finding, Level, Occurrence, seen};
use crate::checks::given::{self, Platform};
use crate::facts::{host, kernel, nvidia};
use crate::subject::Subject;
use crate::symptom::{AFTER_KERNEL_DRIVER, Kind};

const MORE: &[Kind] = &[Kind::NvmlDevice, Kind::FewerGpusThanExpected];

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("driver-not-working.md"), explains: &[AFTER_KERNEL_DRIVER, MORE], assess };

/// What says that the driver as a whole cannot be reached.
const OF_THE_MACHINE: &[Kind] =
    &[Kind::DriverNotLoaded, Kind::NodeOpen, Kind::NodeMissing, Kind::SmiFails, Kind::NvmlMissing, Kind::NvmlInit];
/// What says that it does not serve one GPU.
const OF_A_GPU: &[Kind] = &[Kind::BoundTo, Kind::Unclaimed, Kind::NvmlDevice, Kind::NvmlFewer];

fn assess(case: &Case) -> Vec<Finding> {
    // Where no GPU is known of, a driver is not to blame.
    let a_gpu = !given::expected(case.facts).is_empty() || given::platform(case.facts) != Platform::Bus;
    let a_mac = case.value(&host::OS).as_deref() == Some("macos");
    if !a_gpu || a_mac {
        return Vec::new();
    }
    let works = case.value(&nvidia::NVML_INIT) == Some(0);
    let mut findings = Vec::new();
    let machine = case.all_symptoms().find(|o| OF_THE_MACHINE.contains(&o.symptom.kind));
    if let Some(first) = machine.filter(|o| !works || o.symptom.kind != Kind::NodeMissing) {
        findings.push(Finding::machine(Level::Generic).with("first", in_words(case, &first)));
    }
    let mut gpus: Vec<Subject> =
        case.all_symptoms().filter(|o| OF_A_GPU.contains(&o.symptom.kind)).map(|o| o.subject).collect();
    gpus.dedup();
    for finding in seen::about_gpus(case, &gpus, Level::Generic, &[AFTER_KERNEL_DRIVER, MORE]) {
        let first = case.all_symptoms().find(|o| gpus.contains(&o.subject) && OF_A_GPU.contains(&o.symptom.kind));
        findings.push(finding.with("first", first.map(|o| in_words(case, &o)).unwrap_or_default()));
    }
    findings.into_iter().map(|finding| explained(case, finding)).collect()
}

/// What the check said about a symptom.
fn in_words(case: &Case, occurrence: &Occurrence) -> String {
    let row = case.rows.iter().find(|row| row.id == occurrence.check && row.subject == occurrence.subject);
    row.map(|row| row.summary.clone()).unwrap_or_else(|| occurrence.symptom.to_string())
}

fn explained(case: &Case, mut finding: Finding) -> Finding {
    let facts = case.facts;
    match seen::nvidia_loaded(case) {
        Some(false) => {
            finding = finding.because_of(&facts.machine(&kernel::MODULES), "the nvidia module is not loaded");
            finding = finding.tagged("not_loaded");
        }
        Some(true) if facts.look(&kernel::NODE, &Subject::file("/dev/nvidiactl")).is_absent() => {
            let look = facts.look(&kernel::NODE, &Subject::file("/dev/nvidiactl"));
            finding = finding.because_of(&look, "the nvidia module is loaded, and there is no /dev/nvidiactl");
            finding = finding.tagged("nodes_missing");
        }
        _ => {}
    }
    if let Some(code) = facts.value(&nvidia::NVML_INIT).filter(|code| *code != 0) {
        let name = crate::tables::nvml_errors::name(code);
        finding = finding.because_of(&facts.machine(&nvidia::NVML_INIT), format!("nvmlInit gives {code} ({name})"));
    }
    if super::kernel_module_not_loaded::wrong_flavour(case) {
        let text = "the module is of a flavour (open or closed) that does not serve this generation of GPUs";
        finding = finding.because_of(&facts.machine(&kernel::MODINFO), text);
    }
    for (line, fact) in seen::log_lines(case, &["nvrm"]).iter().take(3) {
        finding = finding.because(crate::checks::Evidence::of(fact, format!("kernel log: {line}")));
    }
    if let Some(why) = facts.machine(&kernel::LOG).why_failed() {
        let text = format!("the kernel log could not be read: {why}");
        finding = finding.because_of(&facts.machine(&kernel::LOG), text);
    }
    finding.unknown(
        "what the driver says in the kernel log",
        "sudo journalctl -k -b | grep -iE 'nvrm|nvidia|nouveau'",
        &[
            "kernel-module-not-loaded",
            "secure-boot-unsigned-module",
            "gpu-too-old-for-driver-branch",
            "gpu-fell-off-bus",
        ],
    )
}
