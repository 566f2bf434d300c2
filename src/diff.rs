//! Two machines side by side: what differs and may matter, in the order of the chain.
//!
//! What changes from minute to minute (temperatures, free memory, processes) and what only names a thing (addresses,
//! folders, UUIDs) is left out. A fact that only one side looked at is no difference between the machines, and is counted
//! apart.

mod slots;
mod table;

use crate::checks::{CHAIN, Status};
use crate::facts::{Facts, State};
use crate::report::{Report, Severity, Verdict};
use serde::Serialize;
use serde_json::Value;
use slots::Slots;
use std::collections::{BTreeMap, BTreeSet};
use table::{How, Row};

/// What is shown of a fact that has no value.
const NOT_THERE: &str = "not there";
const NOT_SEEN: &str = "could not be seen";
const NOT_INSTALLED: &str = "not installed";
const NOT_KNOWN: &str = "not known";

/// What it means that a thing is absent.
fn absent(row: &Row) -> &'static str {
    if row.key == "framework.distribution" { NOT_INSTALLED } else { NOT_THERE }
}

/// What it means that one side has no such field. Of what a build was made for, that it was made without.
fn missing(row: &Row) -> &'static str {
    if row.key == "framework.build" { "without" } else { NOT_KNOWN }
}

/// One of the two.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Side {
    /// The file.
    pub file: String,
    /// When its facts were gathered, RFC 3339.
    pub created_at: String,
    /// Its answer.
    pub verdict: Verdict,
    /// Its errors and warnings, in the report's order: code and slug.
    pub causes: Vec<(&'static str, &'static str)>,
}

/// One thing that is not the same on both sides.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// The check that it belongs to.
    pub check: &'static str,
    /// What it is about: GPUs, environments, files, variables; empty for the machine.
    pub about: Vec<String>,
    /// The key of the facts, and the field where the value has several.
    pub key: String,
    /// What it is, in words.
    pub label: String,
    /// What the first side has.
    pub a: String,
    /// What the second side has.
    pub b: String,
}

/// A check that did not come out the same.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// The check.
    pub check: &'static str,
    /// The worst status on the first side; nothing where the check has no row.
    pub a: Option<Status>,
    /// The same of the second side.
    pub b: Option<Status>,
}

/// The comparison of two machines.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The first side.
    pub a: Side,
    /// The second side.
    pub b: Side,
    /// The checks that came out differently, in the order of the chain.
    pub outcomes: Vec<Outcome>,
    /// What differs, in the order of the chain.
    pub differences: Vec<Difference>,
    /// For each check, how many facts only the first and only the second side looked at.
    pub one_sided: Vec<(&'static str, usize, usize)>,
}

impl Comparison {
    /// Whether nothing differs that may matter.
    pub fn same(&self) -> bool {
        self.differences.is_empty() && self.outcomes.is_empty() && self.a.causes == self.b.causes
    }
}

/// Compares two reports, each with the name of its file.
pub fn compare(a: (&str, &Report), b: (&str, &Report)) -> Comparison {
    let (left, right, alone) = slots::align(&a.1.facts, &b.1.facts);
    let (ours, theirs) = (cells(&a.1.facts, &left), cells(&b.1.facts, &right));
    let mut differences = Vec::new();
    let mut one_sided: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    let places: BTreeSet<&Place> = ours.keys().chain(theirs.keys()).collect();
    for place in places {
        let row = &table::ROWS[place.row];
        let (own, other) = match (ours.get(place), theirs.get(place)) {
            (Some(own), Some(other)) => (own.clone(), other.clone()),
            (own, other) => {
                // A list of packages is whole: what is not in it is not installed.
                let whole = row.key == "python.package" && listed(&ours, place) && listed(&theirs, place);
                if !whole {
                    let counts = one_sided.entry(order(row.check)).or_default();
                    counts.0 += usize::from(own.is_some());
                    counts.1 += usize::from(other.is_some());
                    continue;
                }
                let missing = || Cell::from([(String::new(), NOT_INSTALLED.to_string())]);
                (own.map_or_else(missing, installed), other.map_or_else(missing, installed))
            }
        };
        differences.extend(differing(row, place, &own, &other));
    }
    for (index, prefixes) in alone.iter().enumerate() {
        for prefix in prefixes {
            let mut sides = [NOT_THERE.to_string(), NOT_THERE.to_string()];
            sides[index] = prefix.clone();
            let [a, b] = sides;
            let (key, label) = ("python.environment".to_string(), "environment".to_string());
            differences.push(Difference { check: "framework", about: Vec::new(), key, label, a, b });
        }
    }
    // The sort is stable: within a check the order of the table stays.
    differences.sort_by_key(|difference| order(difference.check));
    Comparison {
        outcomes: outcomes(a.1, b.1),
        differences: merged(differences),
        one_sided: one_sided.into_iter().map(|(check, (a, b))| (CHAIN[check].id, a, b)).collect(),
        a: side(a.0, a.1),
        b: side(b.0, b.1),
    }
}

fn side(file: &str, report: &Report) -> Side {
    let faults = report.root_causes.iter().filter(|cause| cause.severity != Severity::Note);
    let causes = faults.map(|cause| (cause.code, cause.slug)).collect();
    Side { file: file.to_string(), created_at: report.created_at.clone(), verdict: report.verdict, causes }
}

fn order(check: &str) -> usize {
    CHAIN.iter().position(|other| other.id == check).unwrap_or(CHAIN.len() - 1)
}

/// Which fact: the row of its key, what it is about, and which of several.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    row: usize,
    about: String,
    which: String,
}

/// The values of a place by their fields; one without a name for a plain value.
type Cell = BTreeMap<String, String>;

fn cells(facts: &Facts, slots: &Slots) -> BTreeMap<Place, Cell> {
    let mut cells: BTreeMap<Place, Cell> = BTreeMap::new();
    for fact in facts.iter().filter(|fact| fact.context.variant.is_none()) {
        let Some(row) = table::of(&fact.key).filter(|row| row.how != How::Noise) else { continue };
        let Some(mut about) = slots.name(&fact.subject) else { continue };
        if let Some(view) = &fact.context.view {
            about = format!("{about} ({view})").trim_start().to_string();
        }
        let at = table::ROWS.iter().position(|other| other.key == row.key).unwrap_or_default();
        let mut add = |which: String, cell: Cell| {
            let old = cells.entry(Place { row: at, about: about.clone(), which }).or_default();
            for (field, text) in cell {
                old.entry(field)
                    .and_modify(|old| {
                        if *old != text {
                            *old = format!("{old}, {text}");
                        }
                    })
                    .or_insert(text);
            }
        };
        match &fact.state {
            State::Absent => add(String::new(), Cell::from([(String::new(), absent(row).to_string())])),
            State::Failed { .. } => add(String::new(), Cell::from([(String::new(), NOT_SEEN.to_string())])),
            State::Seen { value } | State::Reported { value } => match row.how {
                How::By(field) => {
                    let list = value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
                    for value in list {
                        let which = value.get(field).map(|name| text(name, slots)).unwrap_or_default();
                        add(which, flat(&value, &[field, "location"], slots));
                    }
                }
                How::Fields(noise) => add(String::new(), flat(value, noise, slots)),
                How::Values => {
                    let all: BTreeSet<String> =
                        value.as_object().into_iter().flatten().map(|(_, value)| text(value, slots)).collect();
                    let all: Vec<String> = all.into_iter().collect();
                    add(String::new(), Cell::from([(String::new(), all.join(" "))]));
                }
                How::Noise => {}
            },
        }
    }
    cells
}

/// Whether the list of packages of an environment was read.
fn listed(cells: &BTreeMap<Place, Cell>, place: &Place) -> bool {
    cells.keys().any(|other| other.row == place.row && other.about == place.about)
}

/// A package in one word instead of fields.
fn installed(cell: &Cell) -> Cell {
    let text: Vec<&str> = cell.values().map(String::as_str).collect();
    Cell::from([(String::new(), text.join(" "))])
}

/// A value by its fields.
fn flat(value: &Value, noise: &[&str], slots: &Slots) -> Cell {
    match value {
        Value::Object(fields) => fields
            .iter()
            .filter(|(name, _)| !noise.contains(&name.as_str()))
            .map(|(name, value)| (name.replace('_', " "), quantity(name, value).unwrap_or_else(|| text(value, slots))))
            .collect(),
        Value::Array(items) if items.iter().any(Value::is_object) => {
            let parts: Vec<String> = items.iter().map(|item| without(item, noise, slots)).collect();
            Cell::from([(String::new(), parts.join("; "))])
        }
        plain => Cell::from([(String::new(), text(plain, slots))]),
    }
}

fn without(item: &Value, noise: &[&str], slots: &Slots) -> String {
    let fields = flat(item, noise, slots);
    fields.iter().map(|(name, value)| format!("{name} {value}").trim().to_string()).collect::<Vec<_>>().join(", ")
}

/// Bytes as people read them.
fn quantity(name: &str, value: &Value) -> Option<String> {
    let bytes = value.as_u64().filter(|_| matches!(name, "total" | "memory" | "size"))?;
    Some(format!("{} MiB", bytes >> 20))
}

fn text(value: &Value, slots: &Slots) -> String {
    match value {
        Value::Null => NOT_KNOWN.to_string(),
        Value::Bool(true) => "yes".to_string(),
        Value::Bool(false) => "no".to_string(),
        Value::String(text) => slots.plain(text),
        Value::Array(items) => {
            let mut parts: Vec<String> = items.iter().map(|item| text(item, slots)).collect();
            parts.sort();
            if parts.is_empty() { "none".to_string() } else { parts.join(" ") }
        }
        other => other.to_string(),
    }
}

/// The fields of one place that differ.
fn differing(row: &'static Row, place: &Place, a: &Cell, b: &Cell) -> Vec<Difference> {
    let plain = String::new();
    // One of them has no fields: it is absent, or could not be seen.
    let whole = a.contains_key(&plain) != b.contains_key(&plain);
    let fields: BTreeSet<&String> = if whole { [&plain].into() } else { a.keys().chain(b.keys()).collect() };
    let show = |cell: &Cell, field: &String| match (whole, cell.get(&plain)) {
        (true, Some(text)) => text.clone(),
        (true, None) => installed(cell).remove(&plain).unwrap_or_default(),
        (false, _) => cell.get(field).cloned().unwrap_or_else(|| missing(row).to_string()),
    };
    let mut found = Vec::new();
    for field in fields {
        let (own, other) = (show(a, field), show(b, field));
        if own == other {
            continue;
        }
        let (own, other) = only_different(own, other);
        let words: Vec<&str> = [row.label, &place.which, field].into_iter().filter(|word| !word.is_empty()).collect();
        found.push(Difference {
            check: row.check,
            about: [place.about.clone()].into_iter().filter(|about| !about.is_empty()).collect(),
            key: if field.is_empty() {
                row.key.to_string()
            } else {
                format!("{}.{}", row.key, field.replace(' ', "_"))
            },
            label: words.join(", "),
            a: own,
            b: other,
        });
    }
    found
}

/// Of two long lists the words that only one of them has.
fn only_different(a: String, b: String) -> (String, String) {
    const LONG: usize = 8;
    let (own, other): (Vec<&str>, Vec<&str>) = (a.split(' ').collect(), b.split(' ').collect());
    if own.len().min(other.len()) < LONG {
        return (a, b);
    }
    let only = |list: &[&str], not: &[&str]| {
        let words: Vec<&str> = list.iter().filter(|word| !not.contains(word)).copied().collect();
        if words.is_empty() { "none that the other has not".to_string() } else { format!("also {}", words.join(" ")) }
    };
    (only(&own, &other), only(&other, &own))
}

/// Differences that are the same for several things, as one.
fn merged(list: Vec<Difference>) -> Vec<Difference> {
    let mut out: Vec<Difference> = Vec::new();
    for difference in list {
        let same = |old: &&mut Difference| {
            old.key == difference.key
                && old.label == difference.label
                && old.a == difference.a
                && old.b == difference.b
                && !old.about.is_empty()
        };
        match out.iter_mut().find(same) {
            Some(old) => old.about.extend(difference.about),
            None => out.push(difference),
        }
    }
    out
}

fn outcomes(a: &Report, b: &Report) -> Vec<Outcome> {
    let worst = |report: &Report, id: &str| {
        let rank = |status: &Status| match status {
            Status::Fail => 0,
            Status::Warn => 1,
            Status::Unknown => 2,
            Status::Skip => 3,
            Status::Pass => 4,
            Status::NotApplicable => 5,
            Status::Deselected => 6,
        };
        report.checks.iter().filter(|row| row.id == id).map(|row| row.status).min_by_key(rank)
    };
    let all = CHAIN.iter().map(|check| Outcome { check: check.id, a: worst(a, check.id), b: worst(b, check.id) });
    all.filter(|outcome| outcome.a != outcome.b).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::causes::example;

    fn differences(a: &str, b: &str) -> Vec<(String, String, String)> {
        let report = |text: &str| Report::of(example::facts(text, false).unwrap(), "2026-01-31T12:00:00Z".to_string());
        let comparison = compare(("a", &report(a)), ("b", &report(b)));
        comparison.differences.into_iter().map(|d| (d.label, d.a, d.b)).collect()
    }

    #[test]
    fn a_machine_is_the_same_as_itself() {
        assert_eq!(differences("from healthy", "from healthy"), []);
    }

    #[test]
    fn noise_is_no_difference() {
        let hot = "from healthy\nnvml.temperature gpu 0000:01:00.0 = {\"now\": 81}\n\
                   nvml.memory gpu 0000:01:00.0 = {\"total\": 25757220864, \"free\": 1, \"used\": 25757220863}";
        let cool = "from healthy\nnvml.temperature gpu 0000:01:00.0 = {\"now\": 31}\n\
                    nvml.memory gpu 0000:01:00.0 = {\"total\": 25757220864, \"free\": 25757220864, \"used\": 0}";
        assert_eq!(differences(hot, cool), []);
    }

    #[test]
    fn what_one_side_lacks_is_said_in_words() {
        let torch = "framework.build framework torch@/home/u/venv";
        let found = differences(
            &format!(
                "from healthy\n{torch} = {{\"cuda\": \"13.0\"}}\nhost.distro = {{\"id\": \"debian\", \"version\": \"13\"}}"
            ),
            &format!("from healthy\n{torch} = {{}}\nhost.distro = {{\"id\": \"debian\"}}"),
        );
        let of =
            |end: &str| found.iter().find(|(label, ..)| label.ends_with(end)).map(|(_, a, b)| (a.as_str(), b.as_str()));
        assert_eq!(of("cuda"), Some(("13.0", "without")), "{found:?}");
        assert_eq!(of("version"), Some(("13", "not known")), "{found:?}");
    }

    #[test]
    fn another_kernel_is_one() {
        let found = differences(
            "from healthy\nhost.kernel = \"6.1.0-17-amd64\"",
            "from healthy\nhost.kernel = \"6.1.0-18-amd64\"",
        );
        assert_eq!(found, [("running kernel".into(), "6.1.0-17-amd64".into(), "6.1.0-18-amd64".into())]);
    }

    #[test]
    fn the_python_in_use_is_compared_wherever_it_lies() {
        let machine = |prefix: &str, version: &str| {
            format!(
                "from bare\npython.interpreter environment {prefix} = {{\"path\": \"{prefix}/bin/python\", \"version\": \
                 \"3.12.3\", \"prefix\": \"{prefix}\", \"base_prefix\": \"/usr\", \"bits\": 64, \"chosen_by\": \"VIRTUAL_ENV\", \
                 \"manager\": \"pip\"}}\npython.package environment {prefix} = {{\"name\": \"jaxlib\", \"version\": \"{version}\"}}"
            )
        };
        let found = differences(&machine("/home/a/x", "0.4.1"), &machine("/srv/b/y", "0.5.0"));
        assert!(found.contains(&("package, jaxlib, version".into(), "0.4.1".into(), "0.5.0".into())), "{found:?}");
        assert!(!found.iter().any(|(_, a, b)| a.contains("/home/a") || b.contains("/srv/b")), "{found:?}");
    }

    #[test]
    fn lists_show_what_only_one_side_has() {
        let (a, b) = only_different("a b c d e f g h".into(), "a b c d e f g h i".into());
        assert_eq!((a.as_str(), b.as_str()), ("none that the other has not", "also i"));
    }
}
