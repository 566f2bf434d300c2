//! Annotations of a GitHub workflow, and Markdown for the summary of the job.
//!
//! The commands and what has to be escaped in them:
//! <https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands>.

use super::{Append, Format, View, answer, escape, markdown, status};
use crate::report::{Confidence, RootCause, Severity, Verdict};

/// Annotations, and a summary.
pub static FORMAT: Format = Format {
    append: Some(Append { variable: "GITHUB_STEP_SUMMARY", render: |view| (markdown::FORMAT.render)(view) }),
    ..Format::new("github", "annotations of a GitHub workflow, and Markdown for its summary", |view| {
        Ok(annotations(view).into_bytes())
    })
};

/// One command a line: the verdict, then each fault.
fn annotations(view: &View) -> String {
    let report = view.report;
    let answer = answer::of(report);
    let mut message = format!("{}: {}{}", answer.word, answer.sentence, answer.found);
    for unknown in &report.unknowns {
        message.push_str(&format!("\nTo settle it: {}: {}", unknown.need, unknown.ask));
    }
    let command = match (report.verdict, status(Some(report.verdict), view.strict)) {
        (Verdict::Ready, _) => "notice",
        (_, 0) => "warning",
        _ => "error",
    };
    let mut out = line(command, "gpu-doctor", &message);
    for group in report.groups() {
        out.push_str(&fault(group));
    }
    out
}

/// A fault, with all its candidates in one annotation: GitHub shows ten of a kind for a step.
fn fault(candidates: &[RootCause]) -> String {
    let [first, others @ ..] = candidates else { return String::new() };
    let command = match first.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let mut lines = vec![first.message.clone(), first.remedy.summary.clone()];
    lines.extend(first.remedy.steps.iter().filter_map(|step| step.command.clone()));
    lines.push(format!("More: gpu-doctor explain {}", first.code));
    lines.extend(others.iter().map(|other| format!("Or {}: {}", other.code, other.title)));
    lines.retain(|line| !line.is_empty());
    let sure = if first.confidence == Confidence::Certain { "" } else { " (not certain)" };
    line(command, &format!("gpu-doctor {}: {}{sure}", first.code, first.title), &lines.join("\n"))
}

fn line(command: &str, title: &str, message: &str) -> String {
    format!("::{command} title={}::{}\n", property(&escape::line(title)), data(&escape::lines(message)))
}

/// What follows the second `::`.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
