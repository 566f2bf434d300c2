//! The answer in a word: whether a program can use the GPU.

use crate::checks::{Row, Status, given};
use crate::facts::{Facts, asked};
use crate::report::{RootCause, Severity, Verdict};
use crate::subject::{Kind as SubjectKind, Subject};
use crate::tables::frameworks::{self, Role};

/// Over the environment in use and its GPU frameworks: see DESIGN, "Verdict".
pub fn verdict(facts: &Facts, rows: &[Row], root_causes: &[RootCause]) -> Verdict {
    let insisted: Option<String> = facts.value(&asked::FRAMEWORK);
    let rows_of = |id: &str| rows.iter().filter(move |r| r.id == id).collect::<Vec<_>>();
    // A framework that is there and that is built for a GPU must work; where there is none, the driver alone must.
    let framework_counts = insisted.is_some()
        || rows_of("framework").iter().any(|r| {
            r.subject.kind == SubjectKind::Framework && !matches!(r.status, Status::NotApplicable | Status::Deselected)
        });
    let mine = |row: &&Row| match (&insisted, row.subject.framework_parts()) {
        (Some(wanted), Some((name, _))) => name == wanted,
        // What helps another framework proves nothing.
        (None, Some((name, _))) if role(name) == Role::Helper => false,
        _ => row.id != "tensor" || row.subject.kind == SubjectKind::Framework,
    };
    let is_text = given::is_text(facts);
    // The link nearest to the program that was not left out (or, with --passive, not made) decides.
    // A text shows whether a framework sees the GPU, and hardly ever a tensor or a computation.
    let links = ["tensor", "framework", "cuda-kernel", "cuda-driver", "nvml", "kernel-driver", "gpu-present"];
    let works = links
        .into_iter()
        .filter(|id| framework_counts || !matches!(*id, "tensor" | "framework"))
        .map(|id| rows_of(id).into_iter().filter(mine).collect::<Vec<_>>())
        .find(|link| {
            let left_out = |r: &&Row| r.status == Status::Deselected || (is_text && r.status == Status::Unknown);
            !link.is_empty() && !link.iter().all(left_out)
        })
        .is_some_and(|link| link.iter().any(|r| r.status == Status::Pass));
    let working = working_frameworks(rows);
    let works = works || (insisted.is_none() && !working.is_empty());
    let counts = |row: &Row| {
        row.status == Status::Fail
            && (working.is_empty()
                || insisted.is_some()
                || !is_of_a_framework(&row.subject)
                || belongs(&row.subject, &working))
    };
    let failed = rows.iter().any(counts);
    let blemished = rows.iter().any(|r| r.status == Status::Warn && r.id != "nvidia-smi")
        || root_causes.iter().any(|c| c.severity <= Severity::Warning);
    match (works, failed) {
        (true, false) if !blemished => Verdict::Ready,
        (true, _) => Verdict::Degraded,
        (false, true) => Verdict::NotReady,
        (false, false) => Verdict::Inconclusive,
    }
}

/// The frameworks in which a tensor came back right, and those with nothing tiny to compute that see a GPU on which the
/// driver computes.
pub fn working_frameworks(rows: &[Row]) -> Vec<Subject> {
    let computes = rows.iter().any(|r| r.id == "cuda-kernel" && r.status == Status::Pass);
    let proves = |row: &Row| match (row.id, row.subject.framework_parts()) {
        ("tensor", Some(_)) => true,
        ("framework", Some((name, _))) => computes && role(name) == Role::Engine,
        _ => false,
    };
    rows.iter().filter(|r| r.status == Status::Pass && proves(r)).map(|r| r.subject.clone()).collect()
}

fn role(name: &str) -> Role {
    frameworks::find(name).map_or(Role::Computes, |known| known.role)
}

pub fn is_of_a_framework(subject: &Subject) -> bool {
    matches!(subject.kind, SubjectKind::Framework | SubjectKind::Environment)
}

/// Whether a framework, or an environment, is one of the frameworks.
pub fn belongs(subject: &Subject, frameworks: &[Subject]) -> bool {
    frameworks.iter().any(|f| f == subject)
}
