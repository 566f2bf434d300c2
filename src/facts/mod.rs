//! What was seen, where, and in which context; no opinion.
//!
//! A fact is a key, a subject, a context and a state. Keys are typed constants, one file per field of knowledge
//! ([`host`], [`pci`], [`kernel`], [`nvidia`], [`cuda`], [`python`]): the constant says what the value means, its unit and
//! where it comes from. What nobody looked at is simply not in the list.

pub mod asked;
pub mod cuda;
pub mod host;
pub mod kernel;
pub mod links;
pub mod makers;
pub mod nvidia;
pub mod pci;
pub mod programs;
pub mod python;
pub mod said;

use crate::redact::secrets;
use crate::subject::{Kind, Subject};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::marker::PhantomData;

/// The name of a kind of fact, and the type of its value.
pub struct Key<T> {
    /// The name in snapshots and in the examples of pages; never renamed within a schema version.
    pub name: &'static str,
    value: PhantomData<fn() -> T>,
}

impl<T> Key<T> {
    /// Declares a key.
    pub const fn new(name: &'static str) -> Key<T> {
        Key { name, value: PhantomData }
    }
}

/// What the value of a key must be able to do. It stands for `DeserializeOwned`, so that users of facts need not name serde.
pub trait DeserializeKey: DeserializeOwned {}

impl<T: DeserializeOwned> DeserializeKey for T {}

/// A key without its type, for the catalogue.
pub trait AnyKey: Sync {
    /// The name of the key.
    fn name(&self) -> &'static str;
    /// Whether a value has the key's type; the error says what is wrong with it.
    fn accepts(&self, value: &Value) -> Result<(), String>;
}

impl<T: DeserializeOwned> AnyKey for Key<T> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn accepts(&self, value: &Value) -> Result<(), String> {
        T::deserialize(value).map(drop).map_err(|e| e.to_string())
    }
}

/// Every key there is, by file.
pub fn catalogue() -> impl Iterator<Item = &'static dyn AnyKey> {
    [
        asked::ALL,
        host::ALL,
        pci::ALL,
        kernel::ALL,
        nvidia::ALL,
        cuda::ALL,
        python::ALL,
        said::ALL,
        programs::ALL,
        makers::ALL,
        links::ALL,
    ]
    .into_iter()
    .flatten()
    .copied()
}

/// What an experiment changed, compared with the process as it was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Variant {
    /// CUDA_VISIBLE_DEVICES and its kin were unset.
    WithoutMasks,
    /// LD_LIBRARY_PATH and LD_PRELOAD were unset.
    WithoutLibraryPath,
    /// The user's own site-packages and PYTHONPATH were switched off.
    WithoutUserSite,
}

impl Variant {
    /// How a sentence names it.
    pub fn describe(self) -> &'static str {
        match self {
            Variant::WithoutMasks => "with the visibility variables unset",
            Variant::WithoutLibraryPath => "with LD_LIBRARY_PATH and LD_PRELOAD unset",
            Variant::WithoutUserSite => "with the user site and PYTHONPATH switched off",
        }
    }
}

/// Whose view a fact is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Context {
    /// The experiment in which it was seen; nothing for the process as it was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<Variant>,
    /// Whose view, where a ticket holds several: `host`, `container`, `root`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<String>,
}

impl Context {
    fn is_plain(&self) -> bool {
        *self == Context::default()
    }
}

/// What came of looking.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum State {
    /// This value was there.
    Seen {
        /// The value, of the key's type.
        value: Value,
    },
    /// Looked, and it is not there.
    Absent,
    /// Could not look.
    Failed {
        /// Why, in words: "permission denied", "timed out after 60 s in cuInit".
        why: String,
    },
    /// A person said so; weaker than anything seen.
    Reported {
        /// The value, of the key's type.
        value: Value,
    },
}

/// One thing seen, absent, or not to be had.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// The key's name.
    pub key: Cow<'static, str>,
    /// What it is about.
    pub subject: Subject,
    /// Whose view it is.
    #[serde(default, skip_serializing_if = "Context::is_plain")]
    pub context: Context,
    /// What came of looking.
    #[serde(flatten)]
    pub state: State,
    /// Where it was looked for: a path, a call, `FILE:LINE` of a pasted text.
    pub source: String,
}

impl Fact {
    /// The fact with every secret in it masked: the one gate through which all facts go.
    fn without_secrets(self) -> Fact {
        self.map_texts(secrets::text)
    }

    /// The fact with every text in it changed; only the key stays.
    pub fn map_texts(mut self, mut change: impl FnMut(String) -> String) -> Fact {
        fn within(value: &mut Value, change: &mut impl FnMut(String) -> String) {
            match value {
                Value::String(text) => *text = change(std::mem::take(text)),
                Value::Array(list) => list.iter_mut().for_each(|value| within(value, change)),
                Value::Object(map) => map.values_mut().for_each(|value| within(value, change)),
                _ => {}
            }
        }
        match &mut self.state {
            State::Seen { value } | State::Reported { value } => within(value, &mut change),
            State::Failed { why } => *why = change(std::mem::take(why)),
            State::Absent => {}
        }
        self.subject.id = change(self.subject.id);
        self.source = change(self.source);
        self.context.view = self.context.view.map(change);
        self
    }
}

/// The answer to a question about one key, subject and context.
#[derive(Clone, Debug)]
pub enum Look<'a, T> {
    /// Seen, with the fact.
    Seen(T, &'a Fact),
    /// Looked, and not there.
    Absent(&'a Fact),
    /// Could not look.
    Failed(&'a str, &'a Fact),
    /// Nobody looked.
    NotAsked,
}

impl<'a, T> Look<'a, T> {
    /// The value, where one was seen.
    pub fn seen(self) -> Option<T> {
        match self {
            Look::Seen(value, _) => Some(value),
            _ => None,
        }
    }

    /// Whether somebody looked and it was not there. Silence is not absence.
    pub fn is_absent(&self) -> bool {
        matches!(self, Look::Absent(_))
    }

    /// The fact behind the answer.
    pub fn fact(&self) -> Option<&'a Fact> {
        match self {
            Look::Seen(_, fact) | Look::Absent(fact) | Look::Failed(_, fact) => Some(fact),
            Look::NotAsked => None,
        }
    }

    /// Why it could not be seen, where looking failed.
    pub fn why_failed(&self) -> Option<&'a str> {
        match self {
            Look::Failed(why, _) => Some(why),
            _ => None,
        }
    }
}

/// All facts of one machine or ticket.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Facts {
    list: Vec<Fact>,
}

impl Facts {
    /// No facts.
    pub fn new() -> Facts {
        Facts::default()
    }

    /// Adds a fact, without the secrets in it.
    pub fn push(&mut self, fact: Fact) {
        self.list.push(fact.without_secrets());
    }

    /// Adds all facts of another list.
    pub fn extend(&mut self, other: Facts) {
        self.list.extend(other.list);
    }

    /// Adds a value that was seen in the process as it was started.
    pub fn seen<T: Serialize>(&mut self, key: &Key<T>, subject: &Subject, value: T, source: impl Into<String>) {
        match serde_json::to_value(value) {
            Ok(value) => self.state(key, subject, State::Seen { value }, source),
            Err(e) => self.failed(key, subject, e.to_string(), source),
        }
    }

    /// Adds that something was looked for and is not there.
    pub fn absent<T>(&mut self, key: &Key<T>, subject: &Subject, source: impl Into<String>) {
        self.state(key, subject, State::Absent, source);
    }

    /// Adds that something could not be looked at.
    pub fn failed<T>(&mut self, key: &Key<T>, subject: &Subject, why: impl Into<String>, source: impl Into<String>) {
        self.state(key, subject, State::Failed { why: why.into() }, source);
    }

    fn state<T>(&mut self, key: &Key<T>, subject: &Subject, state: State, source: impl Into<String>) {
        self.push(Fact {
            key: Cow::Borrowed(key.name),
            subject: subject.clone(),
            context: Context::default(),
            state,
            source: source.into(),
        });
    }

    /// Marks every fact of this list as seen in an experiment.
    pub fn in_variant(mut self, variant: Variant) -> Facts {
        for fact in &mut self.list {
            fact.context.variant = Some(variant);
        }
        self
    }

    /// The facts, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = &Fact> {
        self.list.iter()
    }

    /// How many facts there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there is no fact at all.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Gives the facts about one subject to another. Where the other has a fact of a key already, that one stays.
    pub fn rename(&mut self, from: &Subject, to: &Subject) {
        if from == to {
            return;
        }
        let known: Vec<Cow<'static, str>> =
            self.list.iter().filter(|fact| fact.subject == *to).map(|fact| fact.key.clone()).collect();
        self.list.retain(|fact| fact.subject != *from || !known.contains(&fact.key));
        for fact in self.list.iter_mut().filter(|fact| fact.subject == *from) {
            fact.subject = to.clone();
        }
    }

    /// Keeps the facts for which `keep` holds.
    pub fn retain(&mut self, keep: impl FnMut(&Fact) -> bool) {
        self.list.retain(keep);
    }

    /// What is known of a key and subject in the process as it was started. Where several facts answer, a seen one comes
    /// before an absent one, and that before a failed one.
    pub fn look<T: DeserializeOwned>(&self, key: &Key<T>, subject: &Subject) -> Look<'_, T> {
        self.look_in(key, subject, None)
    }

    /// What is known of a key and subject in an experiment.
    pub fn look_in<T: DeserializeOwned>(
        &self,
        key: &Key<T>,
        subject: &Subject,
        variant: Option<Variant>,
    ) -> Look<'_, T> {
        let rank = |fact: &&Fact| match fact.state {
            State::Seen { .. } => 0,
            State::Reported { .. } => 1,
            State::Absent => 2,
            State::Failed { .. } => 3,
        };
        let best = self
            .list
            .iter()
            .filter(|f| f.key == key.name && f.context.variant == variant && f.subject == *subject)
            .min_by_key(rank);
        match best {
            None => Look::NotAsked,
            Some(fact) => read(fact),
        }
    }

    /// What is known of the machine, or of this process.
    pub fn machine<T: DeserializeOwned>(&self, key: &Key<T>) -> Look<'_, T> {
        self.look(key, &Subject::machine())
    }

    /// The value of a key for the machine, where one was seen.
    pub fn value<T: DeserializeOwned>(&self, key: &Key<T>) -> Option<T> {
        self.machine(key).seen()
    }

    /// The value of an environment variable of the allow-list: seen, absent (unset), or not asked.
    pub fn variable(&self, name: &str) -> Look<'_, String> {
        self.look(&host::VARIABLE, &Subject::variable(name))
    }

    /// Every value of a key that was seen in the process as it was started, with its fact.
    pub fn all<'a, T: DeserializeOwned>(&'a self, key: &Key<T>) -> impl Iterator<Item = (T, &'a Fact)> {
        let name = key.name;
        self.list.iter().filter(move |f| f.key == name && f.context.variant.is_none()).filter_map(|fact| {
            match read(fact) {
                Look::Seen(value, fact) => Some((value, fact)),
                _ => None,
            }
        })
    }

    /// The subjects of a kind that any fact speaks of, each once, in order of appearance.
    pub fn subjects(&self, kind: Kind) -> Vec<Subject> {
        let mut found: Vec<Subject> = Vec::new();
        for fact in self.list.iter().filter(|f| f.subject.kind == kind) {
            if !found.contains(&fact.subject) {
                found.push(fact.subject.clone());
            }
        }
        found
    }

    /// The subjects of which a key was looked at, each once, in order of appearance.
    pub fn subjects_with<T>(&self, key: &Key<T>) -> Vec<Subject> {
        let mut found: Vec<Subject> = Vec::new();
        for fact in self.list.iter().filter(|f| f.key == key.name && f.context.variant.is_none()) {
            if !found.contains(&fact.subject) {
                found.push(fact.subject.clone());
            }
        }
        found
    }
}

impl FromIterator<Fact> for Facts {
    fn from_iter<I: IntoIterator<Item = Fact>>(facts: I) -> Facts {
        Facts { list: facts.into_iter().map(Fact::without_secrets).collect() }
    }
}

fn read<T: DeserializeOwned>(fact: &Fact) -> Look<'_, T> {
    match &fact.state {
        State::Seen { value } | State::Reported { value } => match T::deserialize(value) {
            Ok(value) => Look::Seen(value, fact),
            // A snapshot is checked when it is loaded, so this is a probe that broke the key's promise.
            Err(_) => Look::Failed("the value is not of the key's type", fact),
        },
        State::Absent => Look::Absent(fact),
        State::Failed { why } => Look::Failed(why, fact),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_two_keys_have_one_name() {
        let mut names = HashSet::new();
        for key in catalogue() {
            assert!(names.insert(key.name()), "{} is declared twice", key.name());
        }
        assert!(names.len() > 50);
    }

    #[test]
    fn silence_is_not_absence() {
        let mut facts = Facts::new();
        let gpu = Subject::gpu("0000:01:00.0");
        facts.absent(&pci::DRIVER, &gpu, "/sys/bus/pci/devices/0000:01:00.0/driver");
        assert!(facts.look(&pci::DRIVER, &gpu).is_absent());
        assert!(!facts.look(&pci::NAME, &gpu).is_absent());
        facts.seen(&pci::DRIVER, &gpu, "nvidia".to_string(), "later");
        assert_eq!(facts.look(&pci::DRIVER, &gpu).seen().as_deref(), Some("nvidia"));
    }
}
