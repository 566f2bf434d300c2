//! Finding identity in text: by its shape, by the place where it stands, and by names that were learnt.

mod addresses;
mod places;

use super::token::at as token_at;
use super::{Kind, Redactor, words};

/// One thing found at a place of a text: how much before it stays, how long it is, and what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Bytes that stay, before it.
    pub before: usize,
    /// Its own bytes.
    pub length: usize,
    /// What it is.
    pub kind: Kind,
}

/// The text with every thing replaced by its token.
pub fn replace(text: &str, redactor: &mut Redactor) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if c == '<'
            && let Some(token) = token_at(&text[at..])
        {
            out.push_str(token);
            at += token.len();
            continue;
        }
        if let Some(found) = found_at(text, at) {
            let start = at + found.before;
            out.push_str(&text[at..start]);
            out.push_str(&token(redactor, found.kind, &text[start..start + found.length]));
            at = start + found.length;
            continue;
        }
        if let Some((length, token)) = learnt_at(text, at, redactor) {
            out.push_str(&token);
            at += length;
            continue;
        }
        out.push(c);
        at += c.len_utf8();
    }
    out
}

/// The token of a value; an abbreviated UUID has that of the whole one.
fn token(redactor: &mut Redactor, kind: Kind, value: &str) -> String {
    let whole = value.len() >= 32;
    let known = (kind == Kind::Uuid && !whole).then(|| redactor.tokens.completed(value)).flatten();
    known.unwrap_or_else(|| redactor.tokens.of_name(kind, value))
}

/// Everything that stands where names stand, and every UUID.
pub fn names(text: &str, each: &mut dyn FnMut(Kind, &str)) {
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        match found_at(text, at) {
            Some(Found { before, length, kind }) => {
                each(kind, &text[at + before..at + before + length]);
                at += before + length;
            }
            None => at += c.len_utf8(),
        }
    }
}

/// Whether a folder is one in which home directories lie.
pub fn is_home(folder: &str) -> bool {
    let folder = folder.trim_end_matches('/');
    folder.ends_with("/home") || folder.ends_with("/Users")
}

/// What is found at a place, without anything learnt.
fn found_at(text: &str, at: usize) -> Option<Found> {
    let here = &text[at..];
    let first = here.chars().next()?;
    if matches!(first, '/' | '\\') {
        return places::home(text, at);
    }
    let edge = text[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric());
    if !edge || !first.is_alphanumeric() {
        return None;
    }
    addresses::uuid(text, at)
        .or_else(|| addresses::mac(text, at))
        .or_else(|| addresses::ip(text, at))
        .or_else(|| addresses::long_hex(text, at))
        .or_else(|| places::email(text, at))
        .or_else(|| places::prompt(text, at))
        .or_else(|| places::journal(text, at))
        .or_else(|| places::labelled(text, at))
}

/// A name that was learnt, as a whole word: its length, and its token.
fn learnt_at(text: &str, at: usize, redactor: &mut Redactor) -> Option<(usize, String)> {
    let here = &text[at..];
    for (home, token) in &redactor.homes {
        let ends = |rest: &str| rest.chars().next().is_none_or(|c| !(c.is_alphanumeric() || matches!(c, '-' | '_')));
        if here.strip_prefix(home.as_str()).is_some_and(ends) {
            return Some((home.len(), token.clone()));
        }
    }
    let edge = text[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric());
    if !edge || redactor.names.is_empty() {
        return None;
    }
    let same = |name: &&String| {
        let end = here.get(..name.len()).is_some_and(|part| part.to_lowercase() == **name);
        end && here[name.len()..].chars().next().is_none_or(|c| !c.is_alphanumeric())
    };
    let name = redactor.names.iter().find(same)?.clone();
    if words::in_system_path(text, at) {
        return None;
    }
    let length = name.len() + places::domain(&here[name.len()..]);
    Some((length, redactor.tokens.of(Kind::User, &name)))
}
