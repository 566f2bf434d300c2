//! Which thing of one machine stands beside which of the other.
//!
//! Two machines have other PCI addresses and other folders, so things are matched by their place: the GPU at the same
//! address, or else the first with the first; the Python in use with the one in use, or else the one of the same name.

use crate::facts::python::{ENVIRONMENT, INTERPRETER};
use crate::facts::{Facts, pci};
use crate::subject::{Kind, Subject};
use std::collections::HashMap;

/// The names under which the things of one machine are compared.
#[derive(Debug, Default)]
pub struct Slots {
    names: HashMap<Subject, String>,
    /// Prefixes of environments, each with its name; the longest first.
    prefixes: Vec<(String, String)>,
}

impl Slots {
    /// What a subject is called; empty for the machine, nothing for an environment that the other side does not have.
    pub fn name(&self, subject: &Subject) -> Option<String> {
        match subject.kind {
            Kind::Machine => Some(String::new()),
            Kind::Gpu | Kind::Environment => self.names.get(subject).cloned(),
            Kind::Framework => {
                let (name, prefix) = subject.framework_parts()?;
                let environment = self.names.get(&Subject::environment(prefix))?;
                Some(format!("{name} in {environment}"))
            }
            _ => Some(subject.id.clone()),
        }
    }

    /// A text without the folders in which only the two machines differ.
    pub fn plain(&self, text: &str) -> String {
        self.prefixes
            .iter()
            .fold(text.to_string(), |text, (prefix, name)| text.replace(prefix.as_str(), &format!("<{name}>")))
    }
}

/// The slots of two machines, and the environments that only one of them has, by prefix.
pub fn align(a: &Facts, b: &Facts) -> (Slots, Slots, [Vec<String>; 2]) {
    let (mut left, mut right) = (Slots::default(), Slots::default());
    gpus(a, b, &mut left, &mut right);
    let alone = environments(a, b, &mut left, &mut right);
    for slots in [&mut left, &mut right] {
        let environments = slots.names.iter().filter(|(subject, _)| subject.kind == Kind::Environment);
        slots.prefixes = environments
            .filter(|(subject, _)| subject.id.matches(['/', '\\']).count() > 1)
            .map(|(subject, name)| (subject.id.clone(), name.clone()))
            .collect();
        slots.prefixes.sort_by_key(|(prefix, _)| std::cmp::Reverse(prefix.len()));
    }
    (left, right, alone)
}

/// GPUs, and other display devices after them, in the order of the bus.
fn on_bus(facts: &Facts) -> Vec<Subject> {
    let mut all = facts.subjects(Kind::Gpu);
    all.sort_by_key(|gpu| {
        let class: Option<String> = facts.look(&pci::CLASS, gpu).seen();
        // A server's own display chip is no match for a GPU, whatever their addresses.
        let vendor: Option<String> = facts.look(&pci::VENDOR, gpu).seen();
        (class.is_some() && !matches!(vendor.as_deref(), Some("0x10de" | "0x1002" | "0x8086")), gpu.id.clone())
    });
    all
}

fn gpus(a: &Facts, b: &Facts, left: &mut Slots, right: &mut Slots) {
    let (ours, theirs) = (on_bus(a), on_bus(b));
    let same_bus = ours.iter().any(|gpu| theirs.contains(gpu));
    for (own, slots) in [(&ours, left), (&theirs, right)] {
        for (index, gpu) in own.iter().enumerate() {
            let name = if same_bus { format!("GPU {}", gpu.id) } else { format!("GPU {index}") };
            slots.names.insert(gpu.clone(), name);
        }
    }
}

/// An environment: its prefix, whether it is in use, and the names by which it may be found again.
struct Place {
    prefix: String,
    in_use: bool,
    names: Vec<String>,
}

fn places(facts: &Facts) -> Vec<Place> {
    let mut all = facts.subjects(Kind::Environment);
    for framework in facts.subjects(Kind::Framework) {
        let Some((_, prefix)) = framework.framework_parts() else { continue };
        let environment = Subject::environment(prefix);
        if !all.contains(&environment) {
            all.push(environment);
        }
    }
    let only = all.len() == 1;
    let mut places: Vec<Place> = all
        .iter()
        .map(|subject| {
            let told = facts.look(&ENVIRONMENT, subject).seen();
            let chosen = facts.look(&INTERPRETER, subject).seen().is_some_and(|i| i.chosen_by != "--python");
            let last = subject.id.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or(&subject.id);
            let parts = subject.id.rsplit(['/', '\\']).filter(|part| !part.is_empty());
            let project = parts.clone().nth(1).map(|parent| format!("{parent}/{last}"));
            let names = told.as_ref().map(|e| e.names.clone()).unwrap_or_default();
            Place {
                prefix: subject.id.clone(),
                in_use: only || told.map_or(chosen, |e| e.in_use),
                names: names.into_iter().chain(project).chain([last.to_string()]).collect(),
            }
        })
        .collect();
    places.sort_by_key(|place| !place.in_use);
    places
}

fn environments(a: &Facts, b: &Facts, left: &mut Slots, right: &mut Slots) -> [Vec<String>; 2] {
    let (ours, mut theirs) = (places(a), places(b));
    let mut alone = [Vec::new(), Vec::new()];
    let mut pair = |own: &Place, other: &Place, name: String| {
        left.names.insert(Subject::environment(&own.prefix), name.clone());
        right.names.insert(Subject::environment(&other.prefix), name);
    };
    let mut open = Vec::new();
    // The first passes are the surer ones: what matches there is taken before a weaker name can claim it.
    let mut unmatched: Vec<&Place> = ours.iter().collect();
    let in_use = unmatched.iter().position(|p| p.in_use).zip(theirs.iter().position(|p| p.in_use));
    if let Some((i, j)) = in_use {
        let (own, other) = (unmatched.remove(i), theirs.remove(j));
        pair(own, &other, "the Python in use".to_string());
    }
    for own in unmatched {
        match theirs.iter().position(|other| other.prefix == own.prefix) {
            Some(at) => pair(own, &theirs.remove(at), own.prefix.clone()),
            None => open.push(own),
        }
    }
    for own in open {
        match theirs.iter().position(|other| own.names.iter().any(|name| other.names.contains(name))) {
            Some(at) => {
                let other = theirs.remove(at);
                let name = own.names.iter().find(|name| other.names.contains(name)).cloned().unwrap_or_default();
                pair(own, &other, name);
            }
            None => alone[0].push(own.prefix.clone()),
        }
    }
    alone[1] = theirs.into_iter().map(|place| place.prefix).collect();
    alone
}
