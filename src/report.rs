//! What renderers get: the verdict, the root causes, the chain and the facts. Its JSON form is the API and the snapshot.

use crate::causes::page::Step;
use crate::causes::{Occurrence, Unknown};
use crate::checks::{Evidence, Row};
use crate::facts::Facts;
use crate::redact::{self, Redactor, Replaced};
use crate::subject::Subject;
use serde::Serialize;

/// The version of the JSON contract. New fields may come; nothing is renamed or removed without a new number.
pub const SCHEMA_VERSION: u32 = 1;

/// The answer in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The GPU computes.
    Ready,
    /// It computes, and something is wrong all the same.
    Degraded,
    /// No GPU can be used.
    NotReady,
    /// Nothing failed, and something that is needed could not be seen.
    Inconclusive,
}

impl Verdict {
    /// The word in reports; an API.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Ready => "ready",
            Verdict::Degraded => "degraded",
            Verdict::NotReady => "not_ready",
            Verdict::Inconclusive => "inconclusive",
        }
    }

    /// The exit status of the contract; `strict` makes degraded 1.
    pub fn status(self, strict: bool) -> u8 {
        match self {
            Verdict::Ready => 0,
            Verdict::Degraded => u8::from(strict),
            Verdict::NotReady => 1,
            Verdict::Inconclusive => 3,
        }
    }
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// It keeps a GPU from being used.
    Error,
    /// It works, and not as it should.
    Warning,
    /// Worth knowing.
    Note,
}

/// How sure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// The evidence leaves no other reading.
    Certain,
    /// It clearly leads.
    Likely,
    /// A candidate.
    Possible,
}

/// The fix.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Remedy {
    /// What to do, in one sentence.
    pub summary: String,
    /// One after the other.
    pub steps: Vec<Step>,
    /// The command that shows whether it worked.
    pub verify: String,
}

/// One problem that explains symptoms and is explained by none.
#[derive(Clone, Debug, Serialize)]
pub struct RootCause {
    /// `GD501`.
    pub code: &'static str,
    /// `torch-cpu-only-wheel`.
    pub slug: &'static str,
    /// The layer that is broken.
    pub layer: &'static str,
    /// How bad.
    pub severity: Severity,
    /// How sure.
    pub confidence: Confidence,
    /// Candidates for the same symptoms share a number; two numbers are two faults.
    pub group: u32,
    /// What is affected.
    pub subject: Subject,
    /// The problem in a few words.
    pub title: &'static str,
    /// The problem in a sentence or two, about this machine.
    pub message: String,
    /// What proves it.
    pub evidence: Vec<Evidence>,
    /// The fix.
    pub remedy: Remedy,
    /// The symptoms it explains.
    pub explains: Vec<Occurrence>,
}

/// Which program made a report.
#[derive(Clone, Debug, Serialize)]
pub struct Tool {
    /// `gpu-doctor`.
    pub name: &'static str,
    /// Version of this program.
    pub version: &'static str,
}

/// Everything that is known and concluded.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Version of the contract.
    pub schema_version: u32,
    /// Who made it.
    pub tool: Tool,
    /// When the facts were gathered, RFC 3339 in UTC.
    pub created_at: String,
    /// The answer in a word.
    pub verdict: Verdict,
    /// Errors before warnings before notes, then by confidence; candidates of a group stand together.
    pub root_causes: Vec<RootCause>,
    /// The chain.
    pub checks: Vec<Row>,
    /// What would settle what is open, best first.
    pub unknowns: Vec<Unknown>,
    /// What was seen.
    pub facts: Facts,
    /// What was replaced in the facts, where identity was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redacted: Option<Vec<Replaced>>,
}

impl Report {
    /// Judges facts that were gathered at a time (RFC 3339).
    pub fn of(facts: Facts, created_at: String) -> Report {
        let checks = crate::checks::judge(&facts);
        let diagnosis = crate::diagnosis::diagnose(&facts, &checks);
        Report {
            schema_version: SCHEMA_VERSION,
            tool: Tool { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") },
            created_at,
            verdict: diagnosis.verdict,
            root_causes: diagnosis.root_causes,
            checks,
            unknowns: diagnosis.unknowns,
            facts,
            redacted: None,
        }
    }

    /// Judges facts without identity.
    pub fn redacted(facts: Facts, created_at: String) -> Report {
        let mut redactor = Redactor::of(&facts);
        Report::redacted_by(&mut redactor, facts, created_at)
    }

    /// The same, with tokens that other texts can be given as well.
    pub fn redacted_by(redactor: &mut Redactor, facts: Facts, created_at: String) -> Report {
        let facts = redactor.facts(facts);
        let replaced = redact::count(&facts);
        Report { redacted: Some(replaced), ..Report::of(facts, created_at) }
    }

    /// The faults, each as its cause or the candidates for it.
    pub fn groups(&self) -> Vec<&[RootCause]> {
        self.root_causes.chunk_by(|a, b| a.group == b.group).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_status_is_a_contract() {
        let of = |strict| {
            [Verdict::Ready, Verdict::Degraded, Verdict::NotReady, Verdict::Inconclusive].map(|v| v.status(strict))
        };
        assert_eq!(of(false), [0, 0, 1, 3]);
        assert_eq!(of(true), [0, 1, 1, 3]);
    }
}
