//! macOS, for which no CUDA exists: no driver, no runtime and no build of a framework.

use crate::causes::{Case, Cause, Finding, Level, advice};
use crate::checks::given::{self, Platform};
use crate::facts::{host, python};
use crate::symptom::{AFTER_CUINIT, Kind};

/// A Mac computes on its own GPU, through Metal.
pub static CAUSE: Cause = Cause {
    page: include_str!("macos-no-cuda.md"),
    explains: &[&[Kind::NoNvidiaGpu, Kind::FewerGpusThanExpected, Kind::FrameworkCpuBuild], AFTER_CUINIT],
    assess,
};

fn assess(case: &Case) -> Vec<Finding> {
    if given::platform(case.facts) != Platform::MacOs {
        return Vec::new();
    }
    // Its own GPU computes, and nobody asked for another.
    let complaint = case.has(Kind::NoNvidiaGpu) || case.has(Kind::FewerGpusThanExpected) || given::is_text(case.facts);
    if !complaint {
        return Vec::new();
    }
    // A Mac has no CUDA whatever else is wrong; that this is what a text complains of is another question.
    let level = if given::is_text(case.facts) { Level::Supported } else { Level::Decided };
    let mut finding = Finding::machine(level)
        .because_of(&case.facts.machine(&host::OS), "the operating system is macOS")
        .with("python", "python3");
    let torch = case.facts.subjects_with(&python::DISTRIBUTION).into_iter().next();
    if let Some(torch) = torch
        && let Some(d) = case.facts.look(&python::DISTRIBUTION, &torch).seen()
    {
        finding = finding
            .because_of(&case.facts.look(&python::DISTRIBUTION, &torch), format!("torch {} is installed", d.version))
            .tagged("torch");
        let environment = crate::subject::Subject::environment(advice::prefix(&torch).unwrap_or_default());
        if let Some(interpreter) = case.facts.look(&python::INTERPRETER, &environment).seen() {
            finding = finding.with("python", interpreter.path);
        }
    }
    vec![finding]
}
