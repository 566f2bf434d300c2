//! An interpreter that is made for another processor.

use super::python_trouble::{all, finding, is_broken};
use crate::causes::{Case, Cause, Finding, Level};
use crate::symptom::Kind;

/// The header of the program says so, and it does not start.
pub static CAUSE: Cause =
    Cause { page: include_str!("python-wrong-architecture.md"), explains: &[&[Kind::PythonBroken]], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let found = all(case, "architecture").into_iter();
    // Where an emulator is installed it starts all the same.
    found
        .filter(|(_, _, subject)| is_broken(case, subject))
        .map(|(trouble, look, subject)| {
            finding(case, &subject, &trouble, Level::Decided).because_of(&look, trouble.detail.clone())
        })
        .collect()
}
