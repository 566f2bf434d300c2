//! An interpreter that was chosen cannot be run, or is no Python.

use crate::causes::{Case, Cause, Finding, Level};
use crate::facts::python;
use crate::symptom::Kind;

/// Nothing about the environment can be known until its Python starts.
pub static CAUSE: Cause =
    Cause { page: include_str!("python-interpreter-broken.md"), explains: &[&[Kind::PythonBroken]], assess };

fn assess(case: &Case) -> Vec<Finding> {
    case.symptoms(Kind::PythonBroken)
        .map(|o| {
            let look = case.facts.look(&python::BROKEN, &o.subject);
            let why = look.clone().seen();
            let level = if why.is_some() { Level::Decided } else { Level::Generic };
            let why = why.unwrap_or_else(|| "it cannot be run".to_string());
            Finding::new(&o.subject, level)
                .because_of(&look, format!("{}: {why}", o.subject.id))
                .with("path", o.subject.id.clone())
                .with("why", why)
        })
        .collect()
}
