//! What comes from a stranger, or from a machine that is ill, breaks nothing: snapshots, images, children, the environment.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods)]

mod children;
#[path = "../common/mod.rs"]
mod common;
mod images;

use common::program::{BARE, HEALTHY, NO_DRIVER};
use gpu_doctor::causes::example;
use gpu_doctor::facts::{Fact, Facts, State, catalogue};
use gpu_doctor::machine::console::Console;
use gpu_doctor::render::escape::is_unsafe;
use gpu_doctor::render::{json, terminal};
use gpu_doctor::report::Report;
use gpu_doctor::symptom::Kind;
use gpu_doctor::{causes, snapshot};
use serde_json::{Value, json};

const CONSOLE: Console = Console { width: 80, colour: false, unicode: true };
const HOSTILE: [&str; 8] = [
    "",
    "\0",
    "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m",
    "\u{202e}gpj.exe\u{2066}",
    "`x` `y \n\n  ## z",
    "'; touch /tmp/owned; '$(id)`id`\"",
    "{kernel}{python}${x}{{",
    "9999999999999999999.9.-1..",
];

/// Every example of every page, and the described machines.
fn machines() -> Vec<Facts> {
    let described = [HEALTHY, NO_DRIVER, BARE].into_iter().map(|text| example::facts(text, false).unwrap());
    let of_pages = causes::all()
        .flat_map(|cause| example::examples(cause.page, cause.head().slug).into_iter().take(1))
        .filter_map(|example| example::facts(example.text, false).ok());
    described.chain(of_pages).collect()
}

/// Replaces every number or every string inside a value.
fn replace(value: &mut Value, number: Option<&Value>, text: Option<&str>) {
    match value {
        Value::Number(old) => {
            if let Some(new) = number {
                *old = new.as_number().unwrap().clone();
            }
        }
        Value::String(old) => {
            if let Some(new) = text {
                *old = new.to_string();
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|v| replace(v, number, text)),
        Value::Object(map) => map.values_mut().for_each(|v| replace(v, number, text)),
        _ => {}
    }
}

/// The facts with every value changed that may be changed so; what a snapshot would refuse stays.
fn changed(facts: &Facts, number: Option<&Value>, text: Option<&str>, subjects: bool) -> Facts {
    let change = |fact: &Fact| {
        let mut fact = fact.clone();
        if let State::Seen { value } = &mut fact.state {
            let mut new = value.clone();
            replace(&mut new, number, text);
            if catalogue().find(|key| key.name() == fact.key).is_some_and(|key| key.accepts(&new).is_ok()) {
                *value = new;
            }
        }
        if let (true, Some(text)) = (subjects, text) {
            fact.source = text.to_string();
            if fact.subject.kind != gpu_doctor::subject::Kind::Machine {
                fact.subject.id.push_str(text);
            }
        }
        fact
    };
    facts.iter().map(change).collect()
}

/// Judges and shows facts, and says which check or rule broke.
fn judged(facts: Facts) -> Result<String, String> {
    let report = Report::of(facts, "2026-01-31T12:00:00Z".to_string());
    let broke = report
        .checks
        .iter()
        .flat_map(|row| &row.symptoms)
        .find(|s| s.kind == Kind::ProbeEnd && s.code().contains("panicked"));
    if let Some(symptom) = broke {
        return Err(symptom.to_string());
    }
    if let Some(cause) = report.root_causes.iter().find(|cause| cause.message.contains("the rule of ")) {
        return Err(cause.message.clone());
    }
    snapshot::parse(&json::document(&report).unwrap())?;
    Ok(terminal::report(&report, &CONSOLE, true))
}

#[test]
fn no_value_in_a_snapshot_breaks_a_rule_or_fools_a_terminal() {
    let numbers =
        [json!(0), json!(1), json!(-1), json!(255), json!(i32::MIN), json!(u32::MAX), json!(u64::MAX), json!(1e300)];
    for facts in machines() {
        for (number, text) in numbers.iter().zip(HOSTILE) {
            judged(changed(&facts, Some(number), None, false)).unwrap();
            let shown = judged(changed(&facts, None, Some(text), true)).unwrap();
            let fools = |c: char| is_unsafe(c) && c != '\n';
            assert!(!shown.contains(fools), "{text:?} came through");
        }
    }
}
