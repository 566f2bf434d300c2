//! One file per format. A renderer decides nothing: all it shows is in the report.
//!
//! To add a format: its file with a `pub static FORMAT`, and one line in [`FORMATS`].

pub mod answer;
pub mod chain;
pub mod escape;
pub mod json;
pub mod page;
pub mod paint;
pub mod terminal;
pub mod words;

use crate::machine::console::Console;
use crate::report::{Report, Verdict};

/// What a renderer gets.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// What is shown.
    pub report: &'a Report,
    /// What the output may use, for formats that are read on a terminal.
    pub console: &'a Console,
    /// Whether every row and fact is shown, for formats that leave some out.
    pub verbose: bool,
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
}

/// Every format; the first is the default of `check`.
pub static FORMATS: &[&Format] = &[&terminal::FORMAT, &json::FORMAT];

/// The format of this name.
pub fn by_name(name: &str) -> Option<&'static Format> {
    FORMATS.iter().copied().find(|format| format.name == name)
}

/// The exit status of the contract, for formats without one of their own.
pub fn status(verdict: Option<Verdict>, strict: bool) -> u8 {
    verdict.map_or(crate::commands::BROKEN, |verdict| verdict.status(strict))
}
