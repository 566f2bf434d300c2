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
    /// The text of the block.
    pub text: &'a str,
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
        for block in rest.split("```facts\n").skip(1) {
            let text = block.split("\n```").next().unwrap_or_default();
            found.push(Example { expects, confidence, near_miss, text });
        }
    }
    found
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
const MANY: &[&str] = &["kernel.log.line", "framework.tensor", "libtorch.tensor", "framework.message", "said.message"];

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
    fn every_base_is_readable() {
        for (name, text) in BASES {
            facts(text, false).unwrap_or_else(|e| panic!("{name}: {e}"));
        }
    }
}
