//! One line for Nagios, Icinga and the like, with figures, and their exit status: 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN.
//!
//! <https://www.monitoring-plugins.org/doc/guidelines.html>

use super::{Format, answer, cut, escape, in_full};
use crate::checks::Status;
use crate::report::{Report, Severity, Verdict};

/// One line.
pub static FORMAT: Format = Format {
    status: |verdict, _| state(verdict).0,
    complain: Some(|why| format!("GPU-DOCTOR UNKNOWN - {}\n", plain(why))),
    ..Format::new("nagios", "one line for Nagios or Icinga, with their exit status", |view| {
        Ok(line(view.report).into_bytes())
    })
};

/// Bytes of the text, so that the line has fewer than 1024: what carries it between machines may cut it.
const LONGEST: usize = 700;

fn state(verdict: Option<Verdict>) -> (u8, &'static str) {
    match verdict {
        Some(Verdict::Ready) => (0, "OK"),
        Some(Verdict::Degraded) => (1, "WARNING"),
        Some(Verdict::NotReady) => (2, "CRITICAL"),
        Some(Verdict::Inconclusive) | None => (3, "UNKNOWN"),
    }
}

fn line(report: &Report) -> String {
    let (_, state) = state(Some(report.verdict));
    let answer = answer::of(report);
    let mut text = format!("{}: {}", answer.word, answer.sentence);
    match (report.verdict, report.root_causes.first(), report.unknowns.first()) {
        // A note is nothing to be called for.
        (Verdict::Degraded | Verdict::NotReady, Some(cause), _) => {
            text.push_str(&format!(" {} {}", cause.code, in_full(cause)));
        }
        (Verdict::Inconclusive, _, Some(unknown)) => text.push_str(&format!(" To be known: {}", unknown.need)),
        _ => {}
    }
    format!("GPU-DOCTOR {state} - {} | {}\n", plain(&text), figures(report))
}

/// `'label'=value;warn;crit;min`: nothing but the least value there can be.
fn figures(report: &Report) -> String {
    let groups = report.groups();
    let faults = |severity: Severity| groups.iter().filter(|g| g.iter().any(|c| c.severity == severity)).count();
    let rows = |status: Status| report.checks.iter().filter(|row| row.status == status).count();
    [
        ("problems", faults(Severity::Error)),
        ("warnings", faults(Severity::Warning)),
        ("passed", rows(Status::Pass)),
        ("failed", rows(Status::Fail)),
        ("unknown", rows(Status::Unknown)),
    ]
    .map(|(label, value)| format!("{label}={value};;;0"))
    .join(" ")
}

/// One line without the sign that starts the figures.
fn plain(text: &str) -> String {
    cut(&escape::line(text).replace('|', "/"), LONGEST)
}
