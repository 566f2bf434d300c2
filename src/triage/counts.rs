//! How often a thing was put down, so that a log that says it a million times is kept in bounded memory, and read quickly.

use crate::subject::{Kind, Subject};
use std::collections::{HashMap, HashSet};

/// Subjects of one key: no machine has more GPUs, nodes or libraries that matter.
const MOST_SUBJECTS: usize = 256;

/// GPUs of a text. A machine has at most sixteen, by number and by address, and what is made of a log grows with them.
const MOST_GPUS: usize = 128;

/// A message that was said so often adds nothing but a line number.
pub const MOST_OF_A_MESSAGE: u32 = 4;

/// Counts of facts by key and subject, and of messages by id.
#[derive(Default)]
pub struct Counts {
    facts: HashMap<&'static str, HashMap<Subject, usize>>,
    messages: HashMap<&'static str, u32>,
    gpus: HashSet<String>,
}

impl Counts {
    /// Counts a fact; whether there were fewer than `most` before.
    pub fn fact(&mut self, key: &'static str, subject: &Subject, most: usize) -> bool {
        if subject.kind == Kind::Gpu && !self.gpu(&subject.id) {
            return false;
        }
        let of_key = self.facts.entry(key).or_default();
        let full = of_key.len() >= MOST_SUBJECTS;
        // The subject is cloned once, not with every line.
        let count = match of_key.get_mut(subject) {
            Some(count) => count,
            None if full => return false,
            None => of_key.entry(subject.clone()).or_default(),
        };
        *count += 1;
        *count <= most
    }

    /// Whether this GPU is one of those that are kept.
    pub fn gpu(&mut self, id: &str) -> bool {
        self.gpus.contains(id) || self.gpus.len() < MOST_GPUS && self.gpus.insert(id.to_string())
    }

    /// Counts a message; whether it is worth keeping.
    pub fn message(&mut self, id: &'static str) -> bool {
        let count = self.messages.entry(id).or_default();
        *count = count.saturating_add(1);
        *count <= MOST_OF_A_MESSAGE
    }

    /// Whether a message was said.
    pub fn was_said(&self, id: &str) -> bool {
        self.messages.contains_key(id)
    }

    /// Whether a message was said so often that it is kept no more.
    pub fn is_told(&self, id: &str) -> bool {
        self.messages.get(id).is_some_and(|count| *count >= MOST_OF_A_MESSAGE)
    }
}
