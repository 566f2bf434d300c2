//! Words that every format for people uses: how bad, how sure, what a step takes.

use crate::causes::Occurrence;
use crate::causes::page::Step;
use crate::checks::{Status, given};
use crate::facts::{Fact, State};
use crate::report::{Confidence, Report, Severity};

/// How bad, in a word.
pub fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// How sure, in a word.
pub fn confidence(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Certain => "certain",
        Confidence::Likely => "likely",
        Confidence::Possible => "possible",
    }
}

/// A status in a word.
pub fn status(status: Status) -> &'static str {
    match status {
        Status::Pass => "pass",
        Status::Warn => "warn",
        Status::Fail => "fail",
        Status::Unknown => "unknown",
        Status::Skip => "skipped",
        Status::NotApplicable => "n/a",
        Status::Deselected => "left out",
    }
}

/// What came of looking, in whose view and under which experiment. A format gives how it writes a value and how a sentence, each
/// of any length and origin.
pub fn value(fact: &Fact, value: impl Fn(String) -> String, sentence: impl Fn(&str) -> String) -> String {
    // A text stands without quotation marks, anything else as JSON.
    let plain = |seen: &serde_json::Value| match seen {
        serde_json::Value::String(text) if !text.is_empty() => text.clone(),
        other => other.to_string(),
    };
    let said = match &fact.state {
        State::Seen { value: seen } => value(plain(seen)),
        State::Absent => "absent".to_string(),
        State::Failed { why } => format!("could not be seen: {}", sentence(why)),
        State::Reported { value: seen } => format!("reported: {}", value(plain(seen))),
    };
    let variant = fact.context.variant.map(|variant| format!(", {}", variant.describe())).unwrap_or_default();
    let view = fact.context.view.as_ref().map(|view| format!(", as {} sees it", sentence(view))).unwrap_or_default();
    format!("{said}{variant}{view}")
}

/// The sentence of a step, with what it takes: root, a reboot, another place.
pub fn step(step: &Step) -> String {
    // A command that says sudo says it already.
    let says_sudo = step.command.as_ref().is_some_and(|command| command.contains("sudo "));
    let takes: Vec<&str> = [(step.root && !says_sudo, "as root"), (step.reboot, "takes a reboot")]
        .into_iter()
        .filter_map(|(is, word)| is.then_some(word))
        .chain(step.place.as_deref().map(place))
        .collect();
    if takes.is_empty() {
        return step.text.clone();
    }
    let text = step.text.trim();
    let colon = if text.ends_with(':') { ":" } else { "" };
    format!("{} ({}){colon}", text.trim_end_matches(':'), takes.join(", "))
}

fn place(word: &str) -> &str {
    match word {
        "host" => "on the host, not in the container",
        "windows" => "in Windows",
        other => other,
    }
}

/// The checks whose failures a cause explains, in full also how they fail.
pub fn explained(occurrences: &[Occurrence], in_full: bool) -> String {
    let mut parts: Vec<String> = Vec::new();
    for occurrence in occurrences {
        let part = match in_full {
            true => format!("{} {}", occurrence.check, occurrence.symptom),
            false => occurrence.check.to_string(),
        };
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    parts.join(", ")
}

/// Whether what would settle something is a question to a person, and not a command.
pub fn is_question(ask: &str) -> bool {
    ask.ends_with(['?', '.']) || ask.contains('`')
}

/// The rows that tell something. Of a text, those that say nothing are left out: nobody looked.
pub fn tells(report: &Report, status: Status) -> bool {
    !given::is_text(&report.facts) || matches!(status, Status::Pass | Status::Warn | Status::Fail)
}

/// What was replaced in a report, in a sentence.
pub fn redacted(report: &Report) -> String {
    match &report.redacted {
        None => "Names and addresses stand in it as they were seen; secrets do not.".to_string(),
        Some(replaced) if replaced.is_empty() => "Nothing in it had to be replaced.".to_string(),
        Some(replaced) => {
            let parts: Vec<String> = replaced.iter().map(|part| format!("{} ({})", part.kind, part.count)).collect();
            format!("Replaced in it, one token for one value: {}.", parts.join(", "))
        }
    }
}
