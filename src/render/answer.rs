//! The answer of a report in a sentence, as every format says it.

use super::paint::Tone;
use crate::checks::{Status, given};
use crate::report::{Confidence, Report, Severity, Verdict};

/// The verdict in words.
pub struct Answer {
    /// Whether it is good news.
    pub tone: Tone,
    /// `Ready`, `Degraded`, `Not ready`, `Inconclusive`.
    pub word: &'static str,
    /// What that means here.
    pub sentence: String,
    /// ` Found: 1 problem, 2 notes.`, or nothing.
    pub found: String,
}

/// The answer of a report.
pub fn of(report: &Report) -> Answer {
    let passes = |id: &str| report.checks.iter().any(|row| row.id == id && row.status == Status::Pass);
    let left_out = |id: &str| report.checks.iter().any(|row| row.id == id && row.status == Status::Deselected);
    let (tone, word, sentence) = match report.verdict {
        _ if given::is_text(&report.facts) => of_a_text(report),
        Verdict::Ready if left_out("cuda-kernel") && !passes("tensor") => {
            (Tone::Good, "Ready", "what was looked at works; nothing was computed on a GPU.")
        }
        Verdict::Ready => (Tone::Good, "Ready", "the GPU can be used."),
        Verdict::Degraded => (Tone::Doubtful, "Degraded", "a GPU can be used, but not everything is as it should be."),
        Verdict::NotReady if passes("cuda-kernel") => {
            (Tone::Bad, "Not ready", "the driver works, and no framework can use the GPU.")
        }
        Verdict::NotReady => (Tone::Bad, "Not ready", "no GPU can be used."),
        Verdict::Inconclusive => {
            (Tone::Doubtful, "Inconclusive", "nothing failed, but what has to be known could not be seen.")
        }
    };
    let sentence = match report.verdict {
        // Of a text every check is unseen that it does not speak of.
        Verdict::Inconclusive if !given::is_text(&report.facts) => {
            format!("{}{}.", sentence.trim_end_matches('.'), unseen(report))
        }
        _ => sentence.to_string(),
    };
    Answer { tone, word, sentence, found: found(report) }
}

/// How many faults of each severity there are.
fn found(report: &Report) -> String {
    let groups = report.groups();
    let count = |severity: Severity, one: &str, many: &str| match groups
        .iter()
        .filter(|g| g.iter().any(|c| c.severity == severity))
        .count()
    {
        0 => None,
        1 => Some(format!("1 {one}")),
        n => Some(format!("{n} {many}")),
    };
    let counts: Vec<String> = [
        count(Severity::Error, "problem", "problems"),
        count(Severity::Warning, "warning", "warnings"),
        count(Severity::Note, "note", "notes"),
    ]
    .into_iter()
    .flatten()
    .collect();
    if counts.is_empty() { String::new() } else { format!(" Found: {}.", counts.join(", ")) }
}

/// The answer about a text: what it shows, not what is.
fn of_a_text(report: &Report) -> (Tone, &'static str, &'static str) {
    let certain =
        report.root_causes.iter().any(|c| c.severity == Severity::Error && c.confidence == Confidence::Certain);
    match report.verdict {
        Verdict::Ready => (Tone::Good, "Ready", "as the text shows it, the GPU is used."),
        Verdict::Degraded => {
            (Tone::Doubtful, "Degraded", "as the text shows it, a GPU is used, but not everything is as it should be.")
        }
        Verdict::NotReady if certain => (Tone::Bad, "Not ready", "the text shows why the GPU is not used."),
        Verdict::NotReady => {
            (Tone::Bad, "Not ready", "the text shows a fault; what it does not say is asked for below.")
        }
        Verdict::Inconclusive if report.root_causes.is_empty() => {
            (Tone::Doubtful, "Inconclusive", "nothing in the text is known to this program as a fault of a GPU.")
        }
        Verdict::Inconclusive => {
            (Tone::Doubtful, "Inconclusive", "the text does not show whether the GPU can be used.")
        }
    }
}

/// The checks without an answer, as `: cuda-kernel, tensor`; nothing where they are many.
fn unseen(report: &Report) -> String {
    let mut ids: Vec<&str> = report.checks.iter().filter(|r| r.status == Status::Unknown).map(|r| r.id).collect();
    ids.dedup();
    match ids.len() {
        1..=4 => format!(": {}", ids.join(", ")),
        _ => String::new(),
    }
}
