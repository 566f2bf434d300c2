//! What stands in the place of a value: `<user-1>`. One value has one token.

use super::{secrets, words};
use crate::facts::{Facts, State};
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What a value says about somebody or something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Name of a user.
    User,
    /// Name of a group of users.
    Group,
    /// Name of a home directory that is not the user's name.
    Home,
    /// Name of a machine.
    Host,
    /// Name or id of a container.
    Container,
    /// Name or id of a pod.
    Pod,
    /// A UUID: of a GPU, of a MIG instance, of anything.
    Uuid,
    /// Serial number.
    Serial,
    /// Hardware address of a network card.
    Mac,
    /// Address in a network.
    Ip,
    /// E-mail address.
    Email,
}

/// Every kind, with its word in tokens and that in sentences.
const KINDS: &[(Kind, &str, &str)] = &[
    (Kind::User, "user", "user names"),
    (Kind::Group, "group", "group names"),
    (Kind::Home, "home", "home directories"),
    (Kind::Host, "host", "host names"),
    (Kind::Container, "container", "container names"),
    (Kind::Pod, "pod", "pod names"),
    (Kind::Uuid, "uuid", "UUIDs"),
    (Kind::Serial, "serial", "serial numbers"),
    (Kind::Mac, "mac", "MAC addresses"),
    (Kind::Ip, "ip", "IP addresses"),
    (Kind::Email, "email", "e-mail addresses"),
];

/// How many values of a kind were replaced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Replaced {
    /// The kind in the plural, `user names`.
    pub kind: &'static str,
    /// Different values; of secrets, places.
    pub count: usize,
}

/// The tokens that were given so far.
#[derive(Default)]
pub struct Tokens {
    /// By value, in lower case.
    given: HashMap<String, String>,
    /// The highest number of each kind.
    last: HashMap<Kind, usize>,
}

impl Tokens {
    /// The token of a value.
    pub fn of(&mut self, kind: Kind, value: &str) -> String {
        // A snapshot may have been redacted before.
        if at(value).is_some_and(|token| token.len() == value.len()) {
            return value.to_string();
        }
        let key = key(value);
        if let Some(token) = self.given.get(&key) {
            return token.clone();
        }
        let number = self.last.entry(kind).or_default();
        *number += 1;
        let word = KINDS.iter().find(|(known, _, _)| *known == kind).map_or("", |(_, word, _)| word);
        let token = format!("<{word}-{number}>");
        self.given.insert(key, token.clone());
        token
    }

    /// The token of a name; names that everybody has stay.
    pub fn of_name(&mut self, kind: Kind, name: &str) -> String {
        match words::is_nobody(name) || kind == Kind::Group && words::is_system_group(name) {
            true => name.to_string(),
            false => self.of(kind, name),
        }
    }

    /// Lets another spelling of a value have its token.
    pub fn alias(&mut self, value: &str, spelling: &str) {
        if let Some(token) = self.given.get(&key(value)).cloned() {
            self.given.insert(key(spelling), token);
        }
    }

    /// The one value given so far that begins like this.
    pub fn completed(&self, beginning: &str) -> Option<String> {
        let beginning = beginning.to_lowercase();
        let mut tokens = self.given.iter().filter(|(value, _)| value.starts_with(&beginning)).map(|(_, token)| token);
        tokens.next().filter(|_| tokens.next().is_none()).cloned()
    }

    /// Takes note of tokens that stand in a text already, so that none is given twice.
    pub fn note(&mut self, text: &str) {
        for (kind, number, _) in all(text) {
            let last = self.last.entry(kind).or_default();
            *last = number.max(*last);
        }
    }
}

/// A value as it is kept. The names of control groups have UUIDs with underscores.
fn key(value: &str) -> String {
    let lower = value.to_lowercase();
    if value.len() == 36 { lower.replace('_', "-") } else { lower }
}

/// The token that a text begins with: one of an earlier redaction, or the mask of a secret.
pub fn at(text: &str) -> Option<&str> {
    if text.starts_with(secrets::MASK) {
        return Some(secrets::MASK);
    }
    parsed(text).map(|(_, _, token)| token)
}

fn parsed(text: &str) -> Option<(Kind, usize, &str)> {
    let inner = text.strip_prefix('<')?;
    let end = inner.find('>')?;
    let (word, number) = inner[..end].split_once('-')?;
    let (kind, _, _) = KINDS.iter().find(|(_, known, _)| *known == word)?;
    Some((*kind, number.parse().ok().filter(|n| *n < 1_000_000)?, &text[..end + 2]))
}

fn all(text: &str) -> impl Iterator<Item = (Kind, usize, &str)> {
    text.match_indices('<').filter_map(|(at, _)| parsed(&text[at..]))
}

/// Counts the tokens in facts, whoever put them there: so a redacted snapshot says the same as the run did.
pub fn count(facts: &Facts) -> Vec<Replaced> {
    let mut found: BTreeMap<Kind, BTreeSet<usize>> = BTreeMap::new();
    let mut masked = 0;
    each_text(facts, &mut |text| {
        for (kind, number, _) in all(text) {
            found.entry(kind).or_default().insert(number);
        }
        masked += text.matches(secrets::MASK).count();
    });
    let word = |kind: &Kind| KINDS.iter().find(|(known, _, _)| known == kind).map_or("", |(_, _, words)| words);
    let mut replaced: Vec<Replaced> =
        found.iter().map(|(kind, numbers)| Replaced { kind: word(kind), count: numbers.len() }).collect();
    if masked > 0 {
        replaced.push(Replaced { kind: "secrets", count: masked });
    }
    replaced
}

/// Every text of facts but the keys, in order.
pub fn each_text(facts: &Facts, each: &mut dyn FnMut(&str)) {
    fn within(value: &Value, each: &mut dyn FnMut(&str)) {
        match value {
            Value::String(text) => each(text),
            Value::Array(list) => list.iter().for_each(|value| within(value, each)),
            Value::Object(map) => map.values().for_each(|value| within(value, each)),
            _ => {}
        }
    }
    for fact in facts.iter() {
        match &fact.state {
            State::Seen { value } | State::Reported { value } => within(value, each),
            State::Failed { why } => each(why),
            State::Absent => {}
        }
        each(&fact.subject.id);
        each(&fact.source);
        fact.context.view.iter().for_each(|view| each(view));
    }
}
