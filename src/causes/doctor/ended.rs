//! The ends of probes, as findings.

use crate::causes::{Case, Finding, Level, Occurrence};
use crate::facts::{Look, cuda};
use crate::subject::{Kind as SubjectKind, Subject};
use crate::symptom::Kind;

/// A finding, and the stage, for every symptom whose way of ending is meant.
pub fn findings(case: &Case, meant: impl Fn(&str) -> bool) -> Vec<(Finding, String)> {
    let mut found = Vec::new();
    for o in case.symptoms(Kind::ProbeEnd) {
        let (how, stage) = o.symptom.code().split_once(", ").unwrap_or((o.symptom.code(), ""));
        if !meant(how) {
            continue;
        }
        let look = case.facts.look(&cuda::PROBE_END, &o.subject);
        let detail = match &look {
            Look::Seen(end, _) => end.detail.clone(),
            _ => format!("{} ended: {how}", o.subject.id),
        };
        let level = if look.fact().is_some() { Level::Decided } else { Level::Generic };
        let stage = if stage.is_empty() { "start" } else { stage }.to_string();
        let probe = match o.subject.kind {
            SubjectKind::Framework | SubjectKind::Environment => "python".to_string(),
            _ => o.subject.id.clone(),
        };
        let finding = Finding::new(&o.subject, level)
            .because_of(&look, detail.clone())
            .with("probe", probe)
            .with("stage", stage.clone())
            .with("detail", detail)
            .tagged(tag(how))
            .explaining(vec![o.clone()]);
        found.push((finding, stage));
    }
    found
}

/// What libcuda does to the doctor's own probe it does to a framework that loads it: no second fault.
pub fn with_frameworks(case: &Case, mut finding: Finding, how: &str) -> Finding {
    if finding.subject != Subject::probe("cuda") {
        return finding;
    }
    let of_framework = |o: &Occurrence| {
        let same = match o.symptom.kind {
            Kind::ProbeEnd => o.symptom.code().split(", ").next() == Some(how),
            Kind::FrameworkImport => o.symptom.code() == how,
            _ => false,
        };
        same && o.subject.kind == SubjectKind::Framework
    };
    if let Some(list) = &mut finding.explains {
        list.extend(case.all_symptoms().filter(of_framework));
    }
    finding
}

fn tag(how: &str) -> &'static str {
    match how {
        "timed_out" => "timed_out",
        "crashed" => "crashed",
        "exited" => "exited",
        "flooded" => "flooded",
        _ => "not_started",
    }
}
