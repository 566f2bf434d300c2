//! One page that needs nothing else: the answer, the chain as a picture, the causes with their steps, and what was seen.
//!
//! It asks no network for anything and is read without a script; the one script adds the buttons that copy a command. Its
//! policy names that script by its hash, so that nothing in the facts could run even if it got out of its quotation marks.

mod picture;
mod text;

use super::paint::Tone;
use super::{Format, answer, command, markdown, words};
use crate::causes::Unknown;
use crate::checks::Status;
use crate::facts::{Fact, asked, kernel, python};
use crate::report::{Report, RootCause, Severity};
use crate::subject::Kind;
use std::collections::HashMap;
use text::{line, lines, prose};

/// For a browser.
pub static FORMAT: Format =
    Format::new("html", "one page for a browser", |view| Ok(document(view.report).into_bytes()));

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/copy.js");
/// SHA-256 of the script, as a Content-Security-Policy names it; the browser's test fails where it is not right.
const SCRIPT_HASH: &str = "sha256-JElrmfwwfT8UUpJRbkYEpZt0z42jaWj85GHU52BG0Hw=";

/// Rows of facts, and lines of the kernel log, that the page holds; a browser is slow with more.
const FACTS: usize = 3_000;
const LOG: usize = 1_000;
/// Characters of a value.
const VALUE: usize = 1_000;

/// The report as a page.
pub fn document(report: &Report) -> String {
    let answer = answer::of(report);
    let first = report.root_causes.first().map(|cause| format!(", {} {}", cause.code, cause.title)).unwrap_or_default();
    let class = match answer.tone {
        Tone::Good => "pass",
        Tone::Bad => "fail",
        _ if answer.word == "Inconclusive" => "unknown",
        _ => "warn",
    };
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>gpu-doctor: {}{}</title>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src '{SCRIPT_HASH}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n",
        line(answer.word),
        line(&first),
    );
    out += &format!(
        "<h1>gpu-doctor: <span class=\"{class}\"><span class=\"word\">{}</span></span></h1>\n<div class=\"verdict {class}\">\n<p>{}{}</p>\n",
        line(answer.word),
        prose(&sentence(&answer.sentence)),
        if answer.found.is_empty() { String::new() } else { format!(" {}", line(&answer.found)) }
    );
    if let Some(cause) = report.root_causes.first() {
        let sure = words::confidence(cause.confidence);
        out += &format!("<p><strong>Cause:</strong> {} ({sure}): {}</p>\n", cause.code, prose(&cause.message));
        out += &format!("<p><strong>Fix:</strong> {}</p>\n", prose(&cause.remedy.summary));
    }
    out += "</div>\n";
    let picture = picture::chain(report);
    if !picture.is_empty() {
        out += &format!("<h2>The chain</h2>\n{picture}");
    }
    out += &causes(report);
    out += &unknowns(&report.unknowns);
    out += &rows(report);
    out += &seen(report);
    out += &versions(report);
    out += "</main>\n";
    out += &format!("<script>{SCRIPT}</script>\n</body>\n</html>\n");
    out
}

/// A sentence that begins with a capital.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn causes(report: &Report) -> String {
    if report.root_causes.is_empty() {
        return String::new();
    }
    let mut out = "<h2>What is wrong, and what to do</h2>\n".to_string();
    for group in report.groups() {
        if group.len() > 1 {
            out += &format!("<p>One of the next {}, the likeliest first:</p>\n", group.len());
        }
        out.extend(group.iter().map(cause));
    }
    out
}

fn cause(cause: &RootCause) -> String {
    let severity = words::severity(cause.severity);
    let mut out = format!(
        "<section class=\"cause {severity}\">\n<h3>{severity} {}: {} ({})</h3>\n",
        cause.code,
        line(cause.title),
        words::confidence(cause.confidence)
    );
    if cause.subject.kind != Kind::Machine {
        out += &format!("<p class=\"faint\">About: {}</p>\n", line(&cause.subject.to_string()));
    }
    if cause.message != cause.title {
        out += &format!("<p>{}</p>\n", prose(&cause.message));
    }
    if !cause.evidence.is_empty() {
        out += "<h4>Seen</h4>\n<ul>\n";
        for evidence in &cause.evidence {
            let context = evidence.context.as_ref().map(|context| format!(", {}", line(context))).unwrap_or_default();
            let source = line(&evidence.source);
            out += &format!("<li>{} <span class=\"faint\">({source}{context})</span></li>\n", prose(&evidence.text));
        }
        out += "</ul>\n";
    }
    let remedy = &cause.remedy;
    if !remedy.summary.is_empty() || !remedy.steps.is_empty() {
        out += &format!("<h4>What to do</h4>\n<p>{}</p>\n", prose(&remedy.summary));
    }
    if !remedy.steps.is_empty() {
        out += "<ol>\n";
        for step in &remedy.steps {
            let command = step.command.as_deref().map(self::command).unwrap_or_default();
            out += &format!("<li>{}{command}</li>\n", prose(&words::step(step)));
        }
        out += "</ol>\n";
    }
    if !remedy.verify.is_empty() && cause.severity != Severity::Note {
        out += &format!("<h4>Then check that it worked</h4>\n{}", command(&remedy.verify));
    }
    if !cause.explains.is_empty() {
        out += &format!("<p class=\"faint\">Explains: {}</p>\n", line(&words::explained(&cause.explains, false)));
    }
    out + &format!("<p class=\"faint\">More: <code>gpu-doctor explain {}</code></p>\n</section>\n", cause.code)
}

/// A command with a button, where scripts run.
fn command(command: &str) -> String {
    format!("<div class=\"command\"><pre><code>{}</code></pre></div>\n", lines(command))
}

fn unknowns(unknowns: &[Unknown]) -> String {
    if unknowns.is_empty() {
        return String::new();
    }
    let mut out = "<h2>What would settle it</h2>\n<ol>\n".to_string();
    for unknown in unknowns {
        let ask = match words::is_question(&unknown.ask) {
            true => format!("<p>{}</p>", prose(&unknown.ask)),
            false => command(&unknown.ask),
        };
        out += &format!("<li>{}{ask}</li>\n", prose(&unknown.need));
    }
    out + "</ol>\n"
}

/// Every row of the chain.
fn rows(report: &Report) -> String {
    let mut out = "<h2>Every check</h2>\n<table class=\"rows\">\n<thead><tr><th>Check</th><th>Status</th><th>Result</th></tr></thead>\n<tbody>\n".to_string();
    for row in report.checks.iter().filter(|row| words::tells(report, row.status)) {
        let about = match row.subject.kind {
            Kind::Machine => String::new(),
            _ if row.summary.contains(&row.subject.id) => String::new(),
            _ => format!("{}: ", line(&row.subject.to_string())),
        };
        let (class, word) = (picture::class_of(row.status), words::status(row.status));
        let sign = if row.status == Status::Skip { "" } else { picture::sign(row.status) };
        out += &format!(
            "<tr><td>{}</td><td class=\"{class}\">{sign} {word}</td><td>{about}{}</td></tr>\n",
            row.id,
            line(&row.summary)
        );
    }
    out + "</tbody>\n</table>\n"
}

/// What was seen, folded.
fn seen(report: &Report) -> String {
    const APART: &[&str] = &[kernel::LOG_LINE.name, python::PACKAGE.name, asked::COMMAND.name];
    let order: HashMap<&str, usize> =
        crate::facts::catalogue().enumerate().map(|(place, key)| (key.name(), place)).collect();
    let mut facts: Vec<&Fact> = report.facts.iter().filter(|fact| !APART.contains(&fact.key.as_ref())).collect();
    facts.sort_by_key(|fact| order.get(fact.key.as_ref()).copied().unwrap_or(usize::MAX));
    let mut out = format!(
        "<h2>What was seen</h2>\n<details>\n<summary>Facts ({})</summary>\n<table class=\"facts\">\n\
         <thead><tr><th>Fact</th><th>About</th><th>Value</th><th>Source</th></tr></thead>\n<tbody>\n",
        facts.len()
    );
    for fact in facts.iter().take(FACTS) {
        let about = if fact.subject.kind == Kind::Machine { String::new() } else { line(&fact.subject.to_string()) };
        let source = line(&fact.source);
        out += &format!(
            "<tr><td>{}</td><td>{about}</td><td>{}</td><td>{source}</td></tr>\n",
            line(&fact.key),
            value(fact)
        );
    }
    out += "</tbody>\n</table>\n";
    if facts.len() > FACTS {
        out += &left_out(facts.len() - FACTS);
    }
    out += "</details>\n";
    let packages: Vec<String> = report
        .facts
        .all(&python::PACKAGE)
        .map(|(package, fact)| format!("{} {}  [{}]", package.name, package.version, fact.subject.id))
        .collect();
    out += &folded("Packages that have to do with GPUs", &packages);
    let log: Vec<String> = report.facts.all(&kernel::LOG_LINE).map(|(line, _)| line).collect();
    out + &folded("Lines of the kernel log", &log)
}

fn folded(summary: &str, all: &[String]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let text = all.iter().take(LOG).map(|line| text::line(line)).collect::<Vec<_>>().join("\n");
    let more = if all.len() > LOG { left_out(all.len() - LOG) } else { String::new() };
    format!("<details>\n<summary>{summary} ({})</summary>\n<pre>{text}</pre>\n{more}</details>\n", all.len())
}

fn left_out(count: usize) -> String {
    format!("<p>{count} more are left out; <code>gpu-doctor check --json</code> has everything.</p>\n")
}

fn value(fact: &Fact) -> String {
    let short = |text: &str| line(&super::chain::cut(text.to_string(), VALUE, "..."));
    words::value(fact, |value| short(&value), short)
}

fn versions(report: &Report) -> String {
    let mut out = "<h2>Versions</h2>\n<table>\n<tbody>\n".to_string();
    for (name, value) in markdown::versions(report) {
        out += &format!("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", line(name), line(&value));
    }
    out += "</tbody>\n</table>\n";
    if let Some(arguments) = report.facts.value(&asked::COMMAND) {
        out += &format!("<h2>How this was made</h2>\n{}", self::command(&command::line(&arguments)));
    }
    out + &format!("<p>Seen at {}.</p>\n", line(&report.created_at))
}
