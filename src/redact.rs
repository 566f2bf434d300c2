//! What a report may not give away: secrets, always ([`secrets`]); and who and where it was, where that is asked for.
//!
//! Identity is told by the type of a fact ([`table`]): the fact that holds the user's name gives that name away, and then the
//! name is replaced wherever it stands as a word or as a part of a path, by one token for one value. What is replaced are
//! facts, before they are judged, so that every sentence about them has the tokens already, and the words of this program are
//! never touched: the "root cause" of a user called root stays one.
//!
//! Judging facts with tokens gives the same answer: an absolute path stays absolute, `GPU-<uuid-1>` is still a UUID's, and two
//! values that were the same still are.

mod learn;
pub mod secrets;
mod shapes;
mod table;
mod token;
mod words;

pub use token::{Kind, Replaced, count};

use crate::facts::{Fact, Facts, State};
use serde_json::Value;
use table::How;
use token::Tokens;

/// What is to be replaced in one machine's report.
pub struct Redactor {
    tokens: Tokens,
    /// Names that are replaced wherever they are words, longest first.
    names: Vec<String>,
    /// Home directories that are not below `/home` or the like, with what they become.
    homes: Vec<(String, String)>,
}

impl Redactor {
    /// Learns who and where from facts.
    pub fn of(facts: &Facts) -> Redactor {
        let mut redactor = Redactor { tokens: Tokens::default(), names: Vec::new(), homes: Vec::new() };
        learn::from(facts, &mut redactor);
        redactor
    }

    /// The facts without identity, each key by its type.
    pub fn facts(&mut self, facts: Facts) -> Facts {
        facts.iter().cloned().map(|fact| self.fact(fact)).collect()
    }

    fn fact(&mut self, mut fact: Fact) -> Fact {
        match &mut fact.state {
            State::Seen { value } | State::Reported { value } => self.value(&fact.key, "", value),
            State::Failed { why } => *why = self.text(why),
            State::Absent => {}
        }
        fact.subject.id = self.text(&fact.subject.id);
        fact.source = self.text(&fact.source);
        fact.context.view = fact.context.view.map(|view| self.text(&view));
        fact
    }

    fn value(&mut self, key: &str, field: &str, value: &mut Value) {
        match value {
            Value::String(text) => {
                *text = match table::how(key, field) {
                    How::Plain => return,
                    How::Text => self.text(text),
                    // A name that nobody is known by (root) stays.
                    How::Name(kind) => self.tokens.of_name(kind, text),
                }
            }
            Value::Array(list) => list.iter_mut().for_each(|value| self.value(key, field, value)),
            Value::Object(map) => map.iter_mut().for_each(|(field, value)| self.value(key, field, value)),
            _ => {}
        }
    }

    /// Text of any origin without identity: known shapes, and the names that were learnt.
    pub fn text(&mut self, text: &str) -> String {
        shapes::replace(text, self)
    }
}
