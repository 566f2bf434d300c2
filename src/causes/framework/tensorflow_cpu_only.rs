//! The installed TensorFlow has no CUDA: the package tensorflow-cpu, alone or over the one with CUDA.

use crate::causes::frameworks::{self, WITHOUT_GPU_CODE};
use crate::causes::{Case, Cause, Evidence, Finding, Level, advice, packages};
use crate::facts::{host, python};
use crate::subject::Subject;
use crate::symptom::Kind;

/// TensorFlow's own file says that it is no CUDA build.
pub static CAUSE: Cause = Cause { page: include_str!("tensorflow-cpu-only.md"), explains: &[], assess };

/// Packages that bring the module without CUDA.
const WITHOUT: [&str; 3] = ["tensorflow-cpu", "intel-tensorflow", "tensorflow-intel"];

fn assess(case: &Case) -> Vec<Finding> {
    // On Windows itself there is no other: tf-native-windows-no-gpu.
    if !frameworks::wants_cuda(case) || case.value(&host::OS).is_some_and(|os| os == "windows") {
        return Vec::new();
    }
    let seen = frameworks::troubled(case, "tensorflow", &[Kind::FrameworkCpuBuild]);
    seen.iter().filter_map(|framework| about(case, framework)).collect()
}

fn about(case: &Case, framework: &Subject) -> Option<Finding> {
    let place = frameworks::environment(framework);
    let build = case.facts.look(&python::BUILD, framework);
    let mut finding =
        Finding::new(framework, Level::Decided).because_of(&build, "the installed files are a build without CUDA");
    let named = WITHOUT.iter().find_map(|name| packages::named(case.facts, name, Some(&place)));
    let both = packages::named(case.facts, "tensorflow", Some(&place));
    // Without such a package the build may be the user's own or of another architecture.
    if named.is_none() && both.is_none() {
        return None;
    }
    if let Some((package, fact)) = &named {
        finding = finding.because(Evidence::of(fact, format!("installed: {} {}", package.name, package.version)));
    }
    if let Some((package, fact)) = &both {
        finding = finding.because(Evidence::of(fact, format!("installed: tensorflow {}", package.version)));
    }
    finding = match (&named, &both) {
        (Some((package, _)), Some(_)) => {
            finding.with("what", format!("{} was installed over tensorflow and has replaced its files", package.name))
        }
        (Some((package, _)), None) => finding.with("what", format!("{} is the package without CUDA", package.name)),
        _ => finding.with("what", "this tensorflow is a build without CUDA"),
    };
    finding = frameworks::with_origin(case, framework, finding);
    let explains = frameworks::symptoms_of(case, framework, &WITHOUT_GPU_CODE);
    let finding = advice::with_build(finding.explaining(explains), case.facts, None);
    Some(frameworks::weighed(case, finding))
}
