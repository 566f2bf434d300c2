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
use super::parts::after;
use super::{Found, Line, Reader};
use std::cmp::Reverse;
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

/// The words of all rows: the rarest part of each, and where the rest has to be.
struct Index {
    finder: Finder,
    patterns: Vec<Pattern>,
    /// How many rows there are.
    rows: usize,
}

/// Words of a row.
struct Pattern {
    message: &'static Message,
    /// The row's number.
    row: usize,
    words: &'static str,
    /// They are one part, which the finder has found.
    is_one: bool,
}

static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let pattern = |message, row, words: &'static str| Pattern { message, row, words, is_one: !words.contains('*') };
    let patterns: Vec<Pattern> = all()
        .enumerate()
        .flat_map(|(row, message)| message.words.iter().map(move |words| pattern(message, row, words)))
        .collect();
    // Forty messages begin with `xid (pci:`; the number behind it tells which.
    let mut shared: HashMap<&str, usize> = HashMap::new();
    for part in patterns.iter().filter(|pattern| !pattern.is_one).flat_map(|pattern| parts(pattern.words)) {
        *shared.entry(part).or_default() += 1;
    }
    let rarest = |words: &'static str| {
        let rank = |part: &&str| (part.len() >= SHORTEST, Reverse(shared.get(part).copied()), part.len());
        if words.contains('*') { parts(words).max_by_key(rank).unwrap_or_default() } else { words.trim() }
    };
    Index { finder: Finder::new(patterns.iter().map(|pattern| rarest(pattern.words))), patterns, rows: all().count() }
});

/// A shorter part is not looked for where there is a longer one: it stands in too many lines.
const SHORTEST: usize = 6;

/// The parts of words.
fn parts(words: &'static str) -> impl Iterator<Item = &'static str> {
    words.split('*').map(str::trim)
}

/// Recognises the messages of the table.
#[derive(Default)]
pub struct Messages {
    /// Rows of the line that is read.
    seen: Vec<usize>,
    /// By row: whether it says nothing new any more.
    told: Vec<bool>,
}

impl Reader for Messages {
    fn waits(&self) -> bool {
        true
    }

    fn line(&mut self, line: Line, found: &mut Found) {
        let Messages { seen, told } = self;
        seen.clear();
        told.resize(INDEX.rows, false);
        INDEX.finder.any(line.text, |number| {
            let Some(Pattern { message, row, words, is_one }) = INDEX.patterns.get(number) else { return false };
            if told[*row] || seen.contains(row) || !(*is_one || in_order(line.text, words)) {
                return false;
            }
            seen.push(*row);
            found.said(message.id, line.text, []);
            match message.facts {
                Some(facts) => facts(line.text, found),
                None if found.counts.is_told(message.id) => told[*row] = true,
                None => {}
            }
            false
        });
    }
}

/// Whether the parts of words, between `*`, stand in the line one after the other, in any case of letters.
fn in_order(line: &str, words: &str) -> bool {
    let mut rest = line;
    words.split('*').all(|part| match after(rest, part.trim()) {
        Some(behind) => {
            rest = behind;
            true
        }
        None => part.trim().is_empty(),
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
                assert!(words.is_ascii(), "{}: {words:?} is compared by ASCII", message.id);
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
