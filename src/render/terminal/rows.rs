//! The chain: one line per check, and per GPU only where GPUs differ.

use crate::checks::{CHAIN, Row, Status};
use crate::machine::console::Console;
use crate::render::chain::{self, Brief, Line};
use crate::render::paint::Tone;
use crate::render::words;

/// Below this width the summary goes on a line of its own.
const BESIDE: usize = 60;
/// The lines of all checks, in their order.
pub fn table(rows: &[Row], console: &Console, verbose: bool) -> String {
    let widest = CHAIN.iter().map(|check| check.id.len()).max().unwrap_or_default();
    let mut out = String::new();
    let brief = Brief { lines: MOST, characters: LONGEST, cut: console.sign("…", "..."), see: "--verbose shows" };
    for of_check in rows.chunk_by(|a, b| a.id == b.id) {
        for (n, line) in chain::lines(of_check, (!verbose).then_some(&brief)).iter().enumerate() {
            let (sign, word, tone) = mark(line.status, console);
            let id = if n == 0 { of_check[0].id } else { "" };
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

/// Lines that belong to no check, each with its sign.
pub fn list(lines: &[Line], console: &Console) -> String {
    let one = |line: &Line| {
        let (sign, word, tone) = mark(line.status, console);
        console.wrap(&line.text, &console.paint(tone, &format!("{sign} {word:<8}")), "    ")
    };
    lines.iter().map(one).collect()
}

/// Lines of one check; what is beyond is counted.
const MOST: usize = 5;

/// Characters of a line that are shown; the message of an exception can be a page.
const LONGEST: usize = 200;

/// A sign and a word, so that it can be read without colour.
fn mark(status: Status, console: &Console) -> (&'static str, &'static str, Tone) {
    let (sign, tone) = match status {
        Status::Pass => (console.sign("✓", "+"), Tone::Good),
        Status::Warn => ("!", Tone::Doubtful),
        Status::Fail => (console.sign("✗", "x"), Tone::Bad),
        Status::Unknown => ("?", Tone::Doubtful),
        Status::Skip | Status::NotApplicable | Status::Deselected => (console.sign("·", "-"), Tone::Faint),
    };
    (sign, words::status(status), tone)
}
