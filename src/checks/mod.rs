//! The ordered chain. One check, one question; a status and symptoms per subject.

use crate::facts::{Fact, Facts, asked, cuda, python, said};
use crate::subject::{Kind::Gpu, Subject};
use crate::symptom::Symptom;
use crate::triage::messages::{self, About};
use serde::Serialize;

/// The answer of a check for one subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It works; the only green.
    Pass,
    /// It works, and something about it should be looked at.
    Warn,
    /// It does not work.
    Fail,
    /// A fact that is needed could not be had.
    Unknown,
    /// Not measured, because an earlier check failed.
    Skip,
    /// There is no such thing on this machine.
    NotApplicable,
    /// Left out by the user.
    Deselected,
}

impl Status {
    /// The word in reports; an API.
    pub fn name(self) -> &'static str {
        match self {
            Status::Pass => "pass",
            Status::Warn => "warn",
            Status::Fail => "fail",
            Status::Unknown => "unknown",
            Status::Skip => "skip",
            Status::NotApplicable => "not_applicable",
            Status::Deselected => "deselected",
        }
    }
}

/// A sentence that proves something, and where it was seen.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evidence {
    /// What was seen, in words.
    pub text: String,
    /// Where: a path, a call, `FILE:LINE`.
    pub source: String,
    /// The experiment or view it was seen in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
}

impl Evidence {
    /// A sentence about a fact.
    pub fn of(fact: &Fact, text: impl Into<String>) -> Evidence {
        let view = fact.context.view.clone();
        let context = fact.context.variant.map(|v| v.describe().to_string()).or(view);
        Evidence { text: text.into(), source: fact.source.clone(), context }
    }
}

/// One row of the chain.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Id of the check.
    pub id: &'static str,
    /// Title of the check.
    pub title: &'static str,
    /// What the row is about.
    pub subject: Subject,
    /// The answer.
    pub status: Status,
    /// One line that says it.
    pub summary: String,
    /// What does not work.
    pub symptoms: Vec<Symptom>,
    /// The check that kept this one from being measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked_by: Option<&'static str>,
    /// Nobody measured it: the chain turns this into `skip` where an earlier link broke.
    #[serde(skip)]
    pub unmeasured: bool,
}

/// What a check returns for one subject.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What it is about.
    pub subject: Subject,
    /// The answer.
    pub status: Status,
    /// One line that says it.
    pub summary: String,
    /// What does not work.
    pub symptoms: Vec<Symptom>,
    unmeasured: bool,
}

impl Answer {
    /// An answer without symptoms.
    pub fn new(subject: &Subject, status: Status, summary: impl Into<String>) -> Answer {
        Answer { subject: subject.clone(), status, summary: summary.into(), symptoms: Vec::new(), unmeasured: false }
    }

    /// It works.
    pub fn pass(subject: &Subject, summary: impl Into<String>) -> Answer {
        Answer::new(subject, Status::Pass, summary)
    }

    /// It does not work, and this is how that shows.
    pub fn fail(subject: &Subject, symptom: Symptom, summary: impl Into<String>) -> Answer {
        Answer::new(subject, Status::Fail, summary).with(symptom)
    }

    /// It works, and this should be looked at.
    pub fn warn(subject: &Subject, symptom: Symptom, summary: impl Into<String>) -> Answer {
        Answer::new(subject, Status::Warn, summary).with(symptom)
    }

    /// The answer needs a fact that could not be had.
    pub fn unknown(subject: &Subject, summary: impl Into<String>) -> Answer {
        Answer::new(subject, Status::Unknown, summary)
    }

    /// There is no such thing here.
    pub fn not_applicable(summary: impl Into<String>) -> Answer {
        Answer::new(&Subject::machine(), Status::NotApplicable, summary)
    }

    /// Nobody measured it, because an earlier link broke or because it was not asked for.
    pub fn unmeasured(subject: &Subject, summary: impl Into<String>) -> Answer {
        Answer { unmeasured: true, ..Answer::unknown(subject, summary) }
    }

    /// The same with one more symptom.
    pub fn with(mut self, symptom: Symptom) -> Answer {
        self.symptoms.push(symptom);
        self
    }
}

/// One link of the chain.
pub struct Check {
    /// Stable id, an API.
    pub id: &'static str,
    /// The question in a few words.
    pub title: &'static str,
    /// The checks without which measuring makes no sense.
    pub needs: &'static [&'static str],
    /// Facts to answers. Does no I/O.
    pub judge: fn(&Facts) -> Vec<Answer>,
}

mod cuda_driver;
mod cuda_kernel;
mod cuda_runtime;
mod device_access;
mod framework;
mod gpu_health;
mod gpu_present;
mod kernel_driver;
pub mod makers;
mod nvidia_smi;
mod nvml;
pub mod program;
mod tensor;
mod visibility;

pub mod given;

/// The chain, in its order.
pub static CHAIN: &[&Check] = &[
    &gpu_present::CHECK,
    &kernel_driver::CHECK,
    &device_access::CHECK,
    &nvidia_smi::CHECK,
    &nvml::CHECK,
    &visibility::CHECK,
    &cuda_driver::CHECK,
    &cuda_runtime::CHECK,
    &cuda_kernel::CHECK,
    &framework::CHECK,
    &tensor::CHECK,
    &gpu_health::CHECK,
    &program::CHECK,
];

/// The check with this id.
pub fn by_id(id: &str) -> Option<&'static Check> {
    CHAIN.iter().copied().find(|c| c.id == id)
}

/// Judges the facts along the chain.
pub fn judge(facts: &Facts) -> Vec<Row> {
    let deselected: Vec<String> = facts.value(&asked::DESELECTED).unwrap_or_default();
    let quick = facts.value(&asked::QUICK) == Some(true);
    let mut rows: Vec<Row> = Vec::new();
    for check in CHAIN {
        if deselected.iter().any(|id| id == check.id) {
            // A program that was not seen has no row that could be left out.
            if check.id == program::CHECK.id && (check.judge)(facts).is_empty() {
                continue;
            }
            let answer = Answer::new(&Subject::machine(), Status::Deselected, "left out on request");
            rows.push(row(check, answer, None));
            continue;
        }
        let blocked_by = check.needs.iter().copied().find(|need| is_broken(&rows, need));
        // Of several frameworks, one that fails keeps only its own computation from being tried.
        let blocked = |answer: &Answer, rows: &[Row]| {
            let mut needs = check.needs.iter().copied();
            blocked_by.or_else(|| needs.find(|need| is_broken_for(rows, need, &answer.subject)))
        };
        // A panic in one check must not take the others with it; it becomes a symptom of its own.
        let answers = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| (check.judge)(facts)));
        let answers = answers.unwrap_or_else(|_| {
            let symptom = Symptom::coded(crate::symptom::Kind::ProbeEnd, format!("check {} panicked", check.id));
            let mut answer = Answer::unknown(&Subject::machine(), "this check broke; please report it");
            answer.symptoms.push(symptom);
            vec![answer]
        });
        let ends = bad_ends(facts, check.id);
        let mut answers = answers;
        if !ends.is_empty() {
            // The end of the probe says why nothing is known; a second row without a symptom says it again.
            let says_more = |a: &Answer| a.status != Status::Unknown || !a.symptoms.is_empty() || a.subject.kind == Gpu;
            answers.retain(says_more);
        }
        if quick && blocked_by.is_none() && check.id != "cuda-runtime" {
            answers.iter_mut().filter(|a| a.unmeasured).for_each(|a| a.summary.push_str(" (--quick)"));
        }
        let judged: Vec<Row> = answers
            .into_iter()
            .map(|answer| {
                let by = blocked(&answer, &rows);
                row(check, answer, by)
            })
            .collect();
        rows.extend(judged);
        rows.extend(ends.into_iter().map(|answer| row(check, answer, None)));
        rows.extend(said(facts, check.id).into_iter().map(|answer| row(check, answer, None)));
    }
    rows
}

/// Messages of a text that say that what a check asks for does not work; each once, however often it was said.
fn said(facts: &Facts, id: &'static str) -> Vec<Answer> {
    let mut answers: Vec<Answer> = Vec::new();
    for (said, fact) in facts.all(&said::MESSAGE) {
        let about = messages::find(&said.id).map(|message| message.about);
        let symptom = Symptom::coded(crate::symptom::Kind::Said, &said.id);
        if about == Some(About::Fault(id)) && !answers.iter().any(|a| a.symptoms.contains(&symptom)) {
            let text = format!("{}: {}", fact.source, brief(&said.text));
            answers.push(Answer::fail(&fact.subject, symptom, text));
        }
    }
    answers
}

/// Probes that belong to a check and ended badly. A crash is a failure; what took too long is not known.
fn bad_ends(facts: &Facts, id: &str) -> Vec<Answer> {
    let mut answers = Vec::new();
    for (end, fact) in facts.all(&cuda::PROBE_END) {
        // An import that died is a failed import, and said as such.
        let told = facts.look(&python::IMPORT, &fact.subject).seen().is_some_and(|import| !import.ok);
        if told || check_of(&fact.subject, &end.stage) != id {
            continue;
        }
        let status = match end.how.as_str() {
            "crashed" | "exited" => Status::Fail,
            _ => Status::Unknown,
        };
        let symptom = Symptom::coded(crate::symptom::Kind::ProbeEnd, format!("{}, {}", end.how, end.stage));
        answers.push(Answer::new(&fact.subject, status, end.detail).with(symptom));
    }
    answers
}

/// The check that a stage of a probe belongs to.
fn check_of(probe: &Subject, stage: &str) -> &'static str {
    match (probe.kind, probe.id.as_str(), stage) {
        (crate::subject::Kind::Framework, _, "tensor") => "tensor",
        (crate::subject::Kind::Framework | crate::subject::Kind::Environment, _, _) => "framework",
        (_, "nodes", _) => "device-access",
        (_, "nvidia-smi" | "smi", _) => "nvidia-smi",
        (_, "nvml", _) => "nvml",
        (_, "cuda", "context" | "allocate" | "copy_in" | "module" | "launch" | "copy_back" | "compare" | "compute") => {
            "cuda-kernel"
        }
        (_, "cuda", _) => "cuda-driver",
        (_, "libtorch", _) => "tensor",
        _ => "gpu-health",
    }
}

fn row(check: &'static Check, mut answer: Answer, blocked_by: Option<&'static str>) -> Row {
    let blocked = answer.unmeasured && blocked_by.is_some();
    if blocked {
        answer.status = Status::Skip;
        answer.summary = format!("not measured: {} has to work first", blocked_by.unwrap_or_default());
    }
    Row {
        id: check.id,
        title: check.title,
        subject: answer.subject,
        status: answer.status,
        summary: answer.summary,
        symptoms: answer.symptoms,
        blocked_by: blocked_by.filter(|_| blocked),
        unmeasured: answer.unmeasured,
    }
}

/// The beginning of what a program said, short enough for a row: the whole is in the facts and in the evidence.
fn brief(said: &str) -> String {
    const MOST: usize = 100;
    let line = said.trim().lines().next().unwrap_or("nothing");
    match line.char_indices().nth(MOST) {
        None => line.to_string(),
        Some((end, _)) => format!("{} ...", line[..end].trim_end()),
    }
}

/// The same for one subject.
fn is_broken_for(rows: &[Row], id: &str, subject: &Subject) -> bool {
    let mut of_check = rows.iter().filter(|r| r.id == id && r.subject == *subject).peekable();
    of_check.peek().is_some() && of_check.all(|r| matches!(r.status, Status::Fail | Status::Skip))
}

/// Whether nothing of a check works: then what needs it is not to be measured.
fn is_broken(rows: &[Row], id: &str) -> bool {
    let mut of_check = rows.iter().filter(|r| r.id == id).peekable();
    of_check.peek().is_some() && of_check.all(|r| matches!(r.status, Status::Fail | Status::Skip))
}
