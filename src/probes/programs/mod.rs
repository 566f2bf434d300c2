//! Native programs that use a GPU by themselves.
//!
//! Of ollama only the log of its server and the list of processes are read: asking the server would be a connection, and its
//! client starts a server where none runs. llama.cpp is asked with `--list-devices`, which makes a context on each device and
//! is therefore started only when a computation is granted.

mod llama;
mod ollama;

use crate::facts::Facts;
use crate::facts::programs::{self as keys, Program};
use crate::machine::Machine;
use crate::machine::child::{End, Report, Spec};
use crate::subject::Subject;
use std::path::{Path, PathBuf};

/// A program to be asked, with the spec of the child.
pub struct Ask {
    /// Its file.
    pub path: PathBuf,
    /// The child.
    pub spec: Spec,
}

/// Looks for the programs, and reads what their servers wrote down. Gives back those that can be asked.
pub fn look(machine: &Machine, facts: &mut Facts) -> Vec<Ask> {
    if let Some(path) = found(machine, &["ollama"]) {
        ollama::look(machine, &path, facts);
    }
    let Some(path) = found(machine, &["llama-server", "llama-cli", "llama-bench"]) else { return Vec::new() };
    let subject = Subject::file(path.display().to_string());
    let program = Program { name: "llama.cpp".to_string(), running: None };
    facts.seen(&keys::PROGRAM, &subject, program, "PATH");
    if let Some(owner) = machine.owner_here(&path).filter(|uid| *uid != 0 && machine.user_here() == Some(0)) {
        let why = format!("this runs as root, and the program belongs to user {owner}");
        facts.failed(&keys::DEVICES, &subject, why, "PATH");
        return Vec::new();
    }
    vec![Ask { spec: Spec::text(&path, machine.limit).arguments(["--list-devices"]), path }]
}

/// What a program answered.
pub fn answered(path: &Path, report: &Report, facts: &mut Facts) {
    let subject = Subject::file(path.display().to_string());
    let source = format!("{} --list-devices", path.display());
    match (&report.end, llama::devices(&report.stdout).or_else(|| llama::devices(&report.stderr))) {
        (_, Some(devices)) => facts.seen(&keys::DEVICES, &subject, devices, source),
        (End::Exited(_), None) => facts.failed(&keys::DEVICES, &subject, "it does not know --list-devices", source),
        (_, None) => facts.failed(&keys::DEVICES, &subject, "it did not come to its end", source),
    }
}

/// Why the programs are not asked.
pub fn not_asked(asks: &[Ask], why: &str, facts: &mut Facts) {
    for ask in asks {
        facts.failed(&keys::DEVICES, &Subject::file(ask.path.display().to_string()), why, "--list-devices");
    }
}

/// The first of these programs on PATH.
fn found(machine: &Machine, names: &[&str]) -> Option<PathBuf> {
    names.iter().find_map(|name| machine.programs(name).into_iter().next())
}
