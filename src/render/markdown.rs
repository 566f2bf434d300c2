//! Markdown for a ticket, as GitHub and GitLab show it: the diagnosis in three lines, then the chain, the causes, and what
//! was seen, folded.
//!
//! A ticket takes no more than so many characters, so what matters less is left out where there is more, and that is said.

mod facts;
mod text;

use super::chain::{self, Brief};
use super::{Format, answer, escape, words};
use crate::causes::Unknown;
use crate::checks::Status;
use crate::report::{Report, RootCause, Severity};
use crate::subject::Kind;
use text::Place::{Cell, Line};
use text::{block, code, prose};

pub use facts::versions;

/// For a ticket.
pub static FORMAT: Format =
    Format::new("markdown", "for a ticket on GitHub or GitLab", |view| Ok(document(view.report).into_bytes()));

/// Bytes of a document at most, and so characters: an issue on GitHub takes 65,536.
pub const MOST: usize = 60_000;

/// Shares of that which the parts may fill.
const CHAIN: usize = 14_000;
const CAUSES: usize = 20_000;
const UNKNOWNS: usize = 4_000;
/// What is kept for the sentences between the parts.
const SPARE: usize = 1_000;

/// Characters of a sentence, of a command, and of a line of the chain that are shown.
const SENTENCE: usize = 600;
const COMMAND: usize = 2_000;
const ROW: usize = 240;

/// The report as Markdown.
pub fn document(report: &Report) -> String {
    let head = head(report);
    let tail = facts::tail(report);
    let mut out = Part::new(head, MOST - SPARE - tail.len());
    out.add(&table(report));
    out.add(&causes(&report.root_causes));
    out.add(&unknowns(&report.unknowns));
    facts::seen(report, &mut out);
    let mut out = out.text;
    out.push_str(&tail);
    debug_assert!(out.len() <= MOST);
    out
}

/// Text that grows up to a limit.
struct Part {
    text: String,
    most: usize,
}

impl Part {
    fn new(text: String, most: usize) -> Part {
        Part { text, most }
    }

    /// Adds a piece if it fits as a whole.
    fn add(&mut self, piece: &str) -> bool {
        let fits = self.text.len() + piece.len() <= self.most;
        if fits {
            self.text.push_str(piece);
        }
        fits
    }
}

/// The title, and the diagnosis in three lines.
fn head(report: &Report) -> String {
    let answer = answer::of(report);
    let mut out = format!("# gpu-doctor: {}\n\n", answer.word);
    let sentence = format!("{}{}", answer.sentence, answer.found);
    out += &format!("**Answer:** {}\n\n", prose(&sentence, SENTENCE, Line));
    match (report.root_causes.first(), report.unknowns.first()) {
        (Some(first), _) => {
            let others = report.groups().len() - 1;
            let more = if others > 0 { format!(" And {others} more, below.") } else { String::new() };
            let of = report.groups().first().map_or(1, |group| group.len());
            let one = if of > 1 { format!(", the likeliest of {of}") } else { String::new() };
            let message = prose(&first.message, SENTENCE, Line);
            let sure = words::confidence(first.confidence);
            out += &format!("**Cause:** {} ({sure}{one}): {message}{more}\n\n", first.code);
            out += &format!("**Fix:** {}\n\n", prose(&first.remedy.summary, SENTENCE, Line));
        }
        (None, Some(unknown)) => {
            out += "**Cause:** none was found in what could be seen.\n\n";
            out += &format!("**Next:** find out {}; how is told below.\n\n", prose(&unknown.need, SENTENCE, Line));
        }
        (None, None) => {
            out += "**Cause:** none was found.\n\n**Fix:** there is nothing to mend.\n\n";
        }
    }
    out
}

/// The chain as a table.
fn table(report: &Report) -> String {
    let rows: Vec<_> = report.checks.iter().filter(|row| words::tells(report, row.status)).cloned().collect();
    if rows.is_empty() {
        return String::new();
    }
    let brief = Brief { lines: 6, characters: ROW, cut: "...", see: "gpu-doctor check --verbose shows" };
    let mut out = Part::new("## The chain\n\n| | check | result |\n|---|---|---|\n".to_string(), CHAIN);
    for of_check in rows.chunk_by(|a, b| a.id == b.id) {
        for (n, line) in chain::lines(of_check, Some(&brief)).iter().enumerate() {
            let id = if n == 0 { format!("`{}`", of_check[0].id) } else { String::new() };
            out.add(&format!("| {} | {id} | {} |\n", mark(line.status), prose(&line.text, usize::MAX, Cell)));
        }
    }
    out.text.push('\n');
    out.text
}

/// A word for a status, so that neither colour nor signs are needed.
fn mark(status: Status) -> String {
    let word = words::status(status);
    match status {
        Status::Fail => "**FAIL**".to_string(),
        Status::Warn | Status::Unknown => format!("**{word}**"),
        _ => word.to_string(),
    }
}

/// The causes, the first ones in full.
fn causes(causes: &[RootCause]) -> String {
    if causes.is_empty() {
        return String::new();
    }
    let mut out = Part::new("## What is wrong\n\n".to_string(), CAUSES);
    let mut left: Vec<&RootCause> = Vec::new();
    for group in causes.chunk_by(|a, b| a.group == b.group) {
        if group.len() > 1 && left.is_empty() {
            out.add(&format!("One of the next {}, the likeliest first:\n\n", group.len()));
        }
        for (n, cause) in group.iter().enumerate() {
            // Of many candidates, those behind the second are named only, as at a terminal.
            if n > 1 || !left.is_empty() || !out.add(&self::cause(cause)) {
                left.push(cause);
            }
        }
    }
    let mut out = out.text;
    if !left.is_empty() {
        let mut rest =
            Part::new("Also found, or possible; `gpu-doctor explain CODE` tells more:\n\n".to_string(), CAUSES / 4);
        for cause in left {
            let about = match cause.subject.kind {
                Kind::Machine => String::new(),
                _ => format!(" ({})", prose(&cause.subject.to_string(), ROW, Line)),
            };
            let line = format!("- {}: {}{about}, {}\n", cause.code, cause.title, words::confidence(cause.confidence));
            if !rest.add(&line) {
                rest.text.push_str("- and more\n");
                break;
            }
        }
        out.push_str(&rest.text);
        out.push('\n');
    }
    out
}

/// One cause in full; a note only with its fix.
fn cause(cause: &RootCause) -> String {
    let (severity, sure) = (words::severity(cause.severity), words::confidence(cause.confidence));
    let mut out = format!("### {severity} {}: {} ({sure})\n\n", cause.code, cause.title);
    if cause.subject.kind != Kind::Machine {
        out += &format!("About: {}\n\n", prose(&cause.subject.to_string(), SENTENCE, Line));
    }
    if cause.message != cause.title {
        out += &format!("{}\n\n", prose(&cause.message, SENTENCE, Line));
    }
    if !cause.evidence.is_empty() && cause.severity != Severity::Note {
        out += "Seen:\n\n";
        for evidence in &cause.evidence {
            let context = evidence.context.as_ref().map(|c| format!(", {}", prose(c, ROW, Line))).unwrap_or_default();
            let text = prose(&evidence.text, SENTENCE, Line);
            out += &format!("- {text} ({}{context})\n", code(&chain::cut(evidence.source.clone(), ROW, "..."), Line));
        }
        out.push('\n');
    }
    let remedy = &cause.remedy;
    if !remedy.summary.is_empty() || !remedy.steps.is_empty() {
        out += &format!("**What to do:** {}\n\n", prose(&remedy.summary, SENTENCE, Line));
    }
    for (n, step) in remedy.steps.iter().enumerate() {
        let first = format!("{}. ", n + 1);
        out += &format!("{first}{}\n", prose(&words::step(step), SENTENCE, Line));
        if let Some(command) = &step.command {
            let indent = " ".repeat(first.len());
            out += &format!("\n{}", block(&chain::cut(command.clone(), COMMAND, "..."), "sh", &indent));
        }
        out.push('\n');
    }
    if !remedy.verify.is_empty() && cause.severity != Severity::Note {
        let verify = chain::cut(remedy.verify.clone(), COMMAND, "...");
        out += &format!("Then check that it worked:\n\n{}\n", block(&verify, "sh", ""));
    }
    if !cause.explains.is_empty() && cause.severity != Severity::Note {
        out += &format!("Explains: {}. ", prose(&words::explained(&cause.explains, false), SENTENCE, Line));
    }
    out += &format!("More: `gpu-doctor explain {}`\n\n", cause.code);
    out
}

/// What would settle what is open, best first.
fn unknowns(unknowns: &[Unknown]) -> String {
    if unknowns.is_empty() {
        return String::new();
    }
    let mut out = Part::new("## What would settle it\n\n".to_string(), UNKNOWNS);
    for unknown in unknowns {
        let need = prose(&unknown.need, SENTENCE, Line);
        let ask = match words::is_question(&unknown.ask) {
            true => format!("\n  {}\n", prose(&unknown.ask, SENTENCE, Line)),
            false => format!("\n{}", block(&chain::cut(unknown.ask.clone(), COMMAND, "..."), "sh", "  ")),
        };
        out.add(&format!("- {need}\n{ask}\n"));
    }
    out.text
}

/// A line of a table of two or more columns.
fn row(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

/// A block that is folded until somebody opens it. The summary is text of this program.
fn folded(summary: &str, content: &str) -> String {
    format!("<details>\n<summary>{}</summary>\n\n{}\n\n</details>\n\n", escape::line(summary), content.trim_end())
}
