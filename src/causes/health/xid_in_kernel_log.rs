//! The kernel log holds Xids that nothing else explains: what the vendor wants done about them.

use crate::causes::{Case, Cause, Finding, Level, Occurrence};
use crate::checks::Evidence;
use crate::facts::kernel;
use crate::subject::Subject;
use crate::symptom::Kind;
use crate::tables::xid::{self, Action};

/// The name of last resort for an Xid.
pub static CAUSE: Cause = Cause { page: include_str!("xid-in-kernel-log.md"), explains: &[&[Kind::Xid]], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let mut subjects: Vec<Subject> = Vec::new();
    for o in case.symptoms(Kind::Xid) {
        if !subjects.contains(&o.subject) {
            subjects.push(o.subject);
        }
    }
    subjects.iter().map(|subject| about(case, subject)).collect()
}

fn about(case: &Case, subject: &Subject) -> Finding {
    let here: Vec<Occurrence> = case.symptoms(Kind::Xid).filter(|o| o.subject == *subject).collect();
    let numbers: Vec<u32> = here.iter().filter_map(|o| o.symptom.code().parse().ok()).collect();
    let mut finding = Finding::new(subject, Level::Generic);
    for (line, fact) in case.facts.all(&kernel::LOG_LINE) {
        let ours = |(number, address): (u32, Option<&str>)| {
            numbers.contains(&number) && address.map(Subject::gpu).unwrap_or_else(Subject::machine) == *subject
        };
        if finding.evidence.len() < 5 && xid::parse(&line).is_some_and(ours) {
            finding = finding.because(Evidence::of(fact, line.trim()));
        }
    }
    let named: Vec<String> = numbers
        .iter()
        .map(|n| xid::meaning(*n).map(|m| format!("{n} ({m})")).unwrap_or_else(|| n.to_string()))
        .collect();
    let named = if named.is_empty() { "an unknown number".to_string() } else { named.join(", ") };
    let action = numbers.iter().filter_map(|n| xid::action(*n)).max_by_key(|a| weight(*a));
    if let Some(tag) = action.map(tag) {
        finding = finding.tagged(tag);
    }
    let wants = action.map(Action::describe).unwrap_or("look the number up in NVIDIA's Xid catalogue");
    finding
        .with("xids", named)
        .with("wants", wants)
        .unknown(
            "whether the Xid comes again, with other programs, on the same GPU",
            "sudo journalctl -k --since '-30 days' | grep Xid",
            &["xid-in-kernel-log", "ecc-uncorrectable-error"],
        )
        .explaining(here)
}

/// The action that includes the others counts.
fn weight(action: Action) -> u32 {
    match action {
        Action::Ignore => 0,
        Action::RestartProgram => 1,
        Action::Workflow => 2,
        Action::CheckUvm => 3,
        Action::UpdateSoftware => 4,
        Action::RestartVm => 5,
        Action::ResetGpu => 6,
        Action::PowerCable => 7,
        Action::Reboot => 8,
    }
}

fn tag(action: Action) -> &'static str {
    match action {
        Action::Ignore => "ignore",
        Action::RestartProgram => "restart_program",
        Action::Workflow => "workflow",
        Action::CheckUvm => "check_uvm",
        Action::UpdateSoftware => "update",
        Action::RestartVm => "restart_vm",
        Action::ResetGpu => "reset",
        Action::PowerCable => "power_cable",
        Action::Reboot => "reboot",
    }
}
