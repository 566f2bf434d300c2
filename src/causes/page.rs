//! Reading a page: its header, its sections, and the steps that fit this machine.
//!
//! A page is Markdown with a header between `---` lines. Its sections are `What it means`, `Why it happens`,
//! `How to confirm`, `How to fix`, `What does not help` and `Examples`. Below `How to fix`, a heading may end in conditions,
//! `### Debian and Ubuntu {apt, !container}`: the comma is "and", `|` is "or", `!` is "not". A step is an item of a numbered
//! list; a code block below it is its command, and the block's info line says more: `sh root reboot where=host`.
//! A block with `sh install OLD...` names packages to install after OLD is removed: see [`Install`].
//! `{name}` in a step, the message or the summary is filled in by the rule.

use super::install::Install;
use serde::Serialize;
use std::collections::BTreeMap;

/// The header of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head<'a> {
    /// `GD501`; never reused.
    pub code: &'a str,
    /// `torch-cpu-only-wheel`.
    pub slug: &'a str,
    /// The problem in a few words.
    pub title: &'a str,
    /// The layer that is broken.
    pub layer: &'a str,
    /// `error`, `warning` or `note`.
    pub severity: &'a str,
    /// One or two sentences that say it to the user, with placeholders.
    pub message: &'a str,
    /// What the fix is, in one sentence, with placeholders.
    pub summary: &'a str,
    /// The command that shows whether the fix worked, with placeholders.
    pub verify: &'a str,
}

impl<'a> Head<'a> {
    /// The header of a page; a field that the page lacks is empty (a test sees to it that none is).
    pub fn of(page: &'a str) -> Head<'a> {
        let lines: Vec<(&str, &str)> = header(page).lines().filter_map(|line| line.split_once(':')).collect();
        let field =
            |name: &str| lines.iter().find(|(key, _)| *key == name).map(|(_, value)| value.trim()).unwrap_or_default();
        Head {
            code: field("code"),
            slug: field("slug"),
            title: field("title"),
            layer: field("layer"),
            severity: field("severity"),
            message: field("message"),
            summary: field("summary"),
            verify: field("verify"),
        }
    }
}

fn header(page: &str) -> &str {
    page.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).map(|(head, _)| head).unwrap_or_default()
}

/// The page without its header.
pub fn body(page: &str) -> &str {
    page.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).map(|(_, body)| body).unwrap_or(page)
}

/// The text of a `## ` section, without its heading; empty where the page has none.
pub fn section<'a>(page: &'a str, title: &str) -> &'a str {
    let body = body(page);
    let heading = format!("## {title}\n");
    let start = match body.find(&format!("\n{heading}")) {
        Some(at) => at + 1 + heading.len(),
        None if body.starts_with(&heading) => heading.len(),
        None => return "",
    };
    let rest = &body[start..];
    rest.find("\n## ").map(|end| &rest[..end]).unwrap_or(rest).trim_matches('\n')
}

/// The first command of a section; empty where it has none.
pub fn first_command(section: &str) -> String {
    let block = section.split("```").nth(1).unwrap_or_default();
    let lines = block.lines().skip(1).map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("; ")
}

/// One step of a fix.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Step {
    /// What to do, in words.
    pub text: String,
    /// The exact command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// What the command installs, where it depends on who manages the environment.
    #[serde(skip)]
    pub install: Option<Install>,
    /// Whether it needs root.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub root: bool,
    /// Whether it takes a reboot.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub reboot: bool,
    /// Where to do it, if not here: `host`, `windows`.
    #[serde(rename = "where", skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

/// A part of `How to fix`, with its condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix<'a> {
    /// The heading without the conditions; empty for steps before the first heading.
    pub title: &'a str,
    /// The conditions as written, `apt, !container`; empty for always.
    pub condition: &'a str,
    /// The steps, with placeholders.
    pub steps: Vec<Step>,
}

/// The parts of `How to fix`.
pub fn fixes(page: &str) -> Vec<Fix<'_>> {
    let mut fixes = vec![Fix { title: "", condition: "", steps: Vec::new() }];
    let mut block: Option<String> = None;
    for line in section(page, "How to fix").lines() {
        let trimmed = line.trim_start();
        let steps = match fixes.last_mut() {
            Some(fix) => &mut fix.steps,
            None => break,
        };
        if let Some(command) = &mut block {
            if trimmed.starts_with("```") {
                if let Some(step) = steps.last_mut() {
                    let text = command.trim_end();
                    step.install = step.install.take().map(|install| Install { packages: text.to_string(), ..install });
                    step.command = Some(step.install.as_ref().map_or(text.to_string(), Install::with_pip));
                }
                block = None;
            } else {
                // The block is indented like its step; what is indented further belongs to the command.
                let indent = line.len() - trimmed.len();
                command.push_str(&line[indent.min(3)..]);
                command.push('\n');
            }
        } else if let Some(info) = trimmed.strip_prefix("```") {
            if let Some(step) = steps.last_mut() {
                let mut words = info.split_whitespace();
                while let Some(word) = words.next() {
                    match word {
                        "install" => step.install = Some(Install::new(words.by_ref(), "")),
                        "root" => step.root = true,
                        "reboot" => step.reboot = true,
                        _ => step.place = word.strip_prefix("where=").map(str::to_string).or(step.place.take()),
                    }
                }
            }
            block = Some(String::new());
        } else if let Some(heading) = line.strip_prefix("### ") {
            let (title, condition) = match heading.trim_end().strip_suffix('}').and_then(|h| h.rsplit_once('{')) {
                Some((title, condition)) => (title.trim_end(), condition),
                None => (heading.trim_end(), ""),
            };
            fixes.push(Fix { title, condition, steps: Vec::new() });
        } else if let Some((_, text)) = trimmed.split_once(". ").filter(|(n, _)| n.parse::<u32>().is_ok()) {
            steps.push(Step { text: text.to_string(), ..Step::default() });
        } else if !trimmed.is_empty()
            && let Some(step) = steps.last_mut().filter(|s| s.command.is_none())
        {
            step.text.push(' ');
            step.text.push_str(trimmed.trim_end());
        }
    }
    fixes.retain(|fix| !fix.steps.is_empty());
    fixes
}

/// Whether a condition holds, given the words that are true of this machine.
pub fn holds(condition: &str, tags: &[String]) -> bool {
    condition.split(',').map(str::trim).filter(|term| !term.is_empty()).all(|term| {
        term.split('|').map(str::trim).any(|word| match word.strip_prefix('!') {
            Some(word) => !tags.iter().any(|t| t == word),
            None => tags.iter().any(|t| t == word),
        })
    })
}

/// The steps that fit, filled in. A step with a placeholder that nobody can fill is left out: half a command is worse than
/// none.
pub fn steps(page: &str, tags: &[String], values: &BTreeMap<&str, String>) -> Vec<Step> {
    let mut steps: Vec<Step> = fixes(page)
        .into_iter()
        .filter(|fix| holds(fix.condition, tags))
        .flat_map(|fix| fix.steps)
        .filter_map(|step| {
            let command = match step.command_for(tags)? {
                None => None,
                Some(text) => Some(self::command(&text, values)?),
            };
            Some(Step { text: fill(&step.text, values)?, command, ..step })
        })
        .collect();
    let notebook = ["kernel", "colab", "kaggle"].iter().any(|word| tags.iter().any(|tag| tag == word));
    if notebook && steps.iter().any(|step| step.install.is_some()) {
        steps.push(Step { text: RESTART.to_string(), ..Step::default() });
    }
    steps
}

/// What a notebook takes besides new packages.
const RESTART: &str =
    "Restart the notebook's kernel (on Colab and Kaggle the session), so that it imports the new packages.";

impl Step {
    /// The command with its placeholders, for who manages the environment; the outer nothing where that manager has none.
    pub fn command_for(&self, tags: &[String]) -> Option<Option<String>> {
        match &self.install {
            None => Some(self.command.clone()),
            Some(install) => install.command(tags).map(Some),
        }
    }
}

/// Whether a condition holds where some words are neither known to be true nor to be false: nothing where it cannot hold.
pub fn may_hold(condition: &str, tags: &[String], open: impl Fn(&str) -> bool) -> Option<Sure> {
    let mut sure = Sure::Yes;
    for term in condition.split(',').map(str::trim).filter(|term| !term.is_empty()) {
        let mut best = None;
        for word in term.split('|').map(str::trim) {
            let (name, wanted) = word.strip_prefix('!').map_or((word, true), |name| (name, false));
            let there = tags.iter().any(|tag| tag == name);
            let this = match there == wanted {
                true if there || !open(name) => Some(Sure::Yes),
                _ if open(name) && !there => Some(Sure::Maybe),
                _ => None,
            };
            best = best.max(this);
        }
        sure = sure.min(best?);
    }
    Some(sure)
}

/// How surely a condition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sure {
    /// It depends on what is not known.
    Maybe,
    /// It does.
    Yes,
}

/// The names of the placeholders of a text.
pub fn names(text: &str) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for (at, _) in text.match_indices('{') {
        let name = text[at + 1..].split('}').next().unwrap_or_default();
        let is_name = !name.is_empty()
            && text.len() > at + name.len() + 1
            && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
            && !text[..at].ends_with(['$', '{']);
        if is_name && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Fills the placeholders `{name}`; nothing where one is not known. Other braces stay as they are: `${VAR}`, `{{.Name}}`.
pub fn fill(text: &str, values: &BTreeMap<&str, String>) -> Option<String> {
    fill_with(text, values, |_, _, value| value.to_string())
}

/// Values that are several words of a command; every other one is a single word.
const PARTS: &[&str] = &["arguments", "specs"];

/// Stands for the running kernel where a text does not name it: the shell fills it in.
pub const RUNNING_KERNEL: &str = "$(uname -r)";

/// The same for a command of a shell. A value is quoted where it needs it: a path may hold a space, and what came out of a
/// snapshot must not run when the command is pasted.
pub fn command(text: &str, values: &BTreeMap<&str, String>) -> Option<String> {
    // A placeholder that stands alone is filled in by a whole command.
    let alone = text.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    if let Some(value) = alone.and_then(|name| values.get(name)) {
        return Some(value.clone());
    }
    fill_with(text, values, |before, name, value| {
        if PARTS.contains(&name) || value == RUNNING_KERNEL {
            value.to_string()
        } else if within_double(before) {
            let escaped = value.chars().flat_map(|c| "\\\"$`".contains(c).then_some('\\').into_iter().chain([c]));
            escaped.collect()
        } else {
            word(value)
        }
    })
}

/// Whether a word goes on in double quotes after this part of a command; a `$(` in them begins anew.
fn within_double(before: &str) -> bool {
    let since = before.rfind("$(").map_or(before, |at| &before[at..]);
    since.matches('"').count() % 2 == 1
}

/// A value as one word of a shell's command, in quotes where it needs them. Windows' shells take backslashes as they are,
/// and know double quotes only.
pub fn word(value: &str) -> String {
    if value.as_bytes().get(1..3) == Some(br":\") {
        let kept = value.replace(['"', '%', '`', '$', '&', '|', '<', '>', '^', '\n', '\r'], "");
        return if kept.contains(|c: char| c.is_whitespace() || "();,".contains(c)) {
            format!("\"{kept}\"")
        } else {
            kept
        };
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || "@%+=:,./_-".contains(c);
    match !value.is_empty() && value.chars().all(plain) {
        true => value.to_string(),
        false => format!("'{}'", value.replace('\'', r"'\''")),
    }
}

/// Fills the placeholders with what `write` makes of the text before, the name and the value.
fn fill_with(
    text: &str,
    values: &BTreeMap<&str, String>,
    write: impl Fn(&str, &str, &str) -> String,
) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        let (before, tail) = rest.split_at(at);
        out.push_str(before);
        let name = tail[1..].split('}').next().unwrap_or_default();
        let is_name = !name.is_empty()
            && tail.len() > name.len() + 1
            && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
            && !before.ends_with('$')
            && !before.ends_with('{');
        if is_name {
            let so_far = &text[..text.len() - tail.len()];
            out.push_str(&write(so_far, name, values.get(name)?));
            rest = &tail[name.len() + 2..];
        } else {
            out.push('{');
            rest = &tail[1..];
        }
    }
    out.push_str(rest);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "---\ncode: GD999\nslug: a-page\ntitle: A page: with a colon\n---\n\n## What it means\nText.\n\n## How to fix\n\n### Debian {apt, !container}\n1. Install it\n   for {kernel}:\n   ```sh root reboot\n   sudo apt install x-{kernel}\n     more\n   ```\n2. Then nothing.\n\n### Fedora {dnf|yum}\n1. Other.\n   ```sh where=host\n   docker info --format '{{.Runtimes}}' ${HOME}\n   ```\n\n## Examples\nend\n";

    #[test]
    fn header_and_sections() {
        let head = Head::of(PAGE);
        assert_eq!((head.code, head.slug, head.title), ("GD999", "a-page", "A page: with a colon"));
        assert_eq!(section(PAGE, "What it means"), "Text.");
        assert_eq!(section(PAGE, "Examples"), "end");
        assert_eq!(section(PAGE, "Why it happens"), "");
    }

    #[test]
    fn steps_fit_the_machine_and_are_filled_in() {
        let values = BTreeMap::from([("kernel", "6.1".to_string())]);
        let tags = ["apt".to_string()];
        let got = steps(PAGE, &tags, &values);
        assert_eq!(got.len(), 2);
        assert_eq!(got[0].text, "Install it for 6.1:");
        assert_eq!(got[0].command.as_deref(), Some("sudo apt install x-6.1\n  more"));
        assert!(got[0].root && got[0].reboot);
        assert_eq!(got[1], Step { text: "Then nothing.".into(), ..Step::default() });
        assert!(steps(PAGE, &["apt".into(), "container".into()], &values).is_empty());
        let other = steps(PAGE, &["yum".into()], &values);
        assert_eq!(other[0].command.as_deref(), Some("docker info --format '{{.Runtimes}}' ${HOME}"));
        assert_eq!(other[0].place.as_deref(), Some("host"));
    }

    #[test]
    fn what_is_not_known_may_hold() {
        let tags = ["linux".to_string()];
        let open = |word: &str| matches!(word, "apt" | "dnf");
        assert_eq!(may_hold("linux, !container", &tags, open), Some(Sure::Yes));
        assert_eq!(may_hold("apt", &tags, open), Some(Sure::Maybe));
        assert_eq!(may_hold("!apt, linux", &tags, open), Some(Sure::Maybe));
        assert_eq!(may_hold("windows", &tags, open), None);
        assert_eq!(may_hold("apt|linux", &tags, open), Some(Sure::Yes));
        assert_eq!(may_hold("apt, windows", &tags, open), None);
        assert_eq!(names("x {kernel} ${HOME} {{.Name}} {kernel}"), ["kernel"]);
    }

    #[test]
    fn a_step_that_cannot_be_filled_is_left_out() {
        assert_eq!(steps(PAGE, &["apt".into()], &BTreeMap::new()).len(), 1);
    }

    #[test]
    fn a_value_in_another_shell_or_in_a_substitution_is_a_word_too() {
        let of = |text: &str, value: &str| command(text, &BTreeMap::from([("x", value.to_string())])).unwrap();
        assert_eq!(of("run \"$(stat {x})\"", "/dev/a; id"), "run \"$(stat '/dev/a; id')\"");
        assert_eq!(of("{x} -m pip", r"C:\Users\ann\python.exe"), r"C:\Users\ann\python.exe -m pip");
        assert_eq!(of("{x} -m pip", r"C:\Program Files\python.exe"), r#""C:\Program Files\python.exe" -m pip"#);
        assert_eq!(of("{x} -m pip", "C:\\a\" & del /q *\n"), "\"C:\\a  del /q *\" -m pip");
    }

    #[test]
    fn a_value_cannot_become_a_command() {
        let of = |text: &str, value: &str| command(text, &BTreeMap::from([("python", value.to_string())])).unwrap();
        assert_eq!(of("{python} -m pip", "/usr/bin/python3.11"), "/usr/bin/python3.11 -m pip");
        assert_eq!(of("{python} -m pip", "/home/a b/python"), "'/home/a b/python' -m pip");
        assert_eq!(of("{python} -m pip", "/x/$(reboot)/it's"), r"'/x/$(reboot)/it'\''s' -m pip");
        assert_eq!(of("run \"torch=={python}\"", "1`id`$(x)\"2"), "run \"torch==1\\`id\\`\\$(x)\\\"2\"");
        assert_eq!(of("run \"x\" {python}", "a;b"), "run \"x\" 'a;b'");
        assert_eq!(of("{python}", "lspci -d 10de: -nn"), "lspci -d 10de: -nn");
        assert_eq!(of("{python} -m pip", r"C:\venv\Scripts\python.exe"), r"C:\venv\Scripts\python.exe -m pip");
        assert_eq!(of("{python} -m pip", r"C:\my venv;x\python.exe"), "\"C:\\my venv;x\\python.exe\" -m pip");
        let values = BTreeMap::from([("arguments", "\"torch<2.15\" --index-url https://x".to_string())]);
        assert_eq!(
            command("pip install {arguments}", &values).unwrap(),
            "pip install \"torch<2.15\" --index-url https://x"
        );
    }
}
