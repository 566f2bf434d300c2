//! The terminal that the answer is written to, or what stands in for it.

use std::io::IsTerminal;

/// `--color`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Colour {
    /// On a terminal, as NO_COLOR and CLICOLOR_FORCE allow.
    #[default]
    Auto,
    /// In any case.
    Always,
    /// In no case.
    Never,
}

/// What the output may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Console {
    /// Columns to wrap text at.
    pub width: usize,
    /// Whether to colour.
    pub colour: bool,
    /// Whether signs outside ASCII can be shown.
    pub unicode: bool,
}

/// Widest lines of text: longer ones are hard to read.
const WIDEST: usize = 100;
/// Below this nothing can be wrapped in a useful way.
const NARROWEST: usize = 30;

impl Console {
    /// The console behind stdout.
    pub fn stdout(colour: Colour) -> Console {
        Console::behind(std::io::stdout().is_terminal(), colour)
    }

    /// What stands in for a console where the answer goes to a file.
    pub fn file(colour: Colour) -> Console {
        Console::behind(false, colour)
    }

    /// The console behind stderr, where a line may be drawn anew; nothing where it is not a terminal that can do that.
    pub fn stderr() -> Option<Console> {
        let can_redraw = std::env::var_os("TERM").is_some_and(|term| term != "dumb") || cfg!(windows);
        (can_redraw && std::io::stderr().is_terminal()).then(|| Console::behind(true, Colour::Auto))
    }

    fn behind(is_terminal: bool, colour: Colour) -> Console {
        let columns = is_terminal.then(terminal_size::terminal_size).flatten().map(|(width, _)| usize::from(width.0));
        Console::of(colour, is_terminal, columns, |name| {
            std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
        })
    }

    /// Decides from what is known: the flag, whether it is a terminal and how wide, and the environment.
    fn of(
        flag: Colour,
        is_terminal: bool,
        columns: Option<usize>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Console {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let colour = match flag {
            Colour::Always => true,
            Colour::Never => false,
            // https://no-color.org and https://bixense.com/clicolors
            Colour::Auto if set("NO_COLOR").is_some() => false,
            Colour::Auto if set("CLICOLOR_FORCE").is_some_and(|value| value != "0") => true,
            // Windows' old console shows the codes as they are; its new one says that it is there.
            Colour::Auto if cfg!(windows) => is_terminal && set("WT_SESSION").is_some(),
            Colour::Auto => is_terminal && set("TERM").is_some_and(|term| term != "dumb"),
        };
        let locale = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG")).unwrap_or_default();
        let unicode = locale.to_ascii_lowercase().replace('-', "").contains("utf8") && !cfg!(windows);
        let width = set("COLUMNS").and_then(|text| text.parse().ok()).or(columns).unwrap_or(WIDEST);
        Console { width: width.clamp(NARROWEST, WIDEST), colour, unicode }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn console(flag: Colour, is_terminal: bool, environment: &[(&str, &str)]) -> Console {
        Console::of(flag, is_terminal, Some(80), |name| {
            environment.iter().find(|(n, _)| *n == name).map(|(_, value)| value.to_string())
        })
    }

    #[test]
    #[cfg(not(windows))]
    fn colour_is_for_terminals_and_can_be_forced_or_forbidden() {
        let xterm = ("TERM", "xterm");
        assert!(console(Colour::Auto, true, &[xterm]).colour);
        assert!(!console(Colour::Auto, false, &[xterm]).colour);
        assert!(!console(Colour::Auto, true, &[]).colour);
        assert!(!console(Colour::Auto, true, &[("TERM", "dumb")]).colour);
        assert!(!console(Colour::Auto, true, &[xterm, ("NO_COLOR", "1")]).colour);
        assert!(console(Colour::Auto, true, &[xterm, ("NO_COLOR", "")]).colour);
        assert!(console(Colour::Auto, false, &[("CLICOLOR_FORCE", "1")]).colour);
        assert!(!console(Colour::Auto, false, &[("CLICOLOR_FORCE", "0")]).colour);
        assert!(!console(Colour::Auto, false, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]).colour);
        assert!(console(Colour::Always, false, &[("NO_COLOR", "1")]).colour);
        assert!(!console(Colour::Never, true, &[xterm, ("CLICOLOR_FORCE", "1")]).colour);
    }

    #[test]
    #[cfg(not(windows))]
    fn signs_follow_the_locale() {
        assert!(console(Colour::Auto, true, &[("LANG", "de_DE.UTF-8")]).unicode);
        assert!(console(Colour::Auto, true, &[("LC_CTYPE", "C.utf8")]).unicode);
        assert!(!console(Colour::Auto, true, &[("LANG", "C")]).unicode);
        assert!(!console(Colour::Auto, true, &[("LC_ALL", "C"), ("LANG", "en_US.UTF-8")]).unicode);
        assert!(!console(Colour::Auto, true, &[]).unicode);
    }

    #[test]
    fn width_is_that_of_the_terminal_within_reason() {
        assert_eq!(console(Colour::Auto, true, &[]).width, 80);
        assert_eq!(console(Colour::Auto, true, &[("COLUMNS", "40")]).width, 40);
        assert_eq!(console(Colour::Auto, true, &[("COLUMNS", "0")]).width, 30);
        assert_eq!(console(Colour::Auto, true, &[("COLUMNS", "400")]).width, 100);
        assert_eq!(console(Colour::Auto, true, &[("COLUMNS", "wide")]).width, 80);
    }
}
