//! The Python environments, a line each, where there are several.

use super::chain::Line;
use super::escape;
use crate::checks::{Row, Status, given};
use crate::facts::python;
use crate::report::Report;
use crate::subject::Subject;

/// A line for each environment, the ones in use first; none where there is only one.
pub fn lines(report: &Report) -> Vec<Line> {
    let mut all: Vec<(python::Environment, Subject)> =
        report.facts.all(&python::ENVIRONMENT).map(|(environment, fact)| (environment, fact.subject.clone())).collect();
    if all.len() < 2 {
        return Vec::new();
    }
    all.sort_by_key(|(environment, _)| !environment.in_use);
    // Each row is looked up once, not once for every line.
    let rows: Vec<(Subject, &Row)> = report
        .checks
        .iter()
        .filter(|row| matches!(row.id, "framework" | "tensor"))
        .filter_map(|row| Some((given::environment(&report.facts, &row.subject)?.1, row)))
        .collect();
    let of = |subject: &Subject| rows.iter().filter(|(at, _)| at == subject).map(|(_, row)| *row).collect();
    all.iter().map(|(environment, subject)| line(report, environment, subject, of(subject))).collect()
}

fn line(report: &Report, environment: &python::Environment, subject: &Subject, rows: Vec<&Row>) -> Line {
    let prefix = &subject.id;
    let python = given::python_of(&report.facts, prefix);
    let version = python.and_then(|python| python.version).map(|version| format!("Python {version}, "));
    let head = format!(
        "{}{}: {}{}",
        if environment.in_use { "in use: " } else { "" },
        given::called(environment, prefix),
        version.unwrap_or_default(),
        environment.manager
    );
    let installed = installed(report, prefix);
    let broken = rows.iter().find(|row| row.subject.framework_parts().is_none()).map(|row| row.summary.as_str());
    let what = match (broken, installed.is_empty()) {
        (Some(broken), _) => broken.to_string(),
        (None, true) => "no framework".to_string(),
        (None, false) => installed.join(", "),
    };
    Line { status: status(&rows), text: escape::line(&format!("{head}; {what}")) }
}

/// `torch 2.6.0+cu124 (CUDA 12.4)`, `jax 0.10.2 (no GPU code)`.
fn installed(report: &Report, prefix: &str) -> Vec<String> {
    let facts = &report.facts;
    let frameworks = facts.subjects_with(&python::DISTRIBUTION);
    let here = frameworks.iter().filter(|framework| framework.framework_parts().is_some_and(|(_, at)| at == prefix));
    here.filter_map(|framework| {
        let (name, _) = framework.framework_parts()?;
        let distribution = facts.look(&python::DISTRIBUTION, framework).seen()?;
        let build =
            facts.look(&python::BUILD, framework).seen().map(|build| match (build.cuda, build.hip, build.xpu) {
                (Some(cuda), ..) => format!(" (CUDA {cuda})"),
                (_, Some(hip), _) => format!(" (ROCm {hip})"),
                (.., Some(_)) => " (XPU)".to_string(),
                _ => " (no GPU code)".to_string(),
            });
        Some(format!("{name} {}{}", distribution.version, build.unwrap_or_default()))
    })
    .collect()
}

/// What works there decides, then what fails.
fn status(rows: &[&Row]) -> Status {
    let computes = rows.iter().any(|row| row.id == "tensor" && row.status == Status::Pass);
    let order = [Status::Fail, Status::Unknown, Status::Skip, Status::Warn, Status::Pass];
    match computes {
        true => Status::Pass,
        false => {
            let found = order.into_iter().find(|status| rows.iter().any(|row| row.status == *status));
            found.unwrap_or(Status::NotApplicable)
        }
    }
}
