//! The chain: one line per check, and per GPU only where GPUs differ.

use crate::checks::{CHAIN, Row, Status};
use crate::machine::console::Console;
use crate::render::escape;
use crate::render::paint::Tone;
use crate::subject::{Kind, Subject};

/// Below this width the summary goes on a line of its own.
const BESIDE: usize = 60;
/// Subjects named on one line; more are counted.
const NAMED: usize = 3;

/// The lines of all checks, in their order.
pub fn table(rows: &[Row], console: &Console, verbose: bool) -> String {
    let widest = CHAIN.iter().map(|check| check.id.len()).max().unwrap_or_default();
    let mut out = String::new();
    let mut rest = rows;
    while let Some(first) = rest.first() {
        let length = rest.iter().take_while(|row| row.id == first.id).count();
        let (of_check, others) = rest.split_at(length);
        rest = others;
        for (n, line) in lines(of_check, console, verbose).iter().enumerate() {
            let (sign, word, tone) = mark(line.status, console);
            let id = if n == 0 { first.id } else { "" };
            let mark = console.paint(tone, &format!("{sign} {word:<8}"));
            if console.width < BESIDE {
                out.push_str(&format!("{}\n", format!("{mark} {id}").trim_end()));
                out.push_str(&console.wrap(&line.text, "    ", "    "));
            } else {
                let indent = " ".repeat(12 + widest + 2);
                out.push_str(&console.wrap(&line.text, &format!("{mark}  {id:<widest$}  "), &indent));
            }
        }
    }
    out
}

/// Lines of one check; what is beyond is counted.
const MOST: usize = 5;

/// Characters of a line that are shown; the message of an exception can be a page.
const LONGEST: usize = 200;

struct Line {
    status: Status,
    text: String,
}

/// Rows of one check that say the same become one line.
fn lines(rows: &[Row], console: &Console, verbose: bool) -> Vec<Line> {
    let mut buckets: Vec<(Status, &str, Vec<&Subject>)> = Vec::new();
    for row in rows {
        let same = buckets.iter_mut().find(|(status, summary, subjects)| {
            *status == row.status && *summary == row.summary && subjects.iter().all(|s| s.kind == row.subject.kind)
        });
        match same {
            Some((_, _, subjects)) if !verbose => subjects.push(&row.subject),
            _ => buckets.push((row.status, &row.summary, vec![&row.subject])),
        }
    }
    // Many GPUs that are all well, each with its own numbers, are one line; --verbose has the numbers.
    let well = |bucket: &(Status, &str, Vec<&Subject>)| {
        bucket.0 == Status::Pass && bucket.2.iter().all(|s| s.kind == Kind::Gpu)
    };
    let mut collapsed = 0;
    if !verbose && buckets.iter().filter(|b| well(b)).count() > 2 {
        collapsed = buckets.iter().filter(|b| well(b)).map(|b| b.2.len()).sum();
        buckets.retain(|b| !well(b));
    }
    let mut lines: Vec<Line> = buckets
        .into_iter()
        .map(|(status, summary, subjects)| {
            let about = if names(summary, &subjects) { String::new() } else { about(&subjects) };
            let text = if about.is_empty() { summary.to_string() } else { format!("{about}: {summary}") };
            let text = escape::line(&text);
            Line { status, text: if verbose { text } else { console.cut(text, LONGEST) } }
        })
        .collect();
    if !verbose && lines.len() > MOST {
        let more = lines.split_off(MOST - 1);
        let worst = if more.iter().any(|line| line.status == Status::Fail) { Status::Fail } else { more[0].status };
        lines.push(Line { status: worst, text: format!("and {} more; --verbose shows them", more.len()) });
    }
    if collapsed > 0 {
        lines.insert(0, Line { status: Status::Pass, text: format!("{collapsed} GPUs; --verbose shows each") });
    }
    lines
}

/// Whether a summary names its one subject itself.
fn names(summary: &str, subjects: &[&Subject]) -> bool {
    let [subject] = subjects else { return false };
    match subject.framework_parts() {
        Some((name, prefix)) => summary.contains(name) && summary.contains(prefix),
        None => summary.contains(&subject.id),
    }
}

/// What a line is about, where that is not the machine.
fn about(subjects: &[&Subject]) -> String {
    let named = |subject: &&Subject| match subject.kind {
        Kind::Gpu => subject.id.clone(),
        _ => subject.to_string(),
    };
    match subjects {
        [] => String::new(),
        [one] if one.kind == Kind::Machine => String::new(),
        [one] => one.to_string(),
        many if many[0].kind == Kind::Gpu && many.len() > NAMED => format!("{} GPUs", many.len()),
        many if many[0].kind == Kind::Gpu => format!("GPUs {}", many.iter().map(named).collect::<Vec<_>>().join(", ")),
        many => {
            let names: Vec<String> = many.iter().take(NAMED).map(named).collect();
            let more = if many.len() > NAMED { format!(" and {} more", many.len() - NAMED) } else { String::new() };
            format!("{}{more}", names.join(", "))
        }
    }
}

/// A sign and a word, so that it can be read without colour.
fn mark(status: Status, console: &Console) -> (&'static str, &'static str, Tone) {
    match status {
        Status::Pass => (console.sign("✓", "+"), "pass", Tone::Good),
        Status::Warn => (console.sign("!", "!"), "warn", Tone::Doubtful),
        Status::Fail => (console.sign("✗", "x"), "fail", Tone::Bad),
        Status::Unknown => ("?", "unknown", Tone::Doubtful),
        Status::Skip => (console.sign("·", "-"), "skipped", Tone::Faint),
        Status::NotApplicable => (console.sign("·", "-"), "n/a", Tone::Faint),
        Status::Deselected => (console.sign("·", "-"), "left out", Tone::Faint),
    }
}
