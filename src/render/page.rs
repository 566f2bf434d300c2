//! A page of a cause for a person at a terminal.

use super::paint::Tone;
use crate::causes::install::{How, Install};
use crate::causes::page::{Head, body};
use crate::machine::console::Console;

/// The page as text, without its examples, which are for tests.
pub fn page(page: &str, console: &Console) -> String {
    let head = Head::of(page);
    let mut out = console.wrap(
        &format!(
            "{} {}",
            console.paint(Tone::Strong, &format!("{}:", head.code)),
            console.paint(Tone::Strong, head.title)
        ),
        "",
        "  ",
    );
    let about = format!("{}, layer {}, {}", head.slug, head.layer, head.severity);
    out.push_str(&console.wrap(&console.paint(Tone::Faint, &about), "", "  "));
    let text = body(page);
    let text = text.find("\n## Examples").map(|at| &text[..at]).unwrap_or(text);
    let mut writer = Writer { console, out, paragraph: String::new(), first: String::new(), others: String::new() };
    let mut block = false;
    let mut install: Option<Install> = None;
    for line in text.lines() {
        let trimmed = line.trim_start();
        if let Some(info) = trimmed.strip_prefix("```") {
            writer.flush();
            block = !block;
            let mut words = info.split_whitespace();
            let how = words.by_ref().find_map(How::named);
            install = how.map(|how| Install::new(how, words, ""));
        } else if block {
            // Shown as pip is told it; a diagnosis says it as the environment's own manager is told.
            let told = install.take().map(|install| Install { packages: trimmed.to_string(), ..install }.plain());
            let line = told.as_deref().unwrap_or(line);
            let trimmed = line.trim_start();
            // Commands are indented like the item they belong to, and stay as they are.
            let own = line.len() - trimmed.len();
            let kept = &line[own.min(writer.others.len())..];
            let indent = format!("{}    ", writer.others);
            writer.out.push_str(&console.command(kept, &indent));
        } else if let Some(title) = trimmed.strip_prefix("## ") {
            writer.heading(title, "");
        } else if let Some(title) = trimmed.strip_prefix("### ") {
            writer.heading(&with_condition(title), "  ");
        } else if trimmed.is_empty() {
            writer.flush();
            writer.blank();
        } else if let Some((marker, rest)) = item(trimmed) {
            writer.flush();
            writer.first = format!("  {marker} ");
            writer.others = " ".repeat(writer.first.len());
            writer.paragraph = rest.to_string();
        } else {
            if writer.paragraph.is_empty() && !line.starts_with(' ') {
                writer.first = "  ".to_string();
                writer.others = "  ".to_string();
            }
            writer.add(trimmed);
        }
    }
    writer.flush();
    writer.out
}

struct Writer<'a> {
    console: &'a Console,
    out: String,
    paragraph: String,
    first: String,
    others: String,
}

impl Writer<'_> {
    fn add(&mut self, text: &str) {
        if !self.paragraph.is_empty() {
            self.paragraph.push(' ');
        }
        self.paragraph.push_str(text.trim_end());
    }

    fn flush(&mut self) {
        if !self.paragraph.is_empty() {
            let text = std::mem::take(&mut self.paragraph).replace("**", "");
            self.out.push_str(&self.console.wrap(&text, &self.first, &self.others));
            self.first.clone_from(&self.others);
        }
    }

    fn blank(&mut self) {
        if !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    fn heading(&mut self, title: &str, indent: &str) {
        self.flush();
        self.blank();
        self.out.push_str(&format!("{indent}{}\n", self.console.paint(Tone::Strong, title)));
        self.first = "  ".to_string();
        self.others = "  ".to_string();
    }
}

/// `Debian and Ubuntu {apt, !container}` as `Debian and Ubuntu [apt]`: where a part holds, as far as a word says it.
fn with_condition(title: &str) -> String {
    let Some((words, condition)) = title.split_once('{') else { return title.to_string() };
    let terms = condition.trim_end_matches('}').split(',').map(str::trim);
    let positive: Vec<String> = terms.filter(|t| !t.starts_with('!')).map(|t| t.replace('|', " or ")).collect();
    match (words.trim(), positive.is_empty()) {
        (words, true) => words.to_string(),
        ("", false) => format!("[{}]", positive.join(", ")),
        (words, false) => format!("{words} [{}]", positive.join(", ")),
    }
}

/// The marker of a list's item, and its text.
fn item(line: &str) -> Option<(&str, &str)> {
    if let Some(rest) = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")) {
        return Some(("-", rest));
    }
    let (number, rest) = line.split_once(". ")?;
    (!number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())).then(|| (&line[..number.len() + 1], rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_reads_well_without_colour() {
        let text = "---\ncode: GD999\nslug: a-page\ntitle: A page\nlayer: cuda\nseverity: error\n---\n\n## What it means\n\
                    One two\nthree `four`.\n\n## How to fix\n\n### Debian {apt}\n\n1. Do\n   this:\n   ```sh root\n   \
                    sudo apt install x\n   ```\n2. Then **that**.\n\n## Examples\n### Fires: certain\n";
        let console = Console { width: 60, colour: false, unicode: false };
        assert_eq!(
            page(text, &console),
            "GD999: A page\na-page, layer cuda, error\n\nWhat it means\n  One two three `four`.\n\nHow to fix\n\n  Debian [apt]\n\n  \
             1. Do this:\n         sudo apt install x\n  2. Then that.\n"
        );
    }
}
