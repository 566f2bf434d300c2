//! Which Python environments there are. Files alone tell it: no tool is run, and nothing that is not there is an error.
//!
//! By default the one in use is found ([`in_use`]); on request also those that the tools keep ([`conda`], [`pyenv`], [`uv`],
//! [`pipx`], [`poetry`], [`virtualenvs`], [`kernels`]). One interpreter may be known under many names: it is listed once,
//! by its prefix, with all of them.

mod conda;
mod condition;
mod digest;
mod in_use;
mod kernels;
mod layout;
mod lines;
mod pipx;
mod poetry;
mod pyenv;
mod search;
mod trust;
mod uv;
mod virtualenvs;

pub use kernels::{Kernel, kernel};
pub use layout::{program_in, settings};

use super::Chosen;
use crate::facts::python::{Environment, Trouble};
use crate::facts::{Facts, python as keys};
use crate::machine::Machine;
use crate::probes::Plan;
use crate::subject::Subject;
use search::Search;
use std::path::{Path, PathBuf};

/// An environment that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Its folder, as its interpreter would call it (`sys.prefix`). Of a program that is no plain Python it is a guess.
    pub prefix: PathBuf,
    /// What its files tell.
    pub about: Environment,
    /// The interpreter that is asked, and why this one.
    pub chosen: Chosen,
    /// What is wrong with the interpreter as it lies there.
    pub troubles: Vec<Trouble>,
    /// Why the interpreter is not started, where it must not be.
    pub leave: Option<String>,
}

/// What a search gave.
#[derive(Clone, Debug, Default)]
pub struct Environments {
    /// Each environment once, the one in use first.
    pub all: Vec<Found>,
    /// Where the one in use was looked for, in words.
    pub looked: Vec<String>,
    /// Places that could not be looked through, each with the reason.
    pub unsearched: Vec<(PathBuf, String)>,
}

/// The environments that the plan asks for: those named by `--python` and `--kernel`, or else the one in use; with
/// `--all-envs` every other that is found as well.
pub fn find(machine: &Machine, plan: &Plan) -> Environments {
    if !machine.is_live() {
        return Environments::default();
    }
    let machine = machine.of_programs();
    let mut search = Search::new(&machine);
    for path in &plan.pythons {
        search.named(Chosen::new(path, "--python"), None);
    }
    for kernel in &plan.kernels {
        let chosen = Chosen { variables: kernel.variables.clone(), ..Chosen::new(&kernel.program, "--kernel") };
        search.named(chosen, Some(format!("kernel {}", kernel.name)));
    }
    in_use::find(&mut search, plan.all_environments);
    if plan.all_environments {
        let finders: [fn(&mut Search); 7] = [
            conda::find,
            virtualenvs::find,
            poetry::find,
            uv::find,
            pyenv::find,
            pipx::find,
            // Last, because the environments found so far hold kernels of their own.
            kernels::find,
        ];
        for finder in finders {
            finder(&mut search);
        }
    }
    search.end()
}

/// The troubles of an environment whose interpreter may be sound.
const ABOUT_IT: [&str; 3] = ["not_activated", "another_on_path", "another_of_uv"];

impl Environments {
    /// The environments as facts, one each.
    pub fn tell(&self, facts: &mut Facts) {
        if self.all.is_empty() && !self.looked.is_empty() {
            facts.seen(&keys::NONE_FOUND, &Subject::machine(), self.looked.clone(), "PATH");
        }
        for found in &self.all {
            facts.seen(&keys::ENVIRONMENT, &found.subject(), found.about.clone(), found.chosen.by);
            let path = &found.about.path;
            let by_path = Subject::environment(path);
            for trouble in &found.troubles {
                // What has no interpreter that could say its prefix goes by the path.
                let subject = if ABOUT_IT.contains(&trouble.kind.as_str()) { found.subject() } else { by_path.clone() };
                let source = trouble.file.clone().unwrap_or_else(|| path.clone());
                facts.seen(&keys::TROUBLE, &subject, trouble.clone(), source);
            }
            match &found.leave {
                // What is wanted and cannot be had is a failure; what is only listed is not.
                Some(why) if found.about.in_use || found.is_broken() => {
                    facts.seen(&keys::BROKEN, &by_path, why.clone(), path.clone());
                }
                Some(why) => facts.failed(&keys::INTERPRETER, &found.subject(), why, found.about.path.clone()),
                None => {}
            }
        }
        for (place, why) in &self.unsearched {
            let place = place.display().to_string();
            facts.seen(&keys::UNSEARCHED, &Subject::machine(), format!("{place}: {why}"), place);
        }
    }
}

impl Found {
    /// Whether nothing can come of starting the interpreter.
    pub fn is_broken(&self) -> bool {
        self.troubles.iter().any(|trouble| trouble.kind == "base_missing") && self.leave.is_some()
    }

    /// The environment as the subject of facts.
    pub fn subject(&self) -> Subject {
        Subject::environment(self.prefix.display().to_string())
    }
}

/// Of several programs of a name on PATH, the interpreters that it offers, the likeliest first.
pub fn on_path(machine: &Machine) -> Vec<PathBuf> {
    in_use::on_path(|name| machine.programs(name), cfg!(windows))
}

/// What a path and a name say together, for a person: `.venv of /home/u/project`.
fn of(what: &str, folder: &Path) -> String {
    format!("{what} of {}", folder.display())
}
