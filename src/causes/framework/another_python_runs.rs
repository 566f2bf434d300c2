//! The environment that was looked at is called active, and a program may be started with another Python.

use super::python_trouble::{all, finding};
use crate::causes::{Case, Cause, Finding, Level};
use crate::report::Severity;

/// `python` on PATH, or uv in its project.
pub static CAUSE: Cause = Cause { page: include_str!("another-python-runs.md"), explains: &[], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let of = |kind: &'static str, tag: &'static str, starts: &'static str| {
        all(case, kind).into_iter().map(move |(trouble, look, subject)| {
            finding(case, &subject, &trouble, Level::Decided)
                .because_of(&look, format!("{starts} {}", trouble.detail))
                .with("other", trouble.detail.clone())
                .with("starts", starts)
                .tagged(tag)
                .severity(Severity::Note)
                .explaining(Vec::new())
        })
    };
    of("another_on_path", "on_path", "`python` starts")
        .chain(of("another_of_uv", "of_uv", "in this project `uv run` starts"))
        .collect()
}
