//! The examples of a page: evidence that must fire its cause, and near-misses that must fire the neighbour they name.
//!
//! ```text
//! ### Fires: certain
//! (fence) facts
//! from healthy
//! - cuda.compute gpu 0000:01:00.0
//! ! kernel.modules = ["nouveau"]
//! node.open file /dev/nvidiactl = "EPERM"
//! host.container absent
//! kernel.log failed "permission denied"
//! cuda.init in without-masks = 0
//! (end)
//! ### Near miss: nouveau-bound
//! ```
//! `from NAME` starts with one of the base machines in `bases/`; a later line replaces what the base says of that key,
//! subject and experiment; `- KEY` takes all facts of a key out (`- KEY KIND ID`: of one subject). `! ` marks a deciding line.
//!
//! A block of `text` instead of `facts` holds pasted text, read as `triage` reads it; there too `! ` marks a deciding line, and
//! is not part of the text.

use crate::facts::{Context, Fact, Facts, State, Variant};
use crate::subject::{Kind, Subject};
use serde_json::Value;

/// The base machines.
const BASES: &[(&str, &str)] = &[
    ("bare", include_str!("bases/bare.facts")),
    ("no-driver", include_str!("bases/no-driver.facts")),
    ("healthy", include_str!("bases/healthy.facts")),
];

/// One example of a page.
#[derive(Clone, Debug)]
pub struct Example<'a> {
    /// What it must fire: the page's own slug, or the neighbour's.
    pub expects: &'a str,
    /// The confidence it must have, where the heading names one.
    pub confidence: Option<&'a str>,
    /// Whether this is a near-miss.
    pub near_miss: bool,
    /// What the block holds.
    pub form: Form,
    /// The text of the block.
    pub text: &'a str,
}

/// What an example is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Facts, one a line.
    Facts,
    /// Text as somebody pastes it.
    Text,
}

impl Example<'_> {
    /// The facts of the example. `without_deciding` leaves the marked lines out.
    pub fn facts(&self, without_deciding: bool) -> Result<Facts, String> {
        match self.form {
            Form::Facts => facts(self.text, without_deciding),
            Form::Text => Ok(crate::triage::read_str(&pasted(self.text, without_deciding))),
        }
    }
}

/// The examples of a page, in order.
pub fn examples<'a>(page: &'a str, slug: &'a str) -> Vec<Example<'a>> {
    let mut found = Vec::new();
    for part in super::page::section(page, "Examples").split("### ").skip(1) {
        let Some((heading, rest)) = part.split_once('\n') else { continue };
        let (expects, confidence, near_miss) = match heading.trim().split_once(':') {
            Some(("Fires", confidence)) => (slug, Some(confidence.trim()), false),
            Some(("Near miss", other)) => (other.trim(), None, true),
            _ => (slug, None, false),
        };
        for (form, text) in blocks(rest) {
            found.push(Example { expects, confidence, near_miss, form, text });
        }
    }
    found
}

/// The blocks of facts and of text below a heading.
fn blocks(part: &str) -> Vec<(Form, &str)> {
    let mut found = Vec::new();
    let mut rest = part;
    loop {
        let next = [(Form::Facts, "```facts\n"), (Form::Text, "```text\n")]
            .into_iter()
            .filter_map(|(form, fence)| Some((rest.find(fence)?, form, fence.len())))
            .min_by_key(|(at, _, _)| *at);
        let Some((at, form, length)) = next else { return found };
        let block = &rest[at + length..];
        let end = block.find("\n```").unwrap_or(block.len());
        found.push((form, &block[..end]));
        rest = &block[end..];
    }
}

/// The text of a block without the marks, or without the marked lines.
fn pasted(text: &str, without_deciding: bool) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let (deciding, line) = match line.strip_prefix("! ") {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        if !(deciding && without_deciding) {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

/// The facts of an example. `without_deciding` leaves the marked lines out.
pub fn facts(text: &str, without_deciding: bool) -> Result<Facts, String> {
    let mut facts = Facts::new();
    for line in text.lines() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let wrong = |why: &str| format!("{why}: {line}");
        if let Some(name) = line.strip_prefix("from ") {
            if !facts.is_empty() {
                return Err(wrong("a base machine comes before all facts"));
            }
            let base = BASES.iter().find(|(n, _)| *n == name.trim()).ok_or_else(|| wrong("no such base"))?;
            facts.extend(self::facts(base.1, false)?);
            continue;
        }
        if let Some(rest) = line.strip_prefix("- ") {
            let (key, subject) = match rest.trim().split_once(' ') {
                Some((key, subject)) => (key, Some(parse_subject(subject).ok_or_else(|| wrong("no such subject"))?)),
                None => (rest.trim(), None),
            };
            facts.retain(|f| f.key != key || subject.as_ref().is_some_and(|s| f.subject != *s));
            continue;
        }
        let (deciding, line) = match line.strip_prefix("! ") {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        let fact = parse_fact(line).ok_or_else(|| wrong("not a fact"))?;
        let known = crate::facts::catalogue().find(|k| k.name() == fact.key).ok_or_else(|| wrong("no such key"))?;
        if let State::Seen { value } = &fact.state {
            known.accepts(value).map_err(|e| wrong(&e))?;
        }
        // Lines of a log, tensors and the like stand side by side; every other key has one value for one subject.
        if !MANY.contains(&known.name()) {
            facts.retain(|f| (&f.key, &f.subject, &f.context) != (&fact.key, &fact.subject, &fact.context));
        }
        if !(deciding && without_deciding) {
            facts.push(fact);
        }
    }
    Ok(facts)
}

/// Keys that may be said several times of one subject.
const MANY: &[&str] = &[
    "kernel.log.line",
    "framework.tensor",
    "libtorch.tensor",
    "framework.message",
    "said.message",
    "python.package",
    "container.run",
    "python.leftover",
    "python.overlap",
    "framework.library",
];

fn parse_fact(line: &str) -> Option<Fact> {
    let (key, mut rest) = line.split_once(' ')?;
    let mut subject = Subject::machine();
    let mut context = Context::default();
    let first = rest.split(' ').next()?;
    if !matches!(first, "=" | "absent" | "failed" | "in") {
        let end = [" = ", " absent", " failed ", " in "].iter().filter_map(|m| rest.find(m)).min()?;
        subject = parse_subject(&rest[..end])?;
        rest = rest[end..].trim_start();
    }
    if let Some(tail) = rest.strip_prefix("in ") {
        let (name, tail) = tail.split_once(' ')?;
        let variant: Variant = serde_json::from_value(Value::String(name.to_string())).ok()?;
        context.variant = Some(variant);
        rest = tail.trim_start();
    }
    let state = match rest.split_once(' ') {
        None if rest == "absent" => State::Absent,
        Some(("=", value)) => State::Seen { value: serde_json::from_str(value.trim()).ok()? },
        Some(("failed", why)) => State::Failed { why: serde_json::from_str(why.trim()).ok()? },
        _ => return None,
    };
    Some(Fact { key: key.to_string().into(), subject, context, state, source: "example".to_string() })
}

fn parse_subject(text: &str) -> Option<Subject> {
    let (kind, id) = text.trim().split_once(' ')?;
    let kind: Kind = serde_json::from_value(Value::String(kind.to_string())).ok()?;
    Some(Subject::new(kind, id.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_facts_and_deciding_lines_can_be_left_out() {
        let text = "pci.vendor gpu 0000:01:00.0 = \"0x10de\"\n! kernel.modules = [\"nouveau\"]\nhost.container absent\ncuda.init in without-masks = 0\nkernel.log failed \"no permission\"";
        let all = facts(text, false).unwrap();
        assert_eq!(all.iter().count(), 5);
        assert_eq!(facts(text, true).unwrap().iter().count(), 4);
        assert!(facts("kernel.modules = 3", false).unwrap_err().contains("kernel.modules"));
        assert!(facts("no.such = 3", false).is_err());
    }

    #[test]
    fn blocks_of_text_are_read_as_triage_reads_them() {
        let page = "---\nslug: x\n---\n\n## Examples\n\n### Fires: likely\n```text\n! Torch not compiled with CUDA enabled\nother\n```\n```facts\nhost.wsl = 2\n```\n";
        let all = examples(page, "x");
        assert_eq!(all.iter().map(|e| e.form).collect::<Vec<_>>(), [Form::Text, Form::Facts]);
        assert_eq!(all[1].text, "host.wsl = 2");
        let said = |without| {
            let facts = all[0].facts(without).unwrap();
            facts.all(&crate::facts::said::MESSAGE).map(|(said, fact)| (said.id, fact.source.clone())).next()
        };
        assert_eq!(said(false), Some(("torch-not-compiled-with-cuda".to_string(), "-:1".to_string())));
        assert_eq!(said(true), None);
    }

    #[test]
    fn every_base_is_readable() {
        assert!(facts("from healthy\nfrom healthy", false).is_err(), "a base comes first");
        for (name, text) in BASES {
            facts(text, false).unwrap_or_else(|e| panic!("{name}: {e}"));
        }
    }
}
