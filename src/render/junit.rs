//! JUnit XML for CI servers: one case per row of the chain.
//!
//! The elements and attributes are those of Jenkins' schema, which GitLab and others read as well. A failed row is a
//! failure. A row that was not measured, or that there is no such thing for, is skipped. A row that is unknown is an error
//! where that keeps the answer open, and else skipped: it never passed. Rows have no time of their own, so none is given.

use super::{Format, View, escape, in_full, terminal};
use crate::checks::{Row, Status};
use crate::machine::console::Console;
use crate::report::{Report, RootCause, Verdict};
use std::collections::HashMap;
use std::fmt::Write;

/// One case per row.
pub static FORMAT: Format = Format::new("junit", "JUnit XML for CI servers, one case per row of the chain", |view| {
    Ok(document(view).into_bytes())
});

/// What a case is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Passed,
    Failed,
    Error,
    Skipped,
}

fn document(view: &View) -> String {
    let report = view.report;
    let outcomes: Vec<Outcome> = report.checks.iter().map(|row| outcome(row, report.verdict, view.strict)).collect();
    let count = |wanted: Outcome| outcomes.iter().filter(|outcome| **outcome == wanted).count();
    let counts = format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\"",
        outcomes.len(),
        count(Outcome::Failed),
        count(Outcome::Error)
    );
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(out, "<testsuites name=\"gpu-doctor\" {counts}>");
    let (skipped, time) = (count(Outcome::Skipped), timestamp(&report.created_at));
    let _ = writeln!(
        out,
        "  <testsuite name=\"gpu-doctor\" {counts} skipped=\"{skipped}\" timestamp=\"{}\">",
        attribute(&time)
    );
    out.push_str("    <properties>\n");
    for (name, value) in [("version", report.tool.version), ("verdict", report.verdict.name())] {
        let _ = writeln!(out, "      <property name=\"{name}\" value=\"{}\"/>", attribute(value));
    }
    out.push_str("    </properties>\n");
    let mut names: HashMap<String, usize> = HashMap::new();
    for (row, outcome) in report.checks.iter().zip(&outcomes) {
        case(&mut out, row, *outcome, &mut names, report);
    }
    let console = Console { width: 100, colour: false, unicode: true };
    let said = terminal::report(report, &console, view.verbose);
    let _ = writeln!(out, "    <system-out>{}</system-out>\n  </testsuite>\n</testsuites>", text(&said));
    out
}

fn outcome(row: &Row, verdict: Verdict, strict: bool) -> Outcome {
    match row.status {
        Status::Pass => Outcome::Passed,
        Status::Warn if strict => Outcome::Failed,
        // It works; what is to be looked at stands in the suite's output.
        Status::Warn => Outcome::Passed,
        Status::Fail => Outcome::Failed,
        Status::Unknown if verdict == Verdict::Inconclusive => Outcome::Error,
        Status::Unknown | Status::Skip | Status::NotApplicable | Status::Deselected => Outcome::Skipped,
    }
}

fn case(out: &mut String, row: &Row, outcome: Outcome, names: &mut HashMap<String, usize>, report: &Report) {
    // Servers take two cases of one name for one.
    let subject = row.subject.to_string();
    let seen = names.entry(format!("{} {subject}", row.id)).or_default();
    *seen += 1;
    let name = if *seen == 1 { subject } else { format!("{subject} ({seen})") };
    let _ = write!(out, "    <testcase classname=\"gpu-doctor.{}\" name=\"{}\"", row.id, attribute(&name));
    let element = match outcome {
        Outcome::Passed => {
            out.push_str("/>\n");
            return;
        }
        Outcome::Failed => "failure",
        Outcome::Error => "error",
        Outcome::Skipped => "skipped",
    };
    let _ = write!(
        out,
        ">\n      <{element} type=\"{}\" message=\"{}\"",
        row.status.name(),
        attribute(&escape::line(&row.summary))
    );
    match outcome {
        Outcome::Failed => {
            let _ = writeln!(out, ">{}</{element}>", text(&details(row, report)));
        }
        _ => out.push_str("/>\n"),
    }
    out.push_str("    </testcase>\n");
}

/// What does not work, why, and what to do.
fn details(row: &Row, report: &Report) -> String {
    let mut lines = vec![row.summary.clone()];
    if !row.symptoms.is_empty() {
        let symptoms: Vec<String> = row.symptoms.iter().map(ToString::to_string).collect();
        lines.push(format!("Symptoms: {}", symptoms.join(", ")));
    }
    for cause in report.root_causes.iter().filter(|cause| explains(cause, row)) {
        lines.push(format!("{} {}", cause.code, in_full(cause)));
        lines.push(cause.remedy.summary.clone());
        lines.push(format!("More: gpu-doctor explain {}", cause.code));
    }
    lines.retain(|line| !line.is_empty());
    lines.join("\n")
}

fn explains(cause: &RootCause, row: &Row) -> bool {
    cause.explains.iter().any(|o| o.check == row.id && o.subject == row.subject && row.symptoms.contains(&o.symptom))
}

/// The time in UTC as the schemas want it, without a zone.
fn timestamp(created_at: &str) -> String {
    let time = humantime::parse_rfc3339(created_at).map(|time| humantime::format_rfc3339_seconds(time).to_string());
    time.unwrap_or_default().trim_end_matches('Z').to_string()
}

/// Text between tags. What is unsafe for a reader is written out, and so is what XML cannot hold at all.
fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in escape::lines(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\u{fffe}' | '\u{ffff}' => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out
}

/// Text between double quotes.
fn attribute(value: &str) -> String {
    text(value).replace('"', "&quot;").replace('\n', "&#10;")
}
