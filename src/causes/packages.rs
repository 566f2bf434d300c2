//! What rules ask of the list of installed packages, and of the messages of a text.

use super::{Case, Occurrence};
use crate::facts::python::{self, Package};
use crate::facts::said::{self, Said};
use crate::facts::{Fact, Facts};
use crate::subject::Subject;
use crate::symptom::Kind;

/// Every package for which `wanted` holds, with its fact.
pub fn matching(facts: &Facts, wanted: impl Fn(&Package) -> bool) -> Vec<(Package, &Fact)> {
    facts.all(&python::PACKAGE).filter(|(package, _)| wanted(package)).collect()
}

/// The package with this name in the environment (or text) of `place`; in any, where no place is given.
pub fn named<'a>(facts: &'a Facts, name: &str, place: Option<&Subject>) -> Option<(Package, &'a Fact)> {
    matching(facts, |package| package.name == name)
        .into_iter()
        .find(|(_, fact)| place.is_none_or(|place| fact.subject == *place))
}

/// The numbers that a version begins with: 9, 10, 2, 21 for `9.10.2.21+cu126`.
pub fn numbers(version: &str) -> Vec<u32> {
    version
        .split(['.', '+', '-'])
        .map_while(|part| {
            let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
            digits.parse().ok()
        })
        .collect()
}

/// What follows `pip install` for a package that has to go with the torch that is there, which stays as it is.
pub fn beside_torch(case: &Case, torch: &Subject, package: &str) -> String {
    let version = case.facts.look(&python::DISTRIBUTION, torch).seen().map(|d| d.version).unwrap_or_default();
    match version.split('+').next() {
        Some(release) if !release.is_empty() => format!("\"torch=={release}\" {package}"),
        _ => package.to_string(),
    }
}

/// The first message with one of these ids, with its fact.
pub fn told<'a>(facts: &'a Facts, ids: &[&str]) -> Option<(Said, &'a Fact)> {
    facts.all(&said::MESSAGE).find(|(said, _)| ids.contains(&said.id.as_str()))
}

/// The symptoms that messages with these ids are.
pub fn told_symptoms(case: &Case, ids: &[&str]) -> Vec<Occurrence> {
    case.symptoms(Kind::Said).filter(|o| ids.contains(&o.symptom.code())).collect()
}

#[cfg(test)]
mod tests {
    use super::numbers;

    #[test]
    fn versions_begin_with_numbers() {
        assert_eq!(numbers("9.10.2.21"), [9, 10, 2, 21]);
        assert_eq!(numbers("0.20.1+cpu"), [0, 20, 1]);
        assert_eq!(numbers("2.11.0rc1"), [2, 11, 0]);
        assert_eq!(numbers(""), [] as [u32; 0]);
    }
}
