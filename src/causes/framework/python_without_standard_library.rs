//! An interpreter that does not find its own standard library.

use super::python_trouble::{all, finding, is_broken};
use crate::causes::{Case, Cause, Finding, Level};
use crate::symptom::Kind;

/// CPython's own words say so.
pub static CAUSE: Cause =
    Cause { page: include_str!("python-without-standard-library.md"), explains: &[&[Kind::PythonBroken]], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let found = all(case, "no_library").into_iter();
    found
        .map(|(trouble, look, subject)| {
            let home = trouble.detail.contains("PYTHONHOME");
            let level = if is_broken(case, &subject) { Level::Decided } else { Level::Supported };
            let finding =
                finding(case, &subject, &trouble, level).because_of(&look, format!("it ends with: {}", trouble.detail));
            if home { finding.tagged("pythonhome") } else { finding.tagged("incomplete") }
        })
        .collect()
}
