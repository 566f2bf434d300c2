//! The program runs in another Python than the one with the GPU build.

use super::cpu_build;
use crate::causes::{Case, Cause, Evidence, Finding, Level, packages};
use crate::facts::python;
use crate::symptom::Kind;

/// Two answers of torch that contradict each other, or words about which Python runs.
pub static CAUSE: Cause = Cause {
    page: include_str!("wrong-interpreter-used.md"),
    explains: &[&[Kind::FrameworkCpuBuild, Kind::FrameworkSeesNoGpu, Kind::FrameworkMissing]],
    assess,
};

fn assess(case: &Case) -> Vec<Finding> {
    let worded = cpu_build::with_circumstance(case, &["other-python", "system-python-runs"]);
    if let Some((finding, fact)) = worded {
        return vec![finding.because(Evidence::of(fact, "another Python may be the one that runs"))];
    }
    // One Python has the package, and another one says that it is not there.
    let missing = packages::told_symptoms(case, &["no-module-torch"]);
    let listed = case.facts.all(&python::DISTRIBUTION).find(|(d, f)| d.location.is_empty() && f.source.contains(':'));
    if let (false, Some((installed, fact))) = (missing.is_empty(), listed) {
        let text = format!("torch {} is installed in some Python", installed.version);
        return vec![Finding::machine(Level::Supported).because(Evidence::of(fact, text)).explaining(missing)];
    }
    // A live doctor asks each Python by itself: what one of them says is no contradiction.
    let answers: Vec<_> = case.facts.all(&python::AVAILABLE).filter(|(_, f)| f.source.contains(':')).collect();
    let said = |wanted: bool| answers.iter().find(|(answer, _)| *answer == wanted).map(|(_, fact)| *fact);
    let (Some(yes), Some(no)) = (said(true), said(false)) else { return Vec::new() };
    if yes.subject != no.subject || yes.context != no.context {
        return Vec::new();
    }
    // Where nothing else is wrong, the contradiction is the whole of it.
    let alone = case.all_symptoms().all(|o| o.symptom.kind == Kind::FrameworkSeesNoGpu);
    let finding = Finding::machine(if alone { Level::Supported } else { Level::Possible })
        .because(Evidence::of(yes, "here torch sees a GPU"))
        .because(Evidence::of(no, "here torch sees none"))
        .unknown(
            "which Python the program runs in, and which one answered here",
            "python -c \"import sys, torch; print(sys.executable, torch.__file__)\"",
            &["wrong-interpreter-used", "user-site-shadows-venv"],
        );
    vec![finding]
}
