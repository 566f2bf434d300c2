//! The report for a person at a terminal: one line per check, then the diagnosis.

mod diagnosis;
mod rows;

use super::escape;
use super::paint::Tone;
use crate::checks::{Row, Status, given};
use crate::facts::{Fact, State};
use crate::machine::console::Console;
use crate::report::{Confidence, Report, Severity, Verdict};

/// The report as text. `verbose` shows every row of its own and all facts.
pub fn report(report: &Report, console: &Console, verbose: bool) -> String {
    // Rows of a text that say nothing are left out: nobody looked.
    let text = given::is_text(&report.facts);
    let telling: Vec<Row> = report.checks.iter().filter(|row| !text || verbose || tells(row)).cloned().collect();
    let mut out = rows::table(&telling, console, verbose);
    if !telling.is_empty() {
        out.push('\n');
    }
    out.push_str(&verdict(report, console));
    for group in diagnosis::groups(&report.root_causes) {
        out.push('\n');
        out.push_str(&diagnosis::group(group, console, verbose));
    }
    if !report.unknowns.is_empty() {
        out.push('\n');
        out.push_str(&diagnosis::unknowns(&report.unknowns, console));
    }
    if verbose {
        out.push('\n');
        out.push_str(&facts(report, console));
    }
    out
}

fn tells(row: &Row) -> bool {
    matches!(row.status, Status::Pass | Status::Warn | Status::Fail)
}

/// The answer in a sentence.
fn verdict(report: &Report, console: &Console) -> String {
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
    let count = |severity: Severity, one: &str, many: &str| {
        let groups = diagnosis::groups(&report.root_causes);
        match groups.iter().filter(|g| g.iter().any(|c| c.severity == severity)).count() {
            0 => None,
            1 => Some(format!("1 {one}")),
            n => Some(format!("{n} {many}")),
        }
    };
    let counts: Vec<String> = [
        count(Severity::Error, "problem", "problems"),
        count(Severity::Warning, "warning", "warnings"),
        count(Severity::Note, "note", "notes"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let found = if counts.is_empty() { String::new() } else { format!(" Found: {}.", counts.join(", ")) };
    let head = console.paint(tone, &format!("{word}:"));
    console.wrap(&format!("{head} {sentence}{found}"), "", "  ")
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

/// Every fact, one a line, by key.
fn facts(report: &Report, console: &Console) -> String {
    let mut facts: Vec<&Fact> = report.facts.iter().collect();
    facts.sort_by_key(|fact| (fact.key.clone(), fact.subject.clone(), fact.context.variant));
    let mut out = console.paint(Tone::Strong, "Facts") + "\n";
    for fact in facts {
        let value = match &fact.state {
            State::Seen { value } => format!("= {value}"),
            State::Absent => "absent".to_string(),
            State::Failed { why } => format!("could not be seen: {why}"),
            State::Reported { value } => format!("= {value} (reported)"),
        };
        let variant = fact.context.variant.map(|v| format!(" {}", v.describe())).unwrap_or_default();
        let view = fact.context.view.as_ref().map(|v| format!(" in the view of {v}")).unwrap_or_default();
        let about = match fact.subject.kind {
            crate::subject::Kind::Machine => String::new(),
            _ => format!(" [{}]", fact.subject),
        };
        let source = console.paint(Tone::Faint, &format!("({})", escape::line(&fact.source)));
        let line = escape::line(&format!("{}{about}{variant}{view} {value}", fact.key));
        out.push_str(&format!("  {line} {source}\n"));
    }
    out
}
