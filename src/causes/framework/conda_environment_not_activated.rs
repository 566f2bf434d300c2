//! A conda environment whose scripts set a search path for libraries runs without being activated.

use super::python_trouble::{all, finding};
use crate::causes::{Case, Cause, Finding, Level};
use crate::report::Severity;
use crate::symptom::Kind;

/// A note; the likely cause where an import fails there.
pub static CAUSE: Cause =
    Cause { page: include_str!("conda-environment-not-activated.md"), explains: &[&[Kind::FrameworkImport]], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let found = all(case, "not_activated").into_iter();
    found
        .filter_map(|(trouble, look, subject)| {
            let file = trouble.file.clone()?;
            let variable = trouble.detail.clone();
            let imports: Vec<_> = case
                .symptoms(Kind::FrameworkImport)
                .filter(|o| o.subject.framework_parts().is_some_and(|(_, prefix)| prefix == subject.id))
                .collect();
            let failed = !imports.is_empty();
            let finding = finding(case, &subject, &trouble, if failed { Level::Supported } else { Level::Decided })
                .because_of(&look, format!("{file} sets {variable} when the environment is activated"))
                .with("variable", variable)
                .with("file", file)
                .explaining(imports);
            Some(match failed {
                false => finding.severity(Severity::Note),
                true => finding.unknown(
                    "whether the import works in the activated environment",
                    format!("conda run -p {} python -c 'import torch'", subject.id),
                    &["conda-environment-not-activated", "torch-import-fails"],
                ),
            })
        })
        .collect()
}
