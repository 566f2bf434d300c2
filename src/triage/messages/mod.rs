//! The messages of tools, and what each of them says about causes: the differential diagnosis.
//!
//! A row names a message, the words by which it is recognised, and the causes that it decides, supports, suggests, or
//! speaks against. The rules of the causes weigh facts; this table weighs words. Rows stand in one
//! folder per area, one file per theme.

mod clusters;
mod containers;
mod cuda;
mod driver;
mod kernel_log;
mod libraries;
mod other_makers;
mod programs;
mod reported;
mod torch;

use super::finder::Finder;
use super::{Found, Line, Reader};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

/// How much a message says for a cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// Nothing else says this.
    Decides,
    /// It is usually this.
    Supports,
    /// It is sometimes this.
    Suggests,
    /// It is rarely this.
    Against,
    /// It cannot be this.
    Refutes,
}

impl Weight {
    /// Points; four make a cause likely, a hundred certain.
    pub fn points(self) -> i32 {
        match self {
            Weight::Decides => 100,
            Weight::Supports => 4,
            Weight::Suggests => 1,
            Weight::Against => -3,
            Weight::Refutes => -200,
        }
    }
}

/// What kind of thing a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// Something does not work: the id of the check that would have said so.
    Fault(&'static str),
    /// A circumstance: it weighs, and nothing is broken by it.
    Circumstance,
    /// Something that looks like a fault and is none.
    Harmless,
}

/// One message.
pub struct Message {
    /// Stable name, `torch-not-compiled-with-cuda`.
    pub id: &'static str,
    /// The words, any of these in one line, in any case of letters; `*` stands for anything between two parts.
    pub words: &'static [&'static str],
    /// What kind of thing it is.
    pub about: About,
    /// What it says about causes, the most frequent first.
    pub causes: &'static [(&'static str, Weight)],
    /// Facts that the line gives besides.
    pub facts: Option<fn(&str, &mut Found)>,
}

/// A row about something that a check would have found broken.
const fn fault(
    check: &'static str,
    id: &'static str,
    words: &'static [&'static str],
    causes: &'static [(&'static str, Weight)],
) -> Message {
    Message { id, words, about: About::Fault(check), causes, facts: None }
}

/// A row about a circumstance.
const fn circumstance(
    id: &'static str,
    words: &'static [&'static str],
    causes: &'static [(&'static str, Weight)],
) -> Message {
    Message { id, words, about: About::Circumstance, causes, facts: None }
}

/// A row about what looks like a fault and is none.
const fn harmless(
    id: &'static str,
    words: &'static [&'static str],
    causes: &'static [(&'static str, Weight)],
) -> Message {
    Message { id, words, about: About::Harmless, causes, facts: None }
}

/// The same row, which also puts down facts.
const fn with(facts: fn(&str, &mut Found), row: Message) -> Message {
    Message { facts: Some(facts), ..row }
}

/// Every row, by area.
pub fn all() -> impl Iterator<Item = &'static Message> {
    AREAS.iter().copied().flatten().copied().flatten()
}

/// The areas.
static AREAS: &[&[&[Message]]] = &[
    cuda::THEMES,
    torch::THEMES,
    driver::THEMES,
    kernel_log::THEMES,
    containers::THEMES,
    clusters::THEMES,
    libraries::THEMES,
    programs::THEMES,
    other_makers::THEMES,
    reported::THEMES,
];

/// The row with this id.
pub fn find(id: &str) -> Option<&'static Message> {
    static BY_ID: LazyLock<HashMap<&'static str, &'static Message>> =
        LazyLock::new(|| all().map(|message| (message.id, message)).collect());
    BY_ID.get(id).copied()
}

/// The words of all rows: the longest part of each, and where the rest has to be.
struct Index {
    finder: Finder,
    /// By pattern: the row, and the words with their parts in order.
    patterns: Vec<(&'static Message, &'static str)>,
}

static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let patterns: Vec<_> = all().flat_map(|message| message.words.iter().map(move |words| (message, *words))).collect();
    let longest =
        |words: &'static str| words.split('*').map(str::trim).max_by_key(|part| part.len()).unwrap_or_default();
    Index { finder: Finder::new(patterns.iter().map(|(_, words)| longest(words))), patterns }
});

/// Recognises the messages of the table.
pub struct Messages;

impl Messages {
    /// A reader.
    pub fn new() -> Messages {
        Messages
    }
}

impl Default for Messages {
    fn default() -> Messages {
        Messages::new()
    }
}

impl Reader for Messages {
    fn waits(&self) -> bool {
        true
    }

    fn line(&mut self, line: Line, found: &mut Found) {
        let mut seen: Vec<&'static str> = Vec::new();
        let mut lower: Option<String> = None;
        INDEX.finder.any(line.text, |number| {
            let Some((message, words)) = INDEX.patterns.get(number) else { return false };
            if seen.contains(&message.id) {
                return false;
            }
            let lower = lower.get_or_insert_with(|| line.text.to_lowercase());
            if in_order(lower, words) {
                seen.push(message.id);
                found.said(message.id, line.text, []);
                if let Some(facts) = message.facts {
                    facts(line.text, found);
                }
            }
            false
        });
    }
}

/// Whether the parts of words, between `*`, stand in the line (in lower case) one after the other.
fn in_order(line: &str, words: &str) -> bool {
    let mut rest = line;
    words.split('*').all(|part| {
        let part = part.trim();
        // Nearly all are written in lower case.
        let part = match part.is_ascii() && !part.bytes().any(|b| b.is_ascii_uppercase()) {
            true => Cow::Borrowed(part),
            false => Cow::Owned(part.to_lowercase()),
        };
        match rest.find(&*part) {
            Some(at) => {
                rest = &rest[at + part.len()..];
                true
            }
            None => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn ids_are_unique_and_causes_exist() {
        let mut ids = HashSet::new();
        for message in all() {
            assert!(ids.insert(message.id), "{} stands twice", message.id);
            for (slug, _) in message.causes {
                assert!(crate::causes::find(slug).is_some(), "{}: there is no cause {slug}", message.id);
            }
            for words in message.words {
                let longest = words.split('*').map(|p| p.trim().len()).max().unwrap_or(0);
                assert!(longest >= 4, "{}: {words:?} would match too much", message.id);
            }
            if let About::Fault(check) = message.about {
                assert!(crate::checks::by_id(check).is_some(), "{}: there is no check {check}", message.id);
            }
        }
        LazyLock::force(&INDEX);
    }

    #[test]
    fn parts_stand_in_order() {
        assert!(in_order("libcuda.so.1: cannot open shared object", "libcuda.so*cannot open"));
        assert!(!in_order("cannot open libcuda.so", "libcuda.so*cannot open"));
    }
}
