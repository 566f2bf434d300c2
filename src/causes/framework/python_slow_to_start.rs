//! An interpreter that needs seconds to start.

use super::python_trouble::{all, finding};
use crate::causes::{Case, Cause, Finding, Level};

/// The time to the first answer tells it.
pub static CAUSE: Cause = Cause { page: include_str!("python-slow-to-start.md"), explains: &[], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let found = all(case, "slow").into_iter();
    found
        .map(|(trouble, look, subject)| {
            finding(case, &subject, &trouble, Level::Decided)
                .because_of(&look, format!("the first answer came after {}", trouble.detail))
        })
        .collect()
}
