//! The stages of a child as facts: the interpreter, and how the child ended. The packages and the framework have files of
//! their own.

use super::installed::{self, Places};
use super::{Child, Found, framework, startup};
use crate::facts::Facts;
use crate::facts::cuda::{PROBE_END, ProbeEnd};
use crate::facts::python::{self as keys, Distribution, Interpreter, Trouble};
use crate::machine::Machine;
use crate::machine::child::{End, Report};
use crate::subject::Subject;
use serde_json::Value;

/// What a child's answers say; of the first child of an interpreter also what is installed where it looks. `known` is what is
/// known already.
pub fn read(machine: &Machine, child: &Child, report: &Report, known: &Facts) -> Facts {
    let mut facts = Facts::new();
    let mut startup_file = None;
    let mut quiet = None;
    let stage = report.result("interpreter").filter(|stage| child.prefix.is_none() && stage["unsupported"].is_null());
    if let Some(stage) = stage {
        let machine = machine.of_programs();
        let places = Places::told(&machine, &child.chosen, stage, report.result("packages").unwrap_or(&Value::Null));
        installed::look(&machine, &prefix_of(child, stage), &places, &mut facts);
        startup_file = startup::culprit(&machine, &child.chosen.path, &places.paths());
        if startup::is_script(&machine, &child.chosen.path) {
            // A script that starts the interpreter prints what it likes.
            quiet = Some(Report { noise: String::new(), ..report.clone() });
        }
    }
    let report = quiet.as_ref().unwrap_or(report);
    told(child, report, known, startup_file, &mut facts);
    facts
}

/// What a child's answers say by themselves.
pub fn parse(child: &Child, report: &Report) -> Facts {
    let mut facts = Facts::new();
    told(child, report, &Facts::new(), None, &mut facts);
    facts
}

fn told(child: &Child, report: &Report, known: &Facts, startup_file: Option<String>, facts: &mut Facts) {
    let path = child.chosen.path.display().to_string();
    let prefix = match (&child.prefix, report.result("interpreter")) {
        (Some(prefix), _) => prefix.clone(),
        (None, None) => {
            let subject = Subject::environment(&path);
            facts.seen(&keys::BROKEN, &subject, why_silent(report), format!("{path} -c"));
            troubles(facts, &subject, child, report, None);
            return;
        }
        (None, Some(stage)) => match interpreter(facts, known, child, stage, report, startup_file) {
            Some(prefix) => prefix,
            None => return,
        },
    };
    let subject = Subject::framework(child.framework.name, &prefix);
    let said = &report.result("packages").unwrap_or(&Value::Null)["present"][child.framework.module];
    let imported = report.result("import").is_some_and(|stage| stage["ok"] == true);
    if child.prefix.is_some() || said.is_string() || imported {
        framework::read(facts, known, &subject, child.framework, report, &path);
    }
    ended(facts, &subject, report, &path);
}

/// Where an interpreter calls its environment otherwise than its files made believe (a wrapper, PYTHONHOME), its own word counts.
pub fn rename(facts: &mut Facts, found: &Found, child: &Child, report: &Report) {
    let said = report.result("interpreter").filter(|_| child.prefix.is_none());
    if let Some(stage) = said {
        facts.rename(&found.subject(), &Subject::environment(prefix_of(child, stage)));
    }
}

fn prefix_of(child: &Child, stage: &Value) -> String {
    text(stage, "prefix").unwrap_or_else(|| child.chosen.path.display().to_string())
}

/// The interpreter; gives back the prefix of one that can be asked.
fn interpreter(
    facts: &mut Facts,
    known: &Facts,
    child: &Child,
    stage: &Value,
    report: &Report,
    startup_file: Option<String>,
) -> Option<String> {
    let path = child.chosen.path.display().to_string();
    let prefix = prefix_of(child, stage);
    let environment = Subject::environment(&prefix);
    let source = format!("{path}: sys");
    if let Some(why) = text(stage, "unsupported") {
        facts.seen(&keys::BROKEN, &environment, why, source);
        return None;
    }
    let declared = known.look(&keys::ENVIRONMENT, &environment).seen().map(|environment| environment.manager);
    let torch = facts.look(&keys::DISTRIBUTION, &Subject::framework("torch", &prefix)).seen();
    let seen = Interpreter {
        path: path.clone(),
        version: text(stage, "version").unwrap_or_default(),
        prefix: prefix.clone(),
        base_prefix: text(stage, "base_prefix").unwrap_or_default(),
        bits: stage["bits"].as_u64().unwrap_or(64) as u32,
        kind: kind(stage),
        chosen_by: child.chosen.by.to_string(),
        manager: manager(stage, torch.as_ref(), declared.as_deref()),
    };
    facts.seen(&keys::INTERPRETER, &environment, seen, source);
    troubles(facts, &environment, child, report, startup_file.clone());
    for trouble in startup::switches(stage, known, startup_file) {
        facts.seen(&keys::TROUBLE, &environment, trouble, format!("{path}: os.environ"));
    }
    Some(prefix)
}

/// What sets an interpreter apart from the usual CPython.
fn kind(interpreter: &Value) -> Option<String> {
    match text(interpreter, "implementation").as_deref() {
        Some(other @ ("pypy" | "graalpy")) => Some(other.to_string()),
        _ if interpreter["musl"] == true => Some("musl".to_string()),
        _ if interpreter["free_threaded"] == true => Some("free-threaded".to_string()),
        _ => None,
    }
}

fn troubles(facts: &mut Facts, subject: &Subject, child: &Child, report: &Report, file: Option<String>) {
    for trouble in startup::troubles(report) {
        let file = file.clone().filter(|_| trouble.kind != "no_library");
        let source = format!("{}: start", child.chosen.path.display());
        facts.seen(&keys::TROUBLE, subject, Trouble { file, ..trouble }, source);
    }
}

/// Who installs packages there. What is known of the installed torch comes first: in a conda environment it may be pip's.
fn manager(interpreter: &Value, torch: Option<&Distribution>, declared: Option<&str>) -> String {
    let managers: Vec<&str> = list(interpreter, "managers").iter().filter_map(|m| m["name"].as_str()).collect();
    let from_conda = torch.is_some_and(|torch| torch.conda_build.is_some());
    let is = |name: &str| managers.contains(&name);
    let name = match torch.and_then(|torch| torch.installer.as_deref()) {
        _ if from_conda && is("pixi") => "pixi",
        _ if from_conda => "conda",
        // A tool with a list of its own would undo what another one did.
        _ if matches!(declared, Some("poetry" | "pdm" | "hatch")) => declared.unwrap_or("pip"),
        Some("uv") => "uv",
        _ if is("poetry") => "poetry",
        Some("pip") => "pip",
        _ if is("pixi") => "pixi",
        _ if is("conda") => "conda",
        _ if is("uv") => "uv",
        _ if is("pipx") => "pipx",
        _ if interpreter["externally_managed"] == true => "system",
        _ => "pip",
    };
    name.to_string()
}

/// A text of a line.
pub fn text(value: &Value, name: &str) -> Option<String> {
    value[name].as_str().map(str::to_string)
}

/// A list of a line.
pub fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// Why an interpreter gave no answer at all.
fn why_silent(report: &Report) -> String {
    let stderr = report.stderr.trim();
    // What is no Python may repeat the whole script.
    let words = |line: &str| line.chars().take(200).collect::<String>();
    let stderr = if stderr.is_empty() { report.noise.trim() } else { stderr };
    // What CPython says before it gives up stands above its own details.
    let fatal = stderr.lines().find(|line| line.starts_with("Fatal Python error"));
    let said = fatal.or(stderr.lines().next_back()).map(|line| format!(": {}", words(line))).unwrap_or_default();
    match &report.end {
        End::NotStarted(why) => format!("it could not be started: {why}"),
        End::TimedOut { .. } => format!("it did not answer within {} s", report.limit.as_secs()),
        End::Flooded => "it printed without end".to_string(),
        End::Signaled(signal) => format!("it was ended by signal {signal}{said}"),
        End::Exited(0) => format!("it ended without an answer; it may be no Python{said}"),
        End::Exited(status) => format!("it exited with status {status}{said}"),
    }
}

/// A hang or a crash is a finding of its own, with the stage in which it came.
fn ended(facts: &mut Facts, framework: &Subject, report: &Report, path: &str) {
    if report.done {
        return;
    }
    let stage = report.unfinished().last().copied().unwrap_or("start").to_string();
    let detail = in_full(report, &stage);
    let end = ProbeEnd { how: how(report), stage, detail };
    facts.seen(&PROBE_END, framework, end, format!("{path} -c"));
}

/// How a child ended, in a word.
pub fn how(report: &Report) -> String {
    match report.end {
        End::TimedOut { .. } => "timed_out",
        End::Signaled(_) => "crashed",
        End::Exited(_) => "exited",
        End::Flooded => "flooded",
        End::NotStarted(_) => "not_started",
    }
    .to_string()
}

/// The same in a sentence.
pub fn in_full(report: &Report, what: &str) -> String {
    match &report.end {
        End::TimedOut { .. } => format!("{what} took longer than {} s", report.limit.as_secs()),
        End::Signaled(11) => format!("{what} crashed (signal 11, SIGSEGV)"),
        End::Signaled(6) => format!("{what} aborted (signal 6, SIGABRT)"),
        End::Signaled(9) => format!("{what} was killed (signal 9); the kernel does that when memory runs out"),
        End::Signaled(signal) => format!("{what} was ended by signal {signal}"),
        End::Exited(status) => format!("{what} ended the interpreter with status {status}"),
        End::Flooded => format!("{what} printed without end"),
        End::NotStarted(why) => why.clone(),
    }
}
