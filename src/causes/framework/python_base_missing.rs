//! The Python under a virtual environment is gone.

use super::python_trouble::{all, finding, is_broken};
use crate::causes::{Case, Cause, Finding, Level};
use crate::symptom::Kind;

/// Its own program leads nowhere, or its `home` is no folder any more.
pub static CAUSE: Cause =
    Cause { page: include_str!("python-base-missing.md"), explains: &[&[Kind::PythonBroken]], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let found = all(case, "base_missing").into_iter();
    found
        .map(|(trouble, look, subject)| {
            // A copied program may go on without the folder that it came from.
            let level = if is_broken(case, &subject) { Level::Decided } else { Level::Possible };
            let missing = trouble.file.clone().unwrap_or_default();
            finding(case, &subject, &trouble, level)
                .because_of(&look, format!("{}, which is not there", trouble.detail))
                .with("missing", missing)
        })
        .collect()
}
