//! What the messages of a text say about the causes, beside what the rules make of the facts.

use super::Candidate;
use crate::causes::{self, Case, Finding, Level, Occurrence, advice, page};
use crate::checks::Evidence;
use crate::facts::said::{self, Said};
use crate::facts::{Fact, Facts};
use crate::report::Severity;
use crate::symptom::Kind;
use crate::triage::messages::{self, About, Weight};
use std::collections::BTreeMap;

/// Points from which on a cause is likely.
const LIKELY: i32 = 4;
/// Points from which on it is certain.
const CERTAIN: i32 = 50;

/// What all messages together say for one cause.
#[derive(Default)]
struct Word<'a> {
    points: i32,
    /// The best place in a message's list.
    place: usize,
    refuted: bool,
    lines: Vec<(Said, &'a Fact)>,
}

/// Adds the messages' weight to the candidates that the rules found, and brings in those that only messages name.
pub fn weigh(case: &Case, found: &mut Vec<Candidate>) {
    let words = words(case);
    if words.is_empty() {
        found.retain(|c| !c.explains.is_empty() || c.finding.level == Level::Decided);
        return;
    }
    found.retain(|c| c.finding.level == Level::Decided || !words.get(c.head.slug).is_some_and(|w| w.refuted));
    for (depth, (cause, head)) in causes::with_heads().iter().enumerate() {
        let head = *head;
        let Some(word) = words.get(head.slug).filter(|w| !w.refuted) else { continue };
        let mine: Vec<usize> = (0..found.len()).filter(|i| found[*i].head.slug == head.slug).collect();
        if mine.is_empty() {
            if word.points < 1 {
                continue;
            }
            let mut finding = named(case.facts);
            finding.level = level(word.points);
            // What its page says that it explains, beside a message of a fault that names it. A circumstance explains nothing,
            // but for a framework that sees no GPU and says no reason: where it happens is then all that is known.
            let explains = match explained(case, head.slug).is_empty() {
                true => silent(case, cause.explained(&finding, case)),
                false => cause.explained(&finding, case),
            };
            found.push(Candidate { cause, head, finding, explains, numbers: Vec::new(), depth, said: 0 });
        }
        for candidate in found.iter_mut().filter(|c| c.head.slug == head.slug) {
            // Where only circumstances name it, it is no more than possible.
            let faults = explained(case, head.slug);
            let circumstances = mine.is_empty() && faults.is_empty() && !candidate.explains.is_empty();
            let base = match candidate.finding.level {
                Level::Generic => 0,
                Level::Possible => 1,
                Level::Supported => LIKELY,
                Level::Decided => CERTAIN,
            };
            let base = if mine.is_empty() { 0 } else { base };
            let points = base + word.points;
            candidate.finding.level = match circumstances {
                true => Level::Possible,
                false => candidate.finding.level.max(level(points)),
            };
            if word.points < 0 && candidate.finding.level == Level::Supported {
                candidate.finding.level = level(points);
            }
            candidate.said = points * 16 - i32::try_from(word.place.min(15)).unwrap_or(15);
            for (said, fact) in &word.lines {
                let evidence = Evidence::of(fact, said.text.clone());
                if !candidate.finding.evidence.contains(&evidence) {
                    candidate.finding.evidence.push(evidence);
                }
            }
            // What is worth a warning on a machine that works is the fault itself where somebody came with it.
            if head.severity == "warning" && !faults.is_empty() && candidate.finding.level >= Level::Supported {
                candidate.finding.severity = Some(Severity::Error);
            }
            candidate.explains.extend(faults);
            if candidate.finding.level < Level::Decided && candidate.finding.unknowns.is_empty() {
                let ask = page::first_command(page::section(candidate.cause.page, "How to confirm"));
                let need = format!("whether it is this: {}", lower(head.title));
                candidate.finding = candidate.finding.clone().unknown(need, ask, &[head.slug]);
            }
        }
    }
    let silent = case.all_symptoms().next().is_none();
    let kept = if silent { Level::Supported } else { Level::Decided };
    found.retain(|c| !c.explains.is_empty() || c.finding.level >= kept);
}

/// A finding of which only words are known: its rule said nothing, neither the values nor the conditions of its page.
pub fn named(facts: &Facts) -> Finding {
    advice::with_build(Finding::machine(Level::Possible).tagged(super::spoken::SAID), facts, None)
}

fn level(points: i32) -> Level {
    match points {
        CERTAIN.. => Level::Decided,
        LIKELY.. => Level::Supported,
        _ => Level::Possible,
    }
}

fn words<'a>(case: &Case<'a>) -> BTreeMap<&'static str, Word<'a>> {
    let mut words: BTreeMap<&'static str, Word> = BTreeMap::new();
    let mut counted: Vec<&'static str> = Vec::new();
    for (said, fact) in case.facts.all(&said::MESSAGE) {
        let Some(message) = messages::find(&said.id) else { continue };
        // The same message twice says no more than once.
        if counted.contains(&message.id) {
            continue;
        }
        counted.push(message.id);
        for (place, (slug, weight)) in message.causes.iter().enumerate() {
            let word = words.entry(slug).or_insert_with(|| Word { place: usize::MAX, ..Word::default() });
            word.points += weight.points();
            word.refuted |= *weight == Weight::Refutes;
            if weight.points() > 0 {
                word.place = word.place.min(place);
                word.lines.push((said.clone(), fact));
            }
        }
    }
    words
}

/// The symptoms of the text that a cause explains: those whose message names it.
fn explained(case: &Case, slug: &str) -> Vec<Occurrence> {
    case.symptoms(Kind::Said)
        .filter(|o| {
            messages::find(o.symptom.code()).is_some_and(|message| {
                matches!(message.about, About::Fault(_))
                    && message.causes.iter().any(|(s, weight)| *s == slug && weight.points() > 0)
            })
        })
        .collect()
}

/// Those of the symptoms that are a framework without a GPU; none where something else tells more.
fn silent(case: &Case, explains: Vec<Occurrence>) -> Vec<Occurrence> {
    let silent = |o: &Occurrence| o.symptom.kind == Kind::FrameworkSeesNoGpu;
    if case.all_symptoms().all(|o| silent(&o)) { explains.into_iter().filter(silent).collect() } else { Vec::new() }
}

fn lower(title: &str) -> String {
    let mut chars = title.chars();
    match chars.next() {
        // `MIG is on` keeps its capitals.
        Some(first) if !chars.as_str().starts_with(|c: char| c.is_uppercase()) => {
            first.to_lowercase().chain(chars).collect()
        }
        _ => title.to_string(),
    }
}
