//! TensorFlow after 2.10 on Windows itself, where it is built without CUDA.

use crate::causes::{Case, Cause, Evidence, Finding, Level, advice, frameworks, packages};
use crate::checks::given::{self, Platform};
use crate::facts::{host, python};
use crate::report::Severity;
use crate::symptom::Kind;

/// The system and the version decide it.
pub static CAUSE: Cause = Cause { page: include_str!("tf-native-windows-no-gpu.md"), explains: &[], assess };

/// What a build without CUDA shows.
const SHOWS: [Kind; 3] = [Kind::FrameworkCpuBuild, Kind::FrameworkSeesNoGpu, Kind::Tensor];

fn assess(case: &Case) -> Vec<Finding> {
    let os = case.facts.machine(&host::OS);
    let windows = os.clone().seen().as_deref() == Some("windows");
    let said = packages::told_symptoms(case, &["tf-not-built-with-cuda", "tf-windows-no-gpu-build", "tf-lists-no-gpu"]);
    let names = ["tensorflow", "tensorflow-intel"];
    let listed = packages::matching(case.facts, |p| {
        names.contains(&p.name.as_str())
            && packages::numbers(&p.version).into_iter().take(2).collect::<Vec<_>>() > vec![2, 10]
    });
    if windows && given::platform(case.facts) != Platform::Wsl && !listed.is_empty() {
        let mut places = Vec::new();
        let mut findings = Vec::new();
        for (package, fact) in &listed {
            // tensorflow and tensorflow-intel are one installation.
            if places.contains(&&fact.subject) {
                continue;
            }
            places.push(&fact.subject);
            let tensorflow = frameworks::beside(&fact.subject, "tensorflow");
            // What the framework in that environment shows is the same fault.
            let mut explains = frameworks::symptoms_of(case, &tensorflow, &SHOWS);
            explains.extend(said.clone());
            let wanted = !explains.is_empty() || is_what_the_text_is_about(case);
            let finding = Finding::new(&tensorflow, Level::Decided)
                .because_of(&os, "the system is Windows")
                .because(Evidence::of(fact, format!("installed: {} {}", package.name, package.version)))
                .explaining(explains);
            let finding = advice::with_python(finding, case.facts);
            // Nobody misses the GPU there: another framework uses it, or only the list of packages speaks of TensorFlow.
            findings.push(if wanted { frameworks::weighed(case, finding) } else { finding.severity(Severity::Note) });
        }
        return findings;
    }
    // From words: Windows, a version after 2.10, and a build without CUDA.
    let system = packages::told(case.facts, &["windows-itself", "tf-intel-package"])
        .map(|(_, fact)| fact)
        .or(if windows { os.fact() } else { None });
    let asks = packages::told(case.facts, &["tf-asks-for-gpus"]).is_some();
    let wsl = packages::told(case.facts, &["windows-subsystem"]).is_some();
    match (system, packages::told(case.facts, &["tf-after-2-10"])) {
        (Some(system), Some((version, fact))) if !wsl && (asks || !said.is_empty()) => {
            // Nothing but the version speaks of it, and no symptom could be explained: what the version says is certain.
            let level = if said.is_empty() { Level::Decided } else { Level::Supported };
            let finding = Finding::machine(level)
                .because(Evidence::of(system, "the system is Windows"))
                .because(Evidence::of(fact, version.text));
            vec![advice::with_python(finding.explaining(said), case.facts)]
        }
        _ => Vec::new(),
    }
}

/// Whether a text is about TensorFlow and the GPU: it asks for GPUs, or nothing else in it is amiss or works.
fn is_what_the_text_is_about(case: &Case) -> bool {
    let other_works = case.facts.all(&python::AVAILABLE).any(|(available, _)| available);
    let other_fails = case.all_symptoms().any(|o| o.symptom.kind != Kind::Said);
    let asks = packages::told(case.facts, &["tf-asks-for-gpus"]).is_some();
    given::is_text(case.facts) && (asks || !(other_works || other_fails))
}
