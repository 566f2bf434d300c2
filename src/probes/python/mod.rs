//! Python and its frameworks: which interpreters are asked, what they are asked, and what their answers mean as facts.
//!
//! The question is `probe.py`, run by the interpreter itself; it documents the stages.

pub mod environments;
mod parse;

pub use environments::{Environments, Found, Kernel, find, kernel};
pub use parse::parse;

use crate::machine::child::Spec;
use std::time::Duration;

const SCRIPT: &str = include_str!("probe.py");

/// An interpreter that is to be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// The program.
    pub path: std::path::PathBuf,
    /// Why this one; of [`REASONS`].
    pub by: &'static str,
    /// Variables that it is started with: those of a notebook's kernel.
    pub variables: Vec<(String, String)>,
}

/// Why an interpreter can have been chosen.
pub const REASONS: &[&str] = &[
    "--python",
    "--kernel",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    ".venv",
    "uv project",
    "pixi project",
    "pdm project",
    "poetry project",
    "hatch project",
    "PATH",
    "--all-envs",
];

impl Chosen {
    /// An interpreter, without variables of its own.
    pub fn new(path: &std::path::Path, by: &'static str) -> Chosen {
        Chosen { path: path.to_path_buf(), by, variables: Vec::new() }
    }

    /// The child that asks it. The caller says which variables an experiment takes away.
    pub fn spec(&self, limit: Duration) -> Spec {
        // -B: nothing is written into the environment.
        let spec = Spec::stages(&self.path, limit).arguments(["-B", "-c", SCRIPT]);
        self.variables.iter().fold(spec, |spec, (name, value)| spec.set(name, value))
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
