//! The rows of a check as lines: per GPU or environment only where these differ.

use super::escape;
use crate::checks::{Row, Status};
use crate::subject::{Kind, Subject};

/// Subjects named on one line; more are counted.
const NAMED: usize = 3;

/// How short a check is told.
#[derive(Clone, Copy, Debug)]
pub struct Brief {
    /// Lines at most; what is beyond is counted.
    pub lines: usize,
    /// Characters of a line at most: the message of an exception can be a page.
    pub characters: usize,
    /// The sign where a line was cut.
    pub cut: &'static str,
    /// What comes before "them" or "each", to say where the rest is to be read: `--verbose shows`.
    pub see: &'static str,
}

/// A line of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The answer.
    pub status: Status,
    /// What it is about, unless that is the machine, and what was found; on one line, without control characters.
    pub text: String,
}

/// The rows of one check as lines. Those that say the same become one; without `brief` every row has its own.
pub fn lines(rows: &[Row], brief: Option<&Brief>) -> Vec<Line> {
    let mut buckets: Vec<(Status, &str, Vec<&Subject>)> = Vec::new();
    for row in rows {
        let same = buckets.iter_mut().find(|(status, summary, subjects)| {
            *status == row.status && *summary == row.summary && subjects.iter().all(|s| s.kind == row.subject.kind)
        });
        match same {
            Some((_, _, subjects)) if brief.is_some() => subjects.push(&row.subject),
            _ => buckets.push((row.status, &row.summary, vec![&row.subject])),
        }
    }
    // Many GPUs that are all well, each with its own numbers, are one line; the numbers are elsewhere.
    let well = |bucket: &(Status, &str, Vec<&Subject>)| {
        bucket.0 == Status::Pass && bucket.2.iter().all(|s| s.kind == Kind::Gpu)
    };
    let mut collapsed = 0;
    if brief.is_some() && buckets.iter().filter(|b| well(b)).count() > 2 {
        collapsed = buckets.iter().filter(|b| well(b)).map(|b| b.2.len()).sum();
        buckets.retain(|b| !well(b));
    }
    let mut lines: Vec<Line> = buckets
        .into_iter()
        .map(|(status, summary, subjects)| {
            let about = if names(summary, &subjects) { String::new() } else { about(&subjects) };
            let text = if about.is_empty() { summary.to_string() } else { format!("{about}: {summary}") };
            let text = escape::line(&text);
            Line { status, text: brief.map_or(text.clone(), |brief| cut(text, brief.characters, brief.cut)) }
        })
        .collect();
    let Some(brief) = brief else { return lines };
    if lines.len() > brief.lines {
        let more = lines.split_off(brief.lines - 1);
        let worst = if more.iter().any(|line| line.status == Status::Fail) { Status::Fail } else { more[0].status };
        lines.push(Line { status: worst, text: format!("and {} more; {} them", more.len(), brief.see) });
    }
    if collapsed > 0 {
        lines.insert(0, Line { status: Status::Pass, text: format!("{collapsed} GPUs; {} each", brief.see) });
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

/// At most this many characters of a text, with a sign where it was cut.
pub fn cut(text: String, most: usize, sign: &str) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}{sign}", text[..at].trim_end()),
        None => text,
    }
}
