//! Who and where: what facts give away by their type, and what stands where names stand.

use super::token::each_text;
use super::{Kind, Redactor, shapes, words};
use crate::facts::{Facts, host, kernel};
use std::collections::HashSet;

/// Learns names, UUIDs and home directories.
pub fn from(facts: &Facts, redactor: &mut Redactor) {
    each_text(facts, &mut |text| redactor.tokens.note(text));
    let user: Option<String> = facts.value(&host::USER_NAME);
    if let Some(name) = &user {
        redactor.learn(Kind::User, name);
    }
    // A home directory of another name is replaced as well.
    if let Some(home) = facts.value(&host::HOME) {
        redactor.learn_home(&home);
    }
    if let Some(name) = facts.value(&host::NAME) {
        let kind = match facts.value(&host::CONTAINER).map(|container| container.engine).as_deref() {
            Some("kubernetes") => Kind::Pod,
            Some(_) => Kind::Container,
            None => Kind::Host,
        };
        // The name with its domain is the same machine.
        let short = name.split('.').next().unwrap_or_default();
        redactor.learn(kind, short);
        redactor.tokens.alias(short, &name);
        if kind == Kind::Host {
            siblings(short, facts, redactor);
        }
    }
    if let Some(process) = facts.value(&host::USER) {
        for (number, name) in process.groups {
            let Some(name) = name.filter(|name| !words::is_system_group(name)) else { continue };
            redactor.learn(if number == process.gid { Kind::User } else { Kind::Group }, &name);
        }
    }
    // Ubuntu signs modules with a key of this name.
    let signer = facts.value(&kernel::MODINFO).and_then(|file| file.signer);
    if let Some((name, _)) = signer.as_deref().and_then(|signer| signer.split_once(" Secure Boot Module Signature key"))
    {
        redactor.learn(Kind::Host, name);
    }
    // Names that stand where names stand: what follows can be a word anywhere.
    let mut known: HashSet<String> = HashSet::new();
    each_text(facts, &mut |text| {
        shapes::names(text, &mut |kind, name| {
            // An abbreviated UUID gets the token of the whole one, which may come later.
            let part = kind == Kind::Uuid && name.len() < 32;
            if !part && known.insert(name.to_string()) {
                redactor.learn(kind, name);
            }
        });
    });
    redactor.names.sort_by_key(|name| std::cmp::Reverse(name.len()));
}

/// Machines of the same family: `ml-node-12` beside `ml-node-07`.
fn siblings(name: &str, facts: &Facts, redactor: &mut Redactor) {
    let Some(family) = family(name) else { return };
    let mut found: Vec<String> = Vec::new();
    each_text(facts, &mut |text| {
        for word in text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-')) {
            let same = word.len() <= name.len() + 4 && self::family(word).as_ref() == Some(&family);
            if same && !found.iter().any(|other| other.eq_ignore_ascii_case(word)) {
                found.push(word.to_string());
            }
        }
    });
    for word in found {
        redactor.learn(Kind::Host, &word);
    }
}

/// A name with each number in it as `#`, where what is left is no common word: `ml-node-#`.
fn family(name: &str) -> Option<String> {
    let mut family = String::with_capacity(name.len());
    for c in name.chars() {
        match c.is_ascii_digit() {
            true if family.ends_with('#') => {}
            true => family.push('#'),
            false => family.push(c.to_ascii_lowercase()),
        }
    }
    let letters: Vec<&str> = family.split(['#', '-']).filter(|part| part.len() >= 2).collect();
    let telling = match letters.as_slice() {
        [one] => one.len() >= 3 && !words::is_word(one),
        more => more.len() >= 2,
    };
    (family.contains('#') && telling).then_some(family)
}

impl Redactor {
    /// Gives a name its token; unless it is a word as well, it is replaced everywhere from now on.
    fn learn(&mut self, kind: Kind, name: &str) {
        if words::is_nobody(name) || name.starts_with('<') {
            return;
        }
        // UUIDs and the like are found by their shape.
        let is_name = !matches!(kind, Kind::Uuid | Kind::Serial | Kind::Mac | Kind::Ip | Kind::Email);
        self.tokens.of(kind, name);
        let name = name.to_lowercase();
        if is_name && !self.names.contains(&name) && !words::is_word(&name) {
            self.names.push(name);
        }
    }

    fn learn_home(&mut self, home: &str) {
        let home = home.trim_end_matches(['/', '\\']);
        let Some((parent, name)) = home.rsplit_once('/') else { return };
        // Those below /home and /Users are found by their place, and the system's are nobody's.
        let system =
            home == "/root" || words::in_system_path(&format!("{home}/"), home.len()) || home.starts_with("/var/");
        if system || words::is_nobody(name) || name.starts_with('<') || shapes::is_home(parent) {
            return;
        }
        let token = self.tokens.of(Kind::Home, name);
        self.homes.push((home.to_string(), format!("{parent}/{token}")));
    }
}
