//! A file of the user's own has the name of a framework.

use crate::causes::{Case, Cause, Evidence, Finding, Level, advice};
use crate::facts::python;
use crate::report::Severity;

/// A program that is started in that folder imports the file instead of the package; the probes leave the folder out.
pub static CAUSE: Cause = Cause { page: include_str!("local-file-hides-framework.md"), explains: &[], assess };

fn assess(case: &Case) -> Vec<Finding> {
    case.facts
        .all(&python::SHADOWED_BY)
        .map(|(file, fact)| {
            let (who, place) = match fact.source == "PYTHONPATH" {
                true => ("All programs that are started with this PYTHONPATH", "a folder of PYTHONPATH"),
                false => {
                    ("Programs that lie in this folder, notebooks and `python -c` started here", "the current folder")
                }
            };
            let what = match fact.source.ends_with("source tree") {
                true => ". It looks like the source of the framework, which has to be built before it can be used",
                false => "",
            };
            let finding = Finding::new(&fact.subject, Level::Decided)
                .because(Evidence::of(fact, format!("{file} lies in {place}")))
                .with("module", module(&file))
                .with("who", who)
                .with("what", what)
                .with("file", file);
            advice::with_python(finding.severity(Severity::Note), case.facts)
        })
        .collect()
}

/// `torch` of `/home/u/torch.py` and of `/home/u/torch/__init__.py`.
fn module(file: &str) -> String {
    let mut parts = file.rsplit(['/', '\\']);
    let last = parts.next().unwrap_or_default();
    let name = if last.starts_with("__init__.") { parts.next().unwrap_or_default() } else { last };
    name.split('.').next().unwrap_or_default().to_string()
}
