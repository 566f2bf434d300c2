//! Text that was seen somewhere as Markdown that shows it and does nothing else.
//!
//! GitHub and GitLab make links of `@name`, `#123`, `owner/repo#1`, `GH-1`, `www.`, `:smile:` and more after Markdown is
//! done, so a backslash before them does not help; what they leave alone is code. So a word is plain text only where every
//! character of it is known to mean nothing, and code otherwise. That paths and values then look like what they are is welcome.

use crate::render::{chain::cut, escape};

/// Where the text stands: a vertical bar ends a cell, also within code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A cell of a table.
    Cell,
    /// Anywhere else in a line.
    Line,
}

/// A sentence on one line, of at most so many characters of the original. Parts between backticks are code.
pub fn prose(text: &str, most: usize, place: Place) -> String {
    let text = cut(escape::line(text), most, "...");
    let mut out = String::with_capacity(text.len() + 16);
    if text.matches('`').count() % 2 == 1 {
        words(&text, place, &mut out);
        return out;
    }
    for (n, part) in text.split('`').enumerate() {
        match n % 2 {
            0 => words(part, place, &mut out),
            _ => push(&mut out, &code(part, place)),
        }
    }
    out
}

/// Every word as it is or as code; the blanks between them stay.
fn words(text: &str, place: Place, out: &mut String) {
    for piece in text.split_inclusive(' ') {
        let word = piece.trim_end_matches(' ');
        let head = word.len() - word.trim_start_matches(['(', '"', '\'']).len();
        let core = word[head..].trim_end_matches(['.', ',', ';', ':', ')', '"', '\'', '!', '?']);
        let tail = head + core.len();
        // `1.`, a hyphen or the like at the beginning could make a list of the line.
        let at_start = out.trim_start().is_empty() && head == 0;
        let marker = at_start
            && (!core.starts_with(char::is_alphanumeric)
                || core.bytes().all(|b| b.is_ascii_digit()) && tail < word.len());
        if !marker && (core.is_empty() || is_plain(core)) {
            out.push_str(word);
        } else if core.is_empty() {
            push(out, &code(word, place));
        } else {
            out.push_str(&word[..head]);
            push(out, &code(core, place));
            out.push_str(&word[tail..]);
        }
        out.push_str(&piece[word.len()..]);
    }
}

/// Two runs of backticks must not meet.
fn push(out: &mut String, code: &str) {
    if out.ends_with('`') {
        out.push(' ');
    }
    out.push_str(code);
}

/// Whether a word means nothing to Markdown, nor to those who make links of words.
fn is_plain(word: &str) -> bool {
    let known = |c: char| !c.is_ascii() || c.is_ascii_alphanumeric() || ".,'\"-+=/%()".contains(c);
    let hex =
        word.len() >= 7 && word.bytes().all(|b| b.is_ascii_hexdigit()) && word.bytes().any(|b| b.is_ascii_digit());
    let ticket = word.split_once('-').is_some_and(|(name, number)| {
        name.len() > 1
            && name.bytes().all(|b| b.is_ascii_alphanumeric())
            && !number.is_empty()
            && number.bytes().all(|b| b.is_ascii_digit())
    });
    // A line that begins with a slash is a command to GitLab.
    word.chars().all(known) && !word.starts_with(['/', '%']) && !word.contains("www.") && !hex && !ticket
}

/// Code within a line.
pub fn code(text: &str, place: Place) -> String {
    let text = escape::line(text);
    if text.is_empty() {
        return String::new();
    }
    // Nothing keeps a bar from ending a cell where a backslash is before it, except to write it as an entity, and that is
    // one only outside of backticks.
    if place == Place::Cell && text.contains('|') {
        return format!("<code>{}</code>", entities(&text));
    }
    let fence = "`".repeat(longest_run(&text) + 1);
    let blank = |c: char| c == ' ' || c == '`';
    let pad = if text.starts_with(blank) || text.ends_with(blank) { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// A block of code, each line behind an indent. The lines stay as they are.
pub fn block(text: &str, language: &str, indent: &str) -> String {
    let text = escape::lines(text);
    let fence = "`".repeat(longest_run(&text).max(2) + 1);
    let mut out = format!("{indent}{fence}{language}\n");
    for line in text.lines() {
        out.push_str(&format!("{indent}{line}\n"));
    }
    out.push_str(&format!("{indent}{fence}\n"));
    out
}

/// Text with everything that is neither a letter nor a digit nor a blank written as an entity.
fn entities(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len() * 2), |mut out, c| {
        match c.is_alphanumeric() || c == ' ' {
            true => out.push(c),
            false => out.push_str(&format!("&#{};", u32::from(c))),
        }
        out
    })
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> String {
        prose(text, 1000, Place::Line)
    }

    #[test]
    fn words_are_text_and_everything_else_is_code() {
        assert_eq!(line("The driver (version 580.95.05) is loaded."), "The driver (version 580.95.05) is loaded.");
        assert_eq!(line("see /home/u/x, and nvidia_uvm."), "see `/home/u/x`, and `nvidia_uvm`.");
        assert_eq!(line("run `nvidia-smi -L` now"), "run `nvidia-smi -L` now");
        assert_eq!(line("@torvalds #1 GH-1 a/b#2 :tada: www.x.org *x* <b>"), {
            "`@torvalds` `#1` `GH-1` `a/b#2` `:tada`: `www.x.org` `*x*` `<b>`"
        });
        assert_eq!(line("one\ntwo"), "one two");
        assert_eq!(line("lone ` tick"), "lone `` ` `` tick");
    }

    #[test]
    fn the_beginning_of_a_line_makes_no_list_and_no_heading() {
        for (text, wanted) in [("- x", "`-` x"), ("1. x", "`1`. x"), ("# x", "`#` x"), ("=== x", "`===` x")] {
            assert_eq!(line(text), wanted);
        }
        assert_eq!(line("/close"), "`/close`");
        assert_eq!(line("--- x"), "`---` x");
        assert_eq!(line("... x"), "`...` x");
    }

    #[test]
    fn runs_of_backticks_never_meet() {
        assert_eq!(line("x_y`foo`"), "`x_y` `foo`");
        assert_eq!(line("``"), "");
        assert_eq!(code("a``b`", Place::Line), "``` a``b` ```");
        assert_eq!(block("```\nx", "", "  "), "  ````\n  ```\n  x\n  ````\n");
    }

    #[test]
    fn no_bar_ends_a_cell() {
        assert_eq!(code("a\\|b", Place::Cell), "<code>a&#92;&#124;b</code>");
        assert_eq!(code("a|b", Place::Line), "`a|b`");
        assert_eq!(prose("x | y", 99, Place::Cell), "x <code>&#124;</code> y");
    }
}
