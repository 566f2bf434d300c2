//! torch is not in the environment in use.

use super::{package_metadata_damaged, unsupported_python_version};
use crate::causes::{Case, Cause, Finding, Level, advice};
use crate::facts::{asked, python};
use crate::report::Severity;
use crate::subject::Subject;
use crate::symptom::Kind;

/// A note; an error where the user asked for torch.
pub static CAUSE: Cause = Cause {
    page: include_str!("torch-not-installed.md"),
    explains: &[&[Kind::FrameworkMissing, Kind::NoPython, Kind::Tensor]],
    assess,
};

fn assess(case: &Case) -> Vec<Finding> {
    let asked = case.facts.value(&asked::FRAMEWORK).is_some_and(|name| name == "torch");
    let severity = if asked { Severity::Error } else { Severity::Note };
    let missing = case
        .symptoms(Kind::FrameworkMissing)
        .filter(|o| o.subject.framework_parts().is_some_and(|(name, _)| name == "torch"))
        .map(|o| about(case, &o.subject).severity(severity));
    let without_python = case.symptoms(Kind::NoPython).map(|o| {
        let look = case.facts.machine(&python::NONE_FOUND);
        Finding::new(&o.subject, Level::Decided)
            .because_of(&look, "no Python was found")
            .with("place", "no Python was found here, so torch")
            .with("python", "python3")
            .tagged("no_python")
            .severity(severity)
    });
    missing.chain(without_python).collect()
}

fn about(case: &Case, torch: &Subject) -> Finding {
    let distribution = case.facts.look(&python::DISTRIBUTION, torch);
    let prefix = advice::prefix(torch).unwrap_or_default().to_string();
    let environment = Subject::environment(&prefix);
    let interpreter = case.facts.look(&python::INTERPRETER, &environment);
    let level = match () {
        // Why it is not there is the better answer.
        () if unsupported_python_version::unfit(case, torch).is_some() => Level::Possible,
        () if package_metadata_damaged::files_gone(case, torch) => Level::Possible,
        () if distribution.is_absent() => Level::Decided,
        () => Level::Supported,
    };
    let mut finding =
        Finding::new(torch, level).because_of(&distribution, "no distribution of torch is installed there");
    if let Some(i) = interpreter.clone().seen() {
        finding = finding.because_of(&interpreter, format!("{} was chosen by {}", i.path, i.chosen_by));
    }
    let finding = finding.with("place", format!("torch, in {prefix},"));
    let finding = if case.has(Kind::NoNvidiaGpu) { finding.tagged("no_gpu") } else { finding };
    advice::with_build(finding, case.facts, None)
}
