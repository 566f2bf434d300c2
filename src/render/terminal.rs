//! The report for a person at a terminal: one line per check, then the diagnosis.

mod diagnosis;
mod rows;

use super::Format;
use super::answer::{self, Answer};
use super::environments;
use super::escape;
use super::paint::Tone;
use super::words;
use crate::checks::{Row, given};
use crate::facts::{Fact, State};
use crate::machine::console::Console;
use crate::report::Report;

/// What a person reads.
pub static FORMAT: Format = Format::new("text", "for a person at a terminal", |view| {
    Ok(report(view.report, view.console, view.verbose).into_bytes())
});

/// The report as text. `verbose` shows every row of its own and all facts.
pub fn report(report: &Report, console: &Console, verbose: bool) -> String {
    let telling: Vec<Row> = report.checks.iter().filter(|row| verbose || tells(report, row)).cloned().collect();
    let mut out = rows::table(&telling, console, verbose);
    let environments = environments::lines(report);
    if !environments.is_empty() {
        out.push_str(&format!("\n{}\n", console.paint(Tone::Strong, "Environments")));
        out.push_str(&rows::list(&environments, console));
    }
    if !telling.is_empty() {
        out.push('\n');
    }
    out.push_str(&verdict(report, console));
    for group in report.groups() {
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

/// Whether a row is shown: one about an environment that is not in use has its place in the list of environments.
fn tells(report: &Report, row: &Row) -> bool {
    words::tells(report, row.status) && !given::out_of_use(&report.facts, &row.subject)
}

/// The answer in a sentence.
fn verdict(report: &Report, console: &Console) -> String {
    let Answer { tone, word, sentence, found } = answer::of(report);
    let head = console.paint(tone, &format!("{word}:"));
    console.wrap(&format!("{head} {sentence}{found}"), "", "  ")
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
