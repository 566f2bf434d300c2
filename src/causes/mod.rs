//! The known root causes: a rule and a page each, one folder per layer.
//!
//! To add one: its page `<slug>.md`, its rule `<slug>.rs` beside it, and one line in the layer's list.

pub mod example;
pub mod install;
pub mod page;

mod access;
pub mod advice;
mod cuda;
mod doctor;
pub mod environment;
mod framework;
pub mod frameworks;
mod hardware;
mod health;
mod kernel_driver;
mod libraries;
mod packages;
mod program;
mod seen;

use crate::checks::{Evidence, Row};
use crate::facts::{DeserializeKey, Facts, Key, Look};
use crate::report::Severity;
use crate::subject::{Kind as SubjectKind, Subject};
use crate::symptom::{Kind, Symptom};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// How well the facts support a cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// A name for a symptom that no known cause explains.
    Generic,
    /// It would explain the symptom, and nothing speaks against it.
    Possible,
    /// Facts speak for it.
    Supported,
    /// The facts leave no other reading.
    Decided,
}

/// One named problem.
pub struct Cause {
    /// Its page: code, slug, title, what it means, how to fix it, examples.
    pub page: &'static str,
    /// The symptoms it explains.
    pub explains: &'static [&'static [Kind]],
    /// What the facts say for it; nothing where they refute it or do not speak of it.
    pub assess: fn(&Case) -> Vec<Finding>,
}

/// A cause that applies, to one subject.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What is affected.
    pub subject: Subject,
    /// How sure it is.
    pub level: Level,
    /// What proves it.
    pub evidence: Vec<Evidence>,
    /// Values for the placeholders of the page.
    pub values: BTreeMap<&'static str, String>,
    /// Further conditions for the page's steps, as `dkms`.
    pub tags: Vec<&'static str>,
    /// What would tell it from its neighbours, best first.
    pub unknowns: Vec<Unknown>,
    /// The symptoms it explains, where that differs from what the cause says.
    pub explains: Option<Vec<Occurrence>>,
    /// How bad it is here, where that differs from what the page says.
    pub severity: Option<Severity>,
}

/// A fact that would settle it, and how to get it.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Unknown {
    /// What has to be known.
    pub need: String,
    /// How to obtain it: a command, or the question to the reporter.
    pub ask: String,
    /// The causes it separates, by slug.
    pub separates: Vec<&'static str>,
}

/// A symptom, where it was seen.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
pub struct Occurrence {
    /// The check that named it.
    pub check: &'static str,
    /// What it is about.
    pub subject: Subject,
    /// The symptom.
    pub symptom: Symptom,
}

impl Finding {
    /// A finding about one subject.
    pub fn new(subject: &Subject, level: Level) -> Finding {
        Finding {
            subject: subject.clone(),
            level,
            evidence: Vec::new(),
            values: BTreeMap::new(),
            tags: Vec::new(),
            unknowns: Vec::new(),
            explains: None,
            severity: None,
        }
    }

    /// A finding about the machine.
    pub fn machine(level: Level) -> Finding {
        Finding::new(&Subject::machine(), level)
    }

    /// The same, with a sentence that proves it.
    pub fn because(mut self, evidence: Evidence) -> Finding {
        self.evidence.push(evidence);
        self
    }

    /// The same, with a sentence about what a look gave, where it gave anything.
    pub fn because_of<T>(mut self, look: &Look<'_, T>, text: impl Into<String>) -> Finding {
        if let Some(fact) = look.fact() {
            self.evidence.push(Evidence::of(fact, text));
        }
        self
    }

    /// The same, with a value for a placeholder of the page.
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Finding {
        self.values.insert(name, value.into());
        self
    }

    /// The same, with a condition for the page's steps.
    pub fn tagged(mut self, tag: &'static str) -> Finding {
        self.tags.push(tag);
        self
    }

    /// The same, with what would settle it.
    pub fn unknown(mut self, need: impl Into<String>, ask: impl Into<String>, separates: &[&'static str]) -> Finding {
        self.unknowns.push(Unknown { need: need.into(), ask: ask.into(), separates: separates.to_vec() });
        self
    }

    /// The same, explaining just these symptoms.
    pub fn explaining(mut self, occurrences: Vec<Occurrence>) -> Finding {
        self.explains = Some(occurrences);
        self
    }

    /// The same, as bad as this whatever the page says.
    pub fn severity(mut self, severity: Severity) -> Finding {
        self.severity = Some(severity);
        self
    }
}

/// What a rule gets: the facts, and the rows of the chain.
pub struct Case<'a> {
    /// What was seen.
    pub facts: &'a Facts,
    /// What the checks made of it.
    pub rows: &'a [Row],
}

impl<'a> Case<'a> {
    /// Every symptom of a kind.
    pub fn symptoms(&self, kind: Kind) -> impl Iterator<Item = Occurrence> + '_ {
        self.all_symptoms().filter(move |o| o.symptom.kind == kind)
    }

    /// Every symptom, in the order of the chain.
    pub fn all_symptoms(&self) -> impl Iterator<Item = Occurrence> + '_ {
        self.rows.iter().flat_map(|row| {
            row.symptoms.iter().map(|symptom| Occurrence {
                check: row.id,
                subject: row.subject.clone(),
                symptom: symptom.clone(),
            })
        })
    }

    /// Whether there is a symptom of this kind.
    pub fn has(&self, kind: Kind) -> bool {
        self.symptoms(kind).next().is_some()
    }

    /// Whether there is a symptom of this kind and code.
    pub fn has_code(&self, kind: Kind, code: &str) -> bool {
        self.symptoms(kind).any(|o| o.symptom.code() == code)
    }

    /// The code that cuInit gave, where it failed.
    pub fn cuinit(&self) -> Option<i32> {
        self.facts.value(&crate::facts::cuda::INIT).filter(|code| *code != 0)
    }

    /// The value of a key for the machine.
    pub fn value<T: DeserializeKey>(&self, key: &Key<T>) -> Option<T> {
        self.facts.value(key)
    }

    /// Whether this is a container; nothing where that was not asked.
    pub fn in_container(&self) -> Option<crate::facts::host::Container> {
        self.facts.value(&crate::facts::host::CONTAINER)
    }
}

/// Every cause, in the order of the layers.
pub fn all() -> impl Iterator<Item = &'static Cause> {
    [
        hardware::ALL,
        kernel_driver::ALL,
        access::ALL,
        cuda::ALL,
        framework::ALL,
        libraries::ALL,
        program::ALL,
        health::ALL,
        doctor::ALL,
    ]
    .into_iter()
    .flatten()
    .copied()
}

/// Every cause with the header of its page, read once.
pub fn with_heads() -> &'static [(&'static Cause, page::Head<'static>)] {
    static HEADS: LazyLock<Vec<(&'static Cause, page::Head<'static>)>> =
        LazyLock::new(|| all().map(|cause| (cause, cause.head())).collect());
    &HEADS
}

impl Cause {
    /// The page's header: code, slug, title and so on.
    pub fn head(&self) -> page::Head<'static> {
        page::Head::of(self.page)
    }

    /// The symptoms of a case that a finding of this cause explains: the kinds that the cause names, about the machine,
    /// about the finding's subject, or (for a finding about the machine) about anything.
    pub fn explained(&self, finding: &Finding, case: &Case) -> Vec<Occurrence> {
        if let Some(list) = &finding.explains {
            let mut once: Vec<Occurrence> = Vec::new();
            for o in list {
                if !once.contains(o) {
                    once.push(o.clone());
                }
            }
            return once;
        }
        let about = |other: &Subject| {
            finding.subject.kind == SubjectKind::Machine
                || *other == finding.subject
                // A framework lives in an environment, and a fault of the one is a fault of the other.
                || other.framework_parts().is_some_and(|(_, prefix)| {
                    finding.subject.kind == SubjectKind::Environment && finding.subject.id == prefix
                })
        };
        case.all_symptoms()
            .filter(|o| self.explains.iter().any(|kinds| kinds.contains(&o.symptom.kind)) && about(&o.subject))
            .collect()
    }
}

/// The rule of a cause that no fact shows, only words: what the messages say for it is weighed with the diagnosis.
pub fn only_words(_case: &Case) -> Vec<Finding> {
    Vec::new()
}

/// The cause with this code or slug, in any case of letters.
pub fn find(name: &str) -> Option<&'static Cause> {
    all().find(|cause| {
        let head = cause.head();
        head.code.eq_ignore_ascii_case(name) || head.slug.eq_ignore_ascii_case(name)
    })
}
