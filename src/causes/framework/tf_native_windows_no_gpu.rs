//! TensorFlow after 2.10 on Windows itself, where it is built without CUDA.

use crate::causes::{Case, Cause, Evidence, Finding, Level, advice, frameworks, packages};
use crate::checks::given::{self, Platform};
use crate::facts::host;
use crate::symptom::Kind;

/// The system and the version decide it.
pub static CAUSE: Cause = Cause { page: include_str!("tf-native-windows-no-gpu.md"), explains: &[], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let os = case.facts.machine(&host::OS);
    let windows = os.clone().seen().as_deref() == Some("windows");
    let said = packages::told_symptoms(case, &["tf-not-built-with-cuda", "tf-windows-no-gpu-build", "tf-lists-no-gpu"]);
    let names = ["tensorflow", "tensorflow-intel"];
    let listed = packages::matching(case.facts, |p| {
        names.contains(&p.name.as_str())
            && packages::numbers(&p.version).into_iter().take(2).collect::<Vec<_>>() > vec![2, 10]
    });
    if let (true, Some((package, fact))) = (windows && given::platform(case.facts) != Platform::Wsl, listed.first()) {
        let finding = Finding::new(&fact.subject, Level::Decided)
            .because_of(&os, "the system is Windows")
            .because(Evidence::of(fact, format!("installed: {} {}", package.name, package.version)));
        // What the framework in that environment shows is the same fault.
        let framework = frameworks::beside(&fact.subject, "tensorflow");
        let mut explains =
            frameworks::symptoms_of(case, &framework, &[Kind::FrameworkCpuBuild, Kind::FrameworkSeesNoGpu]);
        explains.extend(said);
        return vec![frameworks::weighed(case, advice::with_python(finding.explaining(explains), case.facts))];
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
