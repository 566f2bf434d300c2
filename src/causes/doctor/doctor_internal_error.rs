//! A check of the doctor itself broke.

use crate::causes::{Case, Cause, Finding, Level};
use crate::facts::cuda;
use crate::symptom::Kind;

/// The others went on; what this one would have said is not known.
pub static CAUSE: Cause =
    Cause { page: include_str!("doctor-internal-error.md"), explains: &[&[Kind::ProbeEnd]], assess };

fn assess(case: &Case) -> Vec<Finding> {
    case.symptoms(Kind::ProbeEnd)
        .filter(|o| {
            !["timed_out", "crashed", "exited", "not_started", "flooded"]
                .iter()
                .any(|h| o.symptom.code().starts_with(h))
        })
        .map(|o| {
            let what = match o.symptom.code() {
                "" => "a part of the doctor broke".to_string(),
                code => code.to_string(),
            };
            let look = case.facts.look(&cuda::PROBE_END, &o.subject);
            let detail = look.clone().seen().map(|end| end.detail);
            Finding::new(&o.subject, Level::Supported)
                .because_of(&look, detail.unwrap_or_else(|| what.clone()))
                .with("what", what)
                .explaining(vec![o.clone()])
        })
        .collect()
}
