//! The chain as a picture: a link per check, and on it a mark for each GPU, environment or framework; the broken link is
//! marked.
//!
//! The picture is drawn by the style sheet alone. For those who cannot see it, its label says the same in words.

use super::text::line;
use crate::checks::{CHAIN, Row, Status};
use crate::render::words;
use crate::report::Report;
use crate::subject::{Kind, Subject};
use std::collections::BTreeSet;

/// Marks of one link that are drawn; more are counted.
const MARKS: usize = 64;

/// The picture.
pub fn chain(report: &Report) -> String {
    let links: Vec<(&str, Vec<&Row>)> = CHAIN
        .iter()
        .map(|check| (check.title, report.checks.iter().filter(|row| row.id == check.id).collect::<Vec<_>>()))
        .filter(|(_, rows)| rows.iter().any(|row| words::tells(report, row.status)))
        .collect();
    if links.is_empty() {
        return String::new();
    }
    let broken = links.iter().position(|(_, rows)| worst(rows) == Status::Fail);
    let label: Vec<String> = links
        .iter()
        .enumerate()
        .map(|(n, (title, rows))| {
            let here = if Some(n) == broken { ", here the chain breaks" } else { "" };
            format!("{title}: {}{here}", counted(rows))
        })
        .collect();
    let mut out = format!("<figure class=\"chain\" role=\"img\" aria-label=\"{}\">\n", line(&label.join("; ")));
    for (n, (title, rows)) in links.iter().enumerate() {
        let status = worst(rows);
        let class = if Some(n) == broken { " broken" } else { "" };
        let here = if Some(n) == broken { breaks(rows) } else { "" };
        out += &format!(
            "<div class=\"link {}{class}\"><span class=\"knot\">{}</span><span class=\"name\">{}{here}</span><span class=\"marks\">{}</span></div>\n",
            class_of(status),
            sign(status),
            line(title),
            marks(rows)
        );
    }
    out + "</figure>\n"
}

/// What stands beside the first broken link: for some things the chain may hold all the same.
fn breaks(rows: &[&Row]) -> &'static str {
    match rows.iter().any(|row| row.status == Status::Pass) {
        true => "<span class=\"here\">the chain breaks here for some</span>",
        false => "<span class=\"here\">the chain breaks here</span>",
    }
}

/// How bad a link is: as its worst row.
fn worst(rows: &[&Row]) -> Status {
    let order = [Status::Fail, Status::Warn, Status::Unknown, Status::Pass, Status::Skip, Status::NotApplicable];
    order.into_iter().find(|status| rows.iter().any(|row| row.status == *status)).unwrap_or(Status::Deselected)
}

/// `pass`, or `3 pass, 1 fail`.
fn counted(rows: &[&Row]) -> String {
    let mut statuses: Vec<Status> = Vec::new();
    for row in rows {
        if !statuses.contains(&row.status) {
            statuses.push(row.status);
        }
    }
    let word = |status: &Status| match (statuses.len(), rows.iter().filter(|row| row.status == *status).count()) {
        (1, 1) => words::status(*status).to_string(),
        (_, count) => format!("{count} {}", words::status(*status)),
    };
    statuses.iter().map(word).collect::<Vec<_>>().join(", ")
}

/// A mark for each thing that the link was asked of. What says several things of one subject is one mark, as bad as its worst.
fn marks(rows: &[&Row]) -> String {
    let mut subjects: Vec<&Subject> = Vec::new();
    for row in rows {
        if !subjects.contains(&&row.subject) {
            subjects.push(&row.subject);
        }
    }
    let prefixes: BTreeSet<&str> =
        subjects.iter().filter_map(|subject| subject.framework_parts().map(|(_, prefix)| prefix)).collect();
    let mut out = String::new();
    for subject in subjects.iter().take(MARKS) {
        let own: Vec<&Row> = rows.iter().filter(|row| row.subject == **subject).copied().collect();
        let status = worst(&own);
        let told = own.iter().find(|row| row.status == status).map_or("", |row| row.summary.as_str());
        out += &format!(
            "<span class=\"mark {}\" title=\"{}\"><span class=\"sign\">{}</span> {}</span>",
            class_of(status),
            line(told),
            sign(status),
            line(&name(subject, status, prefixes.len() > 1))
        );
    }
    if subjects.len() > MARKS {
        out += &format!("<span class=\"mark\">and {} more</span>", subjects.len() - MARKS);
    }
    out
}

/// The shortest name that tells a subject from its neighbours.
fn name(subject: &Subject, status: Status, several: bool) -> String {
    let short = |path: &str| {
        let parts: Vec<&str> = path.split(['/', '\\']).filter(|part| !part.is_empty()).collect();
        // `.venv` and `env` say nothing without the folder around them.
        let from = parts.len().saturating_sub(2);
        parts[from..].join("/")
    };
    match (subject.kind, subject.framework_parts()) {
        (Kind::Machine, _) => words::status(status).to_string(),
        (Kind::Framework, Some((name, prefix))) if several => format!("{name} in {}", short(prefix)),
        (Kind::Framework, Some((name, _))) => name.to_string(),
        (Kind::Environment | Kind::File, _) => short(&subject.id),
        _ => subject.id.clone(),
    }
}

/// The class of a status in the style sheet.
pub fn class_of(status: Status) -> &'static str {
    match status {
        Status::Pass => "pass",
        Status::Warn => "warn",
        Status::Fail => "fail",
        Status::Unknown => "unknown",
        Status::Skip | Status::NotApplicable | Status::Deselected => "none",
    }
}

/// A sign beside the colour, so that nobody needs the colour.
pub fn sign(status: Status) -> &'static str {
    match status {
        Status::Pass => "✓",
        Status::Warn => "!",
        Status::Fail => "✗",
        Status::Unknown => "?",
        Status::Skip | Status::NotApplicable | Status::Deselected => "·",
    }
}
