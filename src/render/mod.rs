//! One file per format. A renderer decides nothing: all it shows is in the report.
//!
//! To add a format: its file with a `pub static FORMAT`, and one line in [`FORMATS`].

pub mod answer;
pub mod bundle;
pub mod chain;
pub mod command;
pub mod difference;
pub mod environments;
pub mod escape;
pub mod github;
pub mod html;
pub mod json;
pub mod junit;
pub mod markdown;
pub mod nagios;
pub mod npd;
pub mod page;
pub mod paint;
pub mod prometheus;
pub mod terminal;
pub mod words;

use crate::machine::console::Console;
use crate::machine::outputs::Mode;
use crate::report::{Report, RootCause, Verdict};
use std::ffi::OsString;

/// What a renderer gets.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// What is shown.
    pub report: &'a Report,
    /// What the output may use, for formats that are read on a terminal.
    pub console: &'a Console,
    /// Whether every row and fact is shown, for formats that leave some out.
    pub verbose: bool,
    /// Whether degraded counts as a failure.
    pub strict: bool,
}

/// A form that a report can take.
pub struct Format {
    /// The word after `--format`; an API.
    pub name: &'static str,
    /// What it is for, in a few words.
    pub about: &'static str,
    /// The document. It names this program, or a check, in its first KiB: `-o` replaces no file that does not.
    pub render: fn(&View) -> anyhow::Result<Vec<u8>>,
    /// The exit status; the first is the verdict, or nothing where there is none because something went wrong, and the
    /// second is `--strict`.
    pub status: fn(Option<Verdict>, bool) -> u8,
    /// Who may read the file of `-o`.
    pub mode: Mode,
    /// What else is written.
    pub append: Option<Append>,
    /// What goes to stdout where something went wrong, for readers that look there for the reason.
    pub complain: Option<fn(&str) -> String>,
}

/// A document that is added to the file that an environment variable names, where it is set.
pub struct Append {
    /// The variable.
    pub variable: &'static str,
    /// The document.
    pub render: fn(&View) -> anyhow::Result<Vec<u8>>,
}

impl Format {
    /// A format like most: with the exit status of the contract, and nothing to do but to write one document.
    pub const fn new(name: &'static str, about: &'static str, render: fn(&View) -> anyhow::Result<Vec<u8>>) -> Format {
        Format { name, about, render, status, mode: Mode::Usual, append: None, complain: None }
    }
}

/// Every format; the first is the default of `check`.
pub static FORMATS: &[&Format] = &[
    &terminal::FORMAT,
    &json::FORMAT,
    &markdown::FORMAT,
    &html::FORMAT,
    &junit::FORMAT,
    &github::FORMAT,
    &prometheus::FORMAT,
    &nagios::FORMAT,
    &npd::FORMAT,
];

/// The format of this name.
pub fn by_name(name: &str) -> Option<&'static Format> {
    FORMATS.iter().copied().find(|format| format.name == name)
}

/// Whether a file that starts like this came from this program, so that it may be replaced. What only speaks of it, as notes
/// or a workflow do, is somebody's work.
pub fn is_ours(head: &[u8]) -> bool {
    if head.starts_with(&[0x1f, 0x8b]) {
        return head.windows(10).take(64).any(|part| part == b"gpu-doctor");
    }
    let head = String::from_utf8_lossy(head);
    let first = head.lines().next().unwrap_or_default();
    let whole = |begin: &str, holds: &str| first.starts_with(begin) && head.contains(holds);
    ["# gpu-doctor: ", "GPU-DOCTOR ", "gpu-doctor: ", "# HELP gpu_doctor_"].iter().any(|begin| first.starts_with(begin))
        || whole("{", "\"schema_version\"")
        || whole("<?xml", "<testsuites name=\"gpu-doctor\"")
        || whole("<!DOCTYPE html>", "<title>gpu-doctor: ")
        || first.starts_with("::") && first.contains(" title=gpu-doctor")
        || first.starts_with("A  ") && head.lines().any(|line| line.starts_with("B  "))
        || is_row(first)
        || ["Ready: ", "Degraded: ", "Not ready: ", "Inconclusive: "].iter().any(|begin| first.starts_with(begin))
}

/// Whether a line is a row of the chain as a terminal shows it: a sign, a status, a check.
fn is_row(line: &str) -> bool {
    let plain: String = line
        .split('\u{1b}')
        .map(|part| part.strip_prefix('[').map_or(part, |p| p.split_once('m').map_or("", |(_, text)| text)))
        .collect();
    let mut parts = plain.split_whitespace().skip_while(|part| part.chars().count() == 1);
    let status = parts.next().unwrap_or_default();
    let id = parts.find(|part| *part != "out").unwrap_or_default();
    ["pass", "warn", "fail", "unknown", "skipped", "n/a", "left"].contains(&status)
        && crate::checks::CHAIN.iter().any(|check| check.id == id)
}

/// The format that a command line asks for, however wrong the rest of it is; the default where it names none.
pub fn asked(arguments: impl IntoIterator<Item = OsString>) -> &'static Format {
    let mut arguments = arguments.into_iter().take_while(|argument| argument != "--");
    let mut found = None;
    while let Some(argument) = arguments.next() {
        let value = match argument.to_str() {
            Some("--format") => arguments.next(),
            Some(text) => text.strip_prefix("--format=").map(OsString::from),
            None => None,
        };
        found = value.and_then(|value| by_name(value.to_str()?)).or(found);
    }
    found.unwrap_or(FORMATS[0])
}

/// A cause by its title and its message, which may begin with it.
fn in_full(cause: &RootCause) -> String {
    if cause.message.starts_with(cause.title) {
        cause.message.clone()
    } else {
        format!("{}: {}", cause.title, cause.message)
    }
}

/// At most so many bytes of a line, cut where a character ends.
fn cut(text: &str, most: usize) -> String {
    const MORE: &str = "...";
    if text.len() <= most {
        return text.to_string();
    }
    let end = (0..=most - MORE.len()).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    format!("{}{MORE}", text[..end].trim_end())
}

/// The exit status of the contract, for formats without one of their own.
pub fn status(verdict: Option<Verdict>, strict: bool) -> u8 {
    verdict.map_or(crate::commands::BROKEN, |verdict| verdict.status(strict))
}
