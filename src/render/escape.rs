//! Makes text that was seen somewhere safe to show: what moves the cursor, changes colours, reorders or hides text is
//! written out instead.

use std::fmt::Write;

/// Whether a terminal or a reader could be fooled by it: control characters (also those above ASCII), marks that change
/// the direction of text, and characters without width.
pub fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Text on one line: line breaks become spaces, and what is unsafe is written as `\u{1b}`.
pub fn line(text: &str) -> String {
    escape(text.trim(), ' ')
}

/// Text that keeps its line breaks.
pub fn lines(text: &str) -> String {
    escape(text.trim_end(), '\n')
}

fn escape(text: &str, newline: char) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\n' => out.push(newline),
            '\r' if rest.peek() == Some(&'\n') => {}
            '\t' => out.push(' '),
            _ if is_unsafe(c) => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_fool_is_written_out() {
        assert_eq!(line("a\u{1b}[31mred\u{7}"), "a\\u{1b}[31mred\\u{7}");
        assert_eq!(line("\u{9b}2J"), "\\u{9b}2J");
        assert_eq!(line("abc\u{202e}fed"), "abc\\u{202e}fed");
        assert_eq!(line("one\r\ntwo\tthree\n"), "one two three");
        assert_eq!(line("over\rwritten"), "over\\u{d}written");
        assert_eq!(lines("one\ntwo\n"), "one\ntwo");
        assert_eq!(line("zero\u{200b}width"), "zero\\u{200b}width");
    }

    #[test]
    fn plain_text_of_any_language_stays() {
        for text in ["naïve ümlaut", "日本語", "GPU → CPU", "👍"] {
            assert_eq!(line(text), text);
        }
    }
}
