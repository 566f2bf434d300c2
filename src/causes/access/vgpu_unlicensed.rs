//! The virtual GPU holds no licence: the driver slows it down, and then refuses to compute.

use super::vgpu;
use crate::causes::{Case, Cause, Finding, Level, Occurrence};
use crate::checks::given;
use crate::facts::nvidia;
use crate::report::Severity;
use crate::symptom::{AFTER_CUINIT, Kind};

/// The cause.
pub static CAUSE: Cause = Cause { page: include_str!("vgpu-unlicensed.md"), explains: &[AFTER_CUINIT], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let facts = case.facts;
    let mut findings = Vec::new();
    for (licensed, fact) in facts.all(&nvidia::NVML_VGPU_LICENSED) {
        let gpu = &fact.subject;
        let name = given::name(facts, gpu);
        if licensed || matches!(vgpu::series(&name), Some('A' | 'B')) {
            continue;
        }
        let text = format!("NVML says that {name} holds no licence");
        let finding =
            Finding::new(gpu, Level::Decided).with("name", name).because(crate::checks::Evidence::of(fact, text));
        let refused = refused(case);
        // It works, and will not for long.
        let finding = if refused.is_empty() { finding.severity(Severity::Warning) } else { finding };
        findings.push(finding.explaining(refused));
    }
    findings
}

/// Contexts and tensors that were refused.
fn refused(case: &Case) -> Vec<Occurrence> {
    let wanted = |o: &Occurrence| {
        let code = o.symptom.code();
        let refusal =
            ["46", "102", "801"].iter().any(|number| code == *number || code.ends_with(&format!(", {number}")));
        match o.symptom.kind {
            Kind::FrameworkSeesNoGpu => true,
            kind => AFTER_CUINIT.contains(&kind) && refusal,
        }
    };
    case.all_symptoms().filter(wanted).collect()
}
