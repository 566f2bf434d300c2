//! Python and its frameworks: which interpreters are asked, what they are asked, and what their answers mean as facts.
//!
//! The question is `probe.py`, run by the interpreter itself; it documents the stages.

mod choose;
mod parse;

pub use choose::{Candidate, choose};
pub use parse::parse;

use crate::machine::child::Spec;
use std::time::Duration;

const SCRIPT: &str = include_str!("probe.py");

/// An interpreter that is to be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// The program.
    pub path: std::path::PathBuf,
    /// Why this one: `--python`, `VIRTUAL_ENV`, `CONDA_PREFIX`, `.venv`, `PATH`.
    pub by: &'static str,
}

impl Chosen {
    /// The child that asks it. The caller says which variables an experiment takes away.
    pub fn spec(&self, limit: Duration) -> Spec {
        // -B: nothing is written into the environment.
        Spec::stages(&self.path, limit).arguments(["-B", "-c", SCRIPT])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_fits_into_a_command_line_of_windows() {
        // 32,767 characters in all, and each quote takes another one; some room is for the program's path.
        let quotes = SCRIPT.matches(['"', '\\']).count();
        assert!(SCRIPT.len() + quotes < 32_000, "{} and {quotes}", SCRIPT.len());
    }
}
