//! Root causes with evidence and numbered steps, and what would settle what is open.

use crate::causes::Unknown;
use crate::causes::page::Step;
use crate::machine::console::Console;
use crate::render::paint::Tone;
use crate::render::{escape, words};
use crate::report::{RootCause, Severity};
use crate::subject::Kind;

/// Characters of a message or of evidence that are shown; a traceback is longer. `--verbose` and `--json` have all.
const LONGEST: usize = 700;

/// One fault: its cause, or the candidates for it.
pub fn group(candidates: &[RootCause], console: &Console, verbose: bool) -> String {
    let [first, others @ ..] = candidates else { return String::new() };
    if others.is_empty() {
        return cause(first, console, verbose);
    }
    let mut out = String::new();
    let lead = format!("One of these {}, the likeliest first:", candidates.len());
    out.push_str(&console.wrap(&console.paint(Tone::Strong, &lead), "", ""));
    let full = if verbose || candidates.len() <= IN_FULL { candidates.len() } else { 1 };
    for candidate in &candidates[..full] {
        out.push('\n');
        out.push_str(&cause(candidate, console, verbose));
    }
    let rest = &candidates[full..];
    if rest.is_empty() {
        return out;
    }
    out.push_str(&heading("Or one of these; `gpu-doctor explain CODE` tells how to see it, and the fix", console));
    for candidate in rest.iter().take(IN_SHORT) {
        out.push_str(&console.wrap(&format!("{}: {}", candidate.code, candidate.title), "    - ", "      "));
    }
    if rest.len() > IN_SHORT {
        let more = format!("and {} more, less likely: --json has them all", rest.len() - IN_SHORT);
        out.push_str(&console.wrap(&more, "    - ", "      "));
    }
    out
}

/// So many candidates are shown in full; of more only the first.
const IN_FULL: usize = 2;
/// So many of the others are named.
const IN_SHORT: usize = 5;

fn cause(cause: &RootCause, console: &Console, verbose: bool) -> String {
    // A note is short: it must not push the problems off the screen.
    let short = cause.severity == Severity::Note && !verbose;
    let tone = match cause.severity {
        Severity::Error => Tone::Bad,
        Severity::Warning => Tone::Doubtful,
        Severity::Note => Tone::Strong,
    };
    let (word, sure) = (words::severity(cause.severity), words::confidence(cause.confidence));
    let mut out = String::new();
    let head = console.paint(tone, &format!("{word}[{}]:", cause.code));
    let title = console.paint(Tone::Strong, cause.title);
    out.push_str(&console.wrap(&format!("{head} {title} ({sure})"), "", "  "));
    if cause.subject.kind != Kind::Machine {
        out.push_str(&console.wrap(&escape::line(&format!("About: {}", cause.subject)), "  ", "    "));
    }
    let most = if verbose { usize::MAX } else { LONGEST };
    if cause.message != cause.title {
        out.push_str(&paragraphs(&console.cut(escape::lines(&cause.message), most), console));
    }

    if !cause.evidence.is_empty() && !short {
        out.push_str(&heading("Seen", console));
        for evidence in &cause.evidence {
            let context = evidence.context.as_ref().map(|c| format!(", {c}")).unwrap_or_default();
            let source = console.paint(Tone::Faint, &escape::line(&format!("[{}{context}]", evidence.source)));
            let text = console.cut(escape::line(&evidence.text), most);
            out.push_str(&console.wrap(&format!("{text} {source}"), "    - ", "      "));
        }
    }

    let remedy = &cause.remedy;
    if !remedy.summary.is_empty() || !remedy.steps.is_empty() {
        out.push_str(&heading("What to do", console));
        let numbered = remedy.steps.len() > 1;
        if !remedy.summary.is_empty() {
            out.push_str(&console.wrap(&escape::line(&remedy.summary), "    ", "    "));
        }
        for (n, step) in remedy.steps.iter().enumerate() {
            out.push_str(&self::step(numbered.then_some(n + 1), step, console));
        }
    }
    if !remedy.verify.is_empty() && !short {
        out.push_str(&heading("Then check that it worked", console));
        out.push_str(&console.command(&escape::lines(&remedy.verify), "      "));
    }
    out.push('\n');
    if !cause.explains.is_empty() && !short {
        let explained = escape::line(&format!("Explains: {}", words::explained(&cause.explains, verbose)));
        out.push_str(&console.wrap(&console.paint(Tone::Faint, &explained), "  ", "    "));
    }
    let more = console.paint(Tone::Code, &format!("gpu-doctor explain {}", cause.code));
    out.push_str(&format!("  More: {more}\n"));
    out
}

/// A step: what to do, what it takes, and the command on lines of its own.
fn step(number: Option<usize>, step: &Step, console: &Console) -> String {
    let text = escape::line(&words::step(step));
    let first = match number {
        Some(n) => format!("    {n}. "),
        None => "    - ".to_string(),
    };
    let mut out = console.wrap(&text, &first, &" ".repeat(first.len()));
    if let Some(command) = &step.command {
        out.push_str(&console.command(&escape::lines(command), &" ".repeat(first.len() + 2)));
    }
    out
}

/// What would settle what is open, best first.
pub fn unknowns(unknowns: &[Unknown], console: &Console) -> String {
    let mut out = console.paint(Tone::Strong, "What would settle it") + "\n";
    for unknown in unknowns {
        out.push_str(&console.wrap(&escape::line(&unknown.need), "  - ", "    "));
        // A command has its own line; a question to a person is wrapped.
        match words::is_question(&unknown.ask) {
            true => out.push_str(&console.wrap(&escape::line(&unknown.ask), "    ", "    ")),
            false => out.push_str(&console.command(&escape::lines(&unknown.ask), "      ")),
        }
    }
    out
}

fn heading(text: &str, console: &Console) -> String {
    format!("\n  {}\n", console.paint(Tone::Strong, text))
}

fn paragraphs(text: &str, console: &Console) -> String {
    text.lines().map(|line| console.wrap(line, "  ", "  ")).collect()
}
