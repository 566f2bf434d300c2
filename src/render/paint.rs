//! Colours, signs, wrapping and inline code, as the console allows.

use super::chain;
use crate::machine::console::Console;
use owo_colors::{OwoColorize, Style};
use textwrap::{Options, WordSplitter};

/// What a piece of text is, for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// It works.
    Good,
    /// It does not.
    Bad,
    /// It works, and should be looked at.
    Doubtful,
    /// Of less interest.
    Faint,
    /// A heading.
    Strong,
    /// Something to copy.
    Code,
}

impl Console {
    /// Text in the colour of a tone, where colours are shown.
    pub fn paint(&self, tone: Tone, text: &str) -> String {
        if !self.colour || text.is_empty() {
            return text.to_string();
        }
        let style = match tone {
            Tone::Good => Style::new().green(),
            Tone::Bad => Style::new().red().bold(),
            Tone::Doubtful => Style::new().yellow(),
            Tone::Faint => Style::new().dimmed(),
            Tone::Strong => Style::new().bold(),
            Tone::Code => Style::new().cyan(),
        };
        text.style(style).to_string()
    }

    /// One of two signs: the one beyond ASCII, or its stand-in.
    pub fn sign(&self, unicode: &'static str, ascii: &'static str) -> &'static str {
        if self.unicode { unicode } else { ascii }
    }

    /// At most this many characters of a text.
    pub fn cut(&self, text: String, most: usize) -> String {
        chain::cut(text, most, self.sign("…", "..."))
    }

    /// Wraps text to the width, with something before the first line and before the others. Long words, as paths are,
    /// stay whole. Text between backticks is code.
    pub fn wrap(&self, text: &str, first: &str, others: &str) -> String {
        let options = Options::new(self.width)
            .initial_indent(first)
            .subsequent_indent(others)
            .word_splitter(WordSplitter::NoHyphenation)
            .break_words(false);
        let mut out = String::new();
        let text = if self.unicode { text.to_string() } else { ascii(text) };
        for line in textwrap::wrap(&self.code(&text), options) {
            out.push_str(line.trim_end());
            out.push('\n');
        }
        // Spaces in short code were kept from breaking.
        out.replace(KEPT, " ")
    }

    /// Marks code between backticks. Short code does not break across lines, so that it can be copied.
    fn code(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        if text.matches('`').count() % 2 == 1 {
            return text.to_string();
        }
        for (n, part) in text.split('`').enumerate() {
            if n % 2 == 0 {
                out.push_str(part);
                continue;
            }
            let part = if part.len() <= self.width / 2 { part.replace(' ', KEPT) } else { part.to_string() };
            match self.colour {
                true => out.push_str(&self.paint(Tone::Code, &part)),
                false => out.push_str(&format!("`{part}`")),
            }
        }
        out
    }

    /// A command as it is to be copied: never wrapped, each line indented.
    pub fn command(&self, command: &str, indent: &str) -> String {
        command.lines().map(|line| format!("{indent}{}\n", self.paint(Tone::Code, line))).collect()
    }
}

/// A sentence without the signs beyond ASCII that this program and others write; names of any language stay.
fn ascii(text: &str) -> String {
    let signs = [
        ("°", ""),
        ("…", "..."),
        ("→", "->"),
        ("×", "x"),
        ("–", "-"),
        ("—", "-"),
        ("µ", "u"),
        ("≥", ">="),
        ("≤", "<="),
    ];
    let quotes = [("“", "\""), ("”", "\""), ("‘", "'"), ("’", "'")];
    if text.is_ascii() {
        return text.to_string();
    }
    signs.into_iter().chain(quotes).fold(text.to_string(), |text, (sign, plain)| text.replace(sign, plain))
}

/// A space at which no line breaks: a character of the private area, as wide as a space.
const KEPT: &str = "\u{e000}";

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Console = Console { width: 40, colour: false, unicode: false };

    #[test]
    fn text_is_wrapped_and_long_words_and_short_code_stay_whole() {
        let path = "/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1";
        let text = format!("The library {path} is there, see `nvidia-smi -L` for the rest.");
        let wrapped = PLAIN.wrap(&text, "- ", "  ");
        assert_eq!(wrapped, format!("- The library\n  {path}\n  is there, see `nvidia-smi -L` for the\n  rest.\n"));
    }

    #[test]
    fn signs_have_plain_stand_ins_and_names_stay() {
        assert_eq!(PLAIN.wrap("86 °C → “ü” ...", "", ""), "86 C -> \"ü\" ...\n");
        assert_eq!(Console { unicode: true, ..PLAIN }.wrap("86 °C", "", ""), "86 °C\n");
    }

    #[test]
    fn colour_only_where_it_is_shown() {
        assert_eq!(PLAIN.paint(Tone::Bad, "x"), "x");
        let coloured = Console { colour: true, ..PLAIN };
        assert_eq!(coloured.paint(Tone::Good, "x"), "\u{1b}[32mx\u{1b}[0m");
        assert!(!coloured.wrap("run `ls`", "", "").contains('`'));
    }
}
