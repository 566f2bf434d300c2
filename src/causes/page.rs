//! Reading a page: its header, its sections, and the steps that fit this machine.
//!
//! A page is Markdown with a header between `---` lines. Its sections are `What it means`, `Why it happens`,
//! `How to confirm`, `How to fix`, `What does not help` and `Examples`. Below `How to fix`, a heading may end in conditions,
//! `### Debian and Ubuntu {apt, !container}`: the comma is "and", `|` is "or", `!` is "not". A step is an item of a numbered
//! list; a code block below it is its command, and the block's info line says more: `sh root reboot where=host`.
//! A block with `sh install OLD...` names packages to install after OLD is removed, and becomes the steps of whoever manages the
//! environment: see [`Install`].
//! `{name}` in a step, the message or the summary is filled in by the rule.

mod fill;

pub use fill::{RUNNING_KERNEL, command, fill, names, word};

use super::install::{self, How, Install};
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
                    step.command = Some(step.install.as_ref().map_or(text.to_string(), Install::plain));
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
                    match (word, How::named(word)) {
                        (_, Some(how)) => step.install = Some(Install::new(how, words.by_ref(), "")),
                        ("root", _) => step.root = true,
                        ("reboot", _) => step.reboot = true,
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
    let fitting = fixes(page).into_iter().filter(|fix| holds(fix.condition, tags)).flat_map(|fix| fix.steps);
    let mut values = values.clone();
    let mut steps = Vec::new();
    for step in fitting.flat_map(|step| step.of_manager(tags)) {
        let command = match step.command.as_ref().map(|text| command(text, &values)) {
            Some(None) => continue,
            command => command.flatten(),
        };
        let Some(text) = fill(&step.text, &values) else { continue };
        steps.push(Step { text, command, ..step });
        values = after(&steps, &values, tags);
    }
    steps.extend(last(&steps, tags));
    steps
}

/// The values for what comes after these steps: where they made an environment, that one's interpreter is meant.
pub fn after<'a>(steps: &[Step], values: &BTreeMap<&'a str, String>, tags: &[String]) -> BTreeMap<&'a str, String> {
    let mut values = values.clone();
    let installs = steps.iter().any(|step| step.install.is_some());
    if let Some(python) = install::moved(tags).filter(|_| installs) {
        values.insert("python", python.to_string());
    }
    values
}

/// What a notebook takes besides new packages.
pub fn last(steps: &[Step], tags: &[String]) -> Option<Step> {
    let is = |word: &str| tags.iter().any(|tag| tag == word);
    let text = match (is("colab") || is("kaggle"), is("kernel")) {
        (true, _) => CLOUD,
        (false, true) => KERNEL,
        _ => return None,
    };
    let installs = steps.iter().any(|step| step.install.is_some());
    installs.then(|| Step { text: text.to_string(), ..Step::default() })
}

const KERNEL: &str = "Restart the notebook's kernel, so that it imports the new packages.";
const CLOUD: &str =
    "In a cell, write `!` before the command. Then restart the session, so that it imports the new packages.";

impl Step {
    /// This step as whoever manages the environment does it; none where that manager has no command for it.
    pub fn of_manager(self, tags: &[String]) -> Vec<Step> {
        match &self.install {
            None => vec![self],
            Some(install) => install.steps(&self, tags),
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
}
