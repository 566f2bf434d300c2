//! Code that looks at one source each, and has no opinion.
//!
//! [`run()`] looks at everything that a plan asks for, [`experiment()`] repeats one probe with one thing changed. Files are
//! read by this process ([`host`], [`pci`], [`kernel`], [`runtime`]); whatever may hang, crash or print runs in children.

mod acs;
pub mod child;
pub mod cuda;
mod experiment;
pub mod host;
pub mod kernel;
pub mod libtorch;
mod loading;
pub mod makers;
pub mod nodes;
pub mod nvml;
pub mod pci;
mod proc_pages;
pub mod programs;
pub mod python;
pub mod raw;
mod run;
pub mod runtime;
pub mod rust;
pub mod smi;

pub use experiment::{Which, experiment};
pub use run::run;

use crate::facts::cuda::{PROBE_END, ProbeEnd};
use crate::facts::{Facts, Variant};
use crate::machine::Machine;
use crate::machine::child::{End, Report, Spec, own_program};
use crate::subject::Subject;
use std::path::PathBuf;

/// What is to be looked at, and how far that may go.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Checks that are left out, by id. What only they need is not looked at.
    pub deselected: Vec<String>,
    /// Interpreters named by `--python`; otherwise the one in use is asked.
    pub pythons: Vec<PathBuf>,
    /// Kernels of notebooks named by `--kernel`, asked like those.
    pub kernels: Vec<python::Kernel>,
    /// Every other environment that is found is asked as well.
    pub all_environments: bool,
    /// Files are read, and nothing is started.
    pub quick: bool,
    /// The framework that has to work; where it is not installed, that is a fact.
    pub framework: Option<String>,
    /// No CUDA context is made.
    pub passive: bool,
    /// GPUs on which somebody else computes are used as well.
    pub busy: bool,
    /// The program that is started as `PROGRAM __probe NAME`; otherwise this one.
    pub program: Option<PathBuf>,
}

impl Plan {
    /// Whether any of these checks is to be judged.
    fn wants(&self, checks: &[&str]) -> bool {
        checks.iter().any(|check| !self.deselected.iter().any(|left| left == check))
    }

    /// A child of this program.
    fn own(&self, machine: &Machine) -> Spec {
        careful(Spec::stages(self.program.clone().unwrap_or_else(own_program), machine.limit))
    }
}

/// Who wants to know what is running. Called from one thread.
pub trait Progress {
    /// A probe begins.
    fn started(&self, probe: &str);
    /// A probe is over.
    fn finished(&self, probe: &str);
}

/// Nobody wants to know.
impl Progress for () {
    fn started(&self, _probe: &str) {}
    fn finished(&self, _probe: &str) {}
}

/// What every child gets: nothing is cached, nothing phones home, no framework takes all memory.
pub fn careful(spec: Spec) -> Spec {
    [
        ("CUDA_CACHE_DISABLE", "1"),
        ("PYTHONDONTWRITEBYTECODE", "1"),
        ("HF_HUB_OFFLINE", "1"),
        ("TRANSFORMERS_OFFLINE", "1"),
        ("HF_HUB_DISABLE_TELEMETRY", "1"),
        ("VLLM_NO_USAGE_STATS", "1"),
        ("DO_NOT_TRACK", "1"),
        ("XLA_PYTHON_CLIENT_PREALLOCATE", "false"),
        ("TF_FORCE_GPU_ALLOW_GROWTH", "true"),
        ("GPU_DOCTOR_PROBE", "1"),
    ]
    .into_iter()
    .fold(spec, |spec, (name, value)| spec.set(name, value))
}

/// The same child with the one thing changed that an experiment changes.
fn varied(spec: Spec, variant: Option<Variant>) -> Spec {
    let unset = |spec: Spec, names: &[&str]| names.iter().fold(spec, |spec, name| spec.unset(name));
    match variant {
        None => spec,
        Some(Variant::WithoutMasks) => unset(spec, experiment::MASKS),
        Some(Variant::WithoutLibraryPath) => unset(spec, experiment::LIBRARY_PATHS),
        Some(Variant::WithoutUserSite) => unset(spec, &["PYTHONPATH"]).set("PYTHONNOUSERSITE", "1"),
    }
}

/// How a child ended that did not end well, in a few words; nothing for one that did.
fn ended(report: &Report) -> Option<String> {
    let how = match &report.end {
        End::Exited(0) if report.done => return None,
        End::Exited(status) => format!("the probe exited with status {status}"),
        End::Signaled(signal) => format!("the probe was ended by signal {}", signal_name(*signal)),
        End::TimedOut { .. } => format!("still running after {} s", seconds(report)),
        End::Flooded => "the probe printed without end".to_string(),
        End::NotStarted(why) => return Some(format!("could not be started: {why}")),
    };
    Some(match stage(report) {
        Some(stage) => format!("{how}, in {stage}"),
        None => how,
    })
}

/// The stage in which a child ended: the last that was begun and gave nothing.
fn stage(report: &Report) -> Option<String> {
    let open = report.unfinished();
    let last = report.stages.iter().rev().find(|line| line["begin"].as_str() == open.last().copied())?;
    // `compute` and `reading` say which step and which reading.
    let name = last["begin"].as_str()?;
    match (last["step"].as_str(), last["name"].as_str()) {
        (Some(step), _) => Some(step.to_string()),
        (None, Some(reading)) => Some(format!("{name} {reading}")),
        (None, None) => Some(name.to_string()),
    }
}

/// Adds how a child ended, where it did not end well. `detail` is a sentence of its own.
fn note_end(report: &Report, probe: &str, facts: &mut Facts) {
    let stage =
        stage(report).unwrap_or_else(|| if probe == smi::NAME { probe.to_string() } else { "start".to_string() });
    let last_words = || {
        let words = report.stderr.trim().lines().next_back().unwrap_or_default();
        let short: String = words.chars().take(300).collect();
        if short.is_empty() { short } else { format!("; it said: {short}") }
    };
    let doing = in_words(&stage);
    let (how, detail) = match &report.end {
        End::Exited(0) if report.done => return,
        // Programs that speak text have their own way to say how it went.
        End::Exited(_) if probe == smi::NAME => return,
        End::Exited(status) => {
            ("exited", format!("the {probe} probe exited with status {status} in {stage}{}", last_words()))
        }
        End::Signaled(signal) => {
            ("crashed", format!("{doing} crashed (signal {}){}", signal_name(*signal), last_words()))
        }
        End::TimedOut { abandoned } => {
            let killed = if *abandoned { ", and its process could not even be killed" } else { "" };
            ("timed_out", format!("{doing} took longer than {} s{killed}", seconds(report)))
        }
        End::Flooded if stage == probe => ("flooded", format!("{probe} printed without end")),
        End::Flooded => ("flooded", format!("the {probe} probe printed without end in {stage}")),
        End::NotStarted(why) => ("not_started", format!("the {probe} probe could not be started: {why}")),
    };
    let end = ProbeEnd { how: how.to_string(), stage, detail };
    facts.seen(&PROBE_END, &Subject::probe(probe), end, probe);
}

/// What a child was doing, by its stage.
fn in_words(stage: &str) -> &str {
    match stage {
        "context" => "making a context",
        "allocate" => "allocating memory on the GPU",
        "copy_in" => "copying to the GPU",
        "module" => "loading the kernel",
        "launch" => "running the kernel",
        "copy_back" => "copying back from the GPU",
        other => other,
    }
}

/// The limit of a child, in whole seconds, and at least one.
fn seconds(report: &Report) -> f64 {
    report.limit.as_secs_f64().round().max(1.0)
}

/// `11, SIGSEGV`.
fn signal_name(signal: i32) -> String {
    let name = match signal {
        4 => "SIGILL",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        15 => "SIGTERM",
        31 => "SIGSYS",
        _ => return signal.to_string(),
    };
    format!("{signal}, {name}")
}
