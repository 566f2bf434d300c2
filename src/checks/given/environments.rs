//! The Python environments, as several checks and rules need them.

use crate::facts::{Facts, python};
use crate::subject::{Kind, Subject};

/// What is known of an environment, from its interpreter or, where that was not asked, from its files.
#[derive(Clone, Debug)]
pub struct Python {
    /// The interpreter.
    pub path: String,
    /// `3.11.7`, or `3.11`.
    pub version: Option<String>,
    /// Who manages packages there.
    pub manager: String,
    /// 32 or 64, where it is known.
    pub bits: Option<u32>,
    /// What sets it apart from the usual CPython: `free-threaded`, `musl`, `pypy`, `graalpy`.
    pub kind: Option<String>,
}

/// The Python of the environment with this prefix, or whose interpreter has this path.
pub fn python(facts: &Facts, prefix: &str) -> Option<Python> {
    let subject = Subject::environment(prefix);
    if let Some(i) = facts.look(&python::INTERPRETER, &subject).seen() {
        let version = Some(i.version);
        return Some(Python { path: i.path, version, manager: i.manager, bits: Some(i.bits), kind: i.kind });
    }
    let (e, _) = environment(facts, &subject)?;
    Some(Python { path: e.path, version: e.version, manager: e.manager, bits: e.bits, kind: e.kind })
}

/// The environment that a subject is, or that it lives in; also where it is named by the path of its interpreter.
pub fn environment(facts: &Facts, subject: &Subject) -> Option<(python::Environment, Subject)> {
    let id = match (subject.framework_parts(), subject.kind) {
        (Some((_, prefix)), _) => prefix,
        (None, Kind::Environment) => &subject.id,
        _ => return None,
    };
    facts
        .all(&python::ENVIRONMENT)
        .find(|(environment, fact)| fact.subject.id == id || environment.path == id)
        .map(|(environment, fact)| (environment, fact.subject.clone()))
}

/// Whether a subject is, or lives in, an environment in which a program started here would not run: one of those that
/// `--all-envs` shows. It has no say in the verdict.
pub fn out_of_use(facts: &Facts, subject: &Subject) -> bool {
    environment(facts, subject).is_some_and(|(environment, _)| !environment.in_use)
}

/// How people call an environment: its best name, and where that does not tell the place, its prefix.
pub fn called(environment: &python::Environment, prefix: &str) -> String {
    match environment.names.first() {
        None => prefix.to_string(),
        // `.venv of /home/u/project` is the whole path in other words.
        Some(name) if name.split_once(" of ").is_some_and(|(last, folder)| prefix == format!("{folder}/{last}")) => {
            name.clone()
        }
        Some(name) => format!("{name} ({prefix})"),
    }
}
