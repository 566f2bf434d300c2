//! Native programs that use a GPU by themselves.
//!
//! Of ollama the log of its server and the list of processes are read. Where its server listens on this machine, `ollama ps`
//! is asked which models lie where: it speaks to the loopback address that it is given and to nobody else. llama.cpp is asked
//! with `--list-devices`, which makes a context on each device and is therefore started only when a computation is granted.

mod llama;
mod ollama;
mod sockets;

use crate::facts::Facts;
use crate::facts::programs::{self as keys, Program};
use crate::machine::Machine;
use crate::machine::child::{End, Report, Spec};
use crate::subject::Subject;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Longest time for what only reads: an answer takes a few milliseconds.
const READING: Duration = Duration::from_secs(10);

/// What a child is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// `llama-server --list-devices`.
    Devices,
    /// `ollama ps`.
    Models,
    /// `journalctl -u ollama`.
    Log,
}

/// A program to be asked, with the spec of the child.
pub struct Ask {
    /// The file of the program that the answer is about.
    pub path: PathBuf,
    /// The child.
    pub spec: Spec,
    /// What it is asked.
    pub question: Question,
}

impl Ask {
    /// Whether the child makes a context on the devices.
    pub fn computes(&self) -> bool {
        self.question == Question::Devices
    }

    fn subject(&self) -> Subject {
        Subject::file(self.path.display().to_string())
    }

    /// The child as a person would type it.
    pub fn label(&self) -> String {
        let words = self.spec.arguments.iter().map(|word| word.to_string_lossy());
        words.fold(self.spec.program.display().to_string(), |line, word| format!("{line} {word}"))
    }
}

/// Looks for the programs, and reads what their servers wrote down. Gives back those that can be asked.
pub fn look(machine: &Machine, facts: &mut Facts) -> Vec<Ask> {
    let mut asks = Vec::new();
    if let Some(path) = found(machine, &["ollama"]) {
        asks.extend(ollama::look(machine, &path, facts));
    }
    if let Some(path) = found(machine, &["llama-server", "llama-cli", "llama-bench"]) {
        let subject = Subject::file(path.display().to_string());
        let program = Program { name: "llama.cpp".to_string(), running: None };
        facts.seen(&keys::PROGRAM, &subject, program, "PATH");
        match of_another_user(machine, &path) {
            Some(why) => facts.failed(&keys::DEVICES, &subject, why, "PATH"),
            None => asks.push(Ask {
                spec: Spec::text(&path, machine.limit).arguments(["--list-devices"]),
                path,
                question: Question::Devices,
            }),
        }
    }
    asks
}

/// What a program answered.
pub fn answered(ask: &Ask, report: &Report, facts: &mut Facts) {
    let (subject, source) = (ask.subject(), ask.label());
    match ask.question {
        Question::Models => ollama::models_said(&subject, report, &source, facts),
        Question::Log => ollama::journal_said(&subject, report, &source, facts),
        Question::Devices => {
            match (&report.end, llama::devices(&report.stdout).or_else(|| llama::devices(&report.stderr))) {
                (_, Some(devices)) => facts.seen(&keys::DEVICES, &subject, devices, source),
                (End::Exited(_), None) => {
                    facts.failed(&keys::DEVICES, &subject, "it does not know --list-devices", source)
                }
                (_, None) => facts.failed(&keys::DEVICES, &subject, "it did not come to its end", source),
            }
        }
    }
}

/// Why a program that would compute is not asked.
pub fn not_asked(ask: &Ask, why: &str, facts: &mut Facts) {
    facts.failed(&keys::DEVICES, &ask.subject(), why, "--list-devices");
}

/// The first of these programs on PATH.
fn found(machine: &Machine, names: &[&str]) -> Option<PathBuf> {
    names.iter().find_map(|name| machine.programs(name).into_iter().next())
}

/// Why root does not start this program.
fn of_another_user(machine: &Machine, path: &Path) -> Option<String> {
    let owner = machine.owner_here(path).filter(|uid| *uid != 0 && machine.user_here() == Some(0))?;
    Some(format!("this runs as root, and the program belongs to user {owner}"))
}
