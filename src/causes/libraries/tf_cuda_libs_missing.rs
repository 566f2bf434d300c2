//! TensorFlow opens CUDA libraries by name and finds at least one of them nowhere.

use super::of_major::{self, Sought};
use crate::causes::frameworks::{self, TROUBLE};
use crate::causes::{Case, Cause, Evidence, Finding, Level, advice, packages};
use crate::facts::python;
use crate::symptom::Kind;

/// The loader says it, or TensorFlow does, and the environment has no wheel with them.
pub static CAUSE: Cause = Cause { page: include_str!("tf-cuda-libs-missing.md"), explains: &[], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let mut findings = of_major::assess(case, "tensorflow", Sought::Nowhere);
    if !findings.is_empty() {
        return findings;
    }
    for framework in frameworks::troubled(case, "tensorflow", &[Kind::FrameworkSeesNoGpu]) {
        let place = frameworks::environment(&framework);
        let brought = packages::matching(case.facts, |p| p.name.starts_with("nvidia-cudnn"));
        if brought.iter().any(|(_, fact)| fact.subject == place) {
            continue;
        }
        let words = ["Cannot dlopen some GPU libraries", "Could not load dynamic library"];
        let said = frameworks::says(case, &framework, &words);
        // A driver that works, a build with CUDA, and no wheel that brings the libraries.
        let works = case.value(&crate::facts::cuda::INIT) == Some(0);
        let build = case.facts.look(&python::BUILD, &framework);
        let Some(cuda) = build.clone().seen().and_then(|build| build.cuda).filter(|_| works || said.is_some()) else {
            continue;
        };
        let level = if said.is_some() { Level::Decided } else { Level::Supported };
        let mut finding = Finding::new(&framework, level)
            .because_of(&build, format!("this TensorFlow is built for CUDA {cuda}, and sees no GPU"));
        if let Some((text, fact)) = said {
            finding = finding.because(Evidence::of(fact, format!("it says: {}", text.lines().next().unwrap_or(&text))));
        }
        if let Some((package, fact)) = packages::named(case.facts, "tensorflow", Some(&place)) {
            let text = format!("installed: tensorflow {}, and no nvidia-cudnn package", package.version);
            finding = finding.because(Evidence::of(fact, text));
        }
        let finding = finding.explaining(frameworks::symptoms_of(case, &framework, &TROUBLE)).unknown(
            "which library TensorFlow does not find",
            "python -c \"import tensorflow as tf; tf.config.list_physical_devices('GPU')\"",
            &["tf-cuda-libs-missing", "tf-cuda-version-mismatch"],
        );
        findings.push(frameworks::weighed(case, advice::with_build(finding, case.facts, None)));
    }
    findings
}
