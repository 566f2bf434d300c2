//! The import of a framework other than torch fails, and nothing names the reason.

use crate::causes::{Case, Cause, Finding, Level, Occurrence, advice, frameworks};
use crate::facts::python;
use crate::symptom::Kind;

/// The name of last resort for an import, with the exception's own words.
pub static CAUSE: Cause = Cause {
    page: include_str!("framework-import-fails.md"),
    explains: &[&[Kind::FrameworkImport, Kind::FrameworkSeesNoGpu, Kind::Tensor]],
    assess,
};

fn assess(case: &Case) -> Vec<Finding> {
    let other = |o: &Occurrence| o.subject.framework_parts().is_some_and(|(name, _)| name != "torch");
    case.symptoms(Kind::FrameworkImport).filter(other).map(|o| about(case, &o)).collect()
}

fn about(case: &Case, symptom: &Occurrence) -> Finding {
    let framework = &symptom.subject;
    let look = case.facts.look(&python::IMPORT, framework);
    let said = look.clone().seen().map_or_else(|| symptom.symptom.code().to_string(), |import| import.said());
    let version = case.facts.look(&python::DISTRIBUTION, framework).seen().map(|d| d.version).unwrap_or_default();
    let name = framework.framework_parts().map_or("", |(name, _)| name);
    let package = if version.is_empty() { name.to_string() } else { format!("{name}=={version}") };
    let finding = Finding::new(framework, Level::Generic)
        .because_of(&look, format!("the import fails: {said}"))
        .with("what", said)
        .with("package", package)
        .unknown(
            "the full traceback of the import",
            format!("python -c 'import {}'", name.replace('-', "_")),
            &["framework-import-fails"],
        );
    advice::with_python(frameworks::with_origin(case, framework, finding), case.facts)
}
