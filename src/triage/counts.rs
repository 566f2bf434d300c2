//! How often a thing was put down, so that a log that says it a million times is kept in bounded memory, and read quickly.

use crate::subject::Subject;
use std::collections::HashMap;

/// Subjects of one key: no machine has more GPUs, nodes or libraries that matter.
const MOST_SUBJECTS: usize = 256;

/// A message that was said so often adds nothing but a line number.
pub const MOST_OF_A_MESSAGE: u32 = 4;

/// Counts of facts by key and subject, and of messages by id.
#[derive(Default)]
pub struct Counts {
    facts: HashMap<&'static str, HashMap<Subject, usize>>,
    messages: HashMap<&'static str, u32>,
}

impl Counts {
    /// Counts a fact; whether there were fewer than `most` before.
    pub fn fact(&mut self, key: &'static str, subject: &Subject, most: usize) -> bool {
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
