//! The messages of tools, and what each of them says about causes: the differential diagnosis.
//!
//! A row names a message, the words by which it is recognised, and the causes that it decides, supports, suggests, or
//! speaks against. The rules of the causes weigh facts; this table weighs words. Rows stand in one file per area.

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

use super::{Found, Line, Reader};
use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};
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

/// Every row, by area.
pub fn all() -> impl Iterator<Item = &'static Message> {
    AREAS.iter().flat_map(|rows| rows.iter())
}

/// The areas.
static AREAS: &[&[Message]] = &[
    cuda::ROWS,
    torch::ROWS,
    driver::ROWS,
    kernel_log::ROWS,
    containers::ROWS,
    clusters::ROWS,
    libraries::ROWS,
    programs::ROWS,
    other_makers::ROWS,
    reported::ROWS,
];

/// The row with this id.
pub fn find(id: &str) -> Option<&'static Message> {
    static BY_ID: LazyLock<HashMap<&'static str, &'static Message>> =
        LazyLock::new(|| all().map(|message| (message.id, message)).collect());
    BY_ID.get(id).copied()
}

/// The words of all rows as one automaton: the longest part of each, and where the rest has to be.
struct Index {
    automaton: AhoCorasick,
    /// By pattern: the row, and the parts of its words in order.
    patterns: Vec<(&'static Message, Vec<String>)>,
}

static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let mut patterns = Vec::new();
    let mut longest = Vec::new();
    for message in all() {
        for words in message.words {
            let parts: Vec<String> = words.split('*').map(|part| part.trim().to_lowercase()).collect();
            longest.push(parts.iter().max_by_key(|part| part.len()).cloned().unwrap_or_default());
            patterns.push((message, parts));
        }
    }
    let automaton = AhoCorasickBuilder::new()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .build(&longest)
        // The table is part of the program, and a test builds it.
        .unwrap_or_else(|e| panic!("the table of messages: {e}"));
    Index { automaton, patterns }
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
        for hit in INDEX.automaton.find_overlapping_iter(line.text) {
            let Some((message, parts)) = INDEX.patterns.get(hit.pattern().as_usize()) else { continue };
            if seen.contains(&message.id) {
                continue;
            }
            let lower = lower.get_or_insert_with(|| line.text.to_lowercase());
            if in_order(lower, parts) {
                seen.push(message.id);
                found.said(message.id, line.text, []);
                if let Some(facts) = message.facts {
                    facts(line.text, found);
                }
            }
        }
    }
}

/// Whether the parts stand in the line one after the other.
fn in_order(line: &str, parts: &[String]) -> bool {
    let mut rest = line;
    parts.iter().all(|part| match rest.find(part.as_str()) {
        Some(at) => {
            rest = &rest[at + part.len()..];
            true
        }
        None => false,
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
                assert!(longest >= 5, "{}: {words:?} would match too much", message.id);
            }
            if let About::Fault(check) = message.about {
                assert!(crate::checks::by_id(check).is_some(), "{}: there is no check {check}", message.id);
            }
        }
        LazyLock::force(&INDEX);
    }

    #[test]
    fn parts_stand_in_order() {
        let parts = |s: &str| s.split('*').map(str::to_string).collect::<Vec<_>>();
        assert!(in_order("libcuda.so.1: cannot open shared object", &parts("libcuda.so*cannot open")));
        assert!(!in_order("cannot open libcuda.so", &parts("libcuda.so*cannot open")));
    }
}
