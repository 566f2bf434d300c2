//! bitsandbytes without a native library for torch's CUDA.

use crate::causes::frameworks::{self, TROUBLE};
use crate::causes::{Case, Cause, Evidence, Finding, Level, advice};
use crate::facts::python;
use crate::symptom::Kind;

/// It says so itself, as a framework that was asked or in a text.
pub static CAUSE: Cause = Cause { page: include_str!("bitsandbytes-no-binary-for-cuda.md"), explains: &[], assess };

/// What names the file of a CUDA version that is not there: releases from 0.43 on, and those before.
const NOT_THERE: [&str; 2] = ["CUDA binary not found", "Required library version not found"];

fn assess(case: &Case) -> Vec<Finding> {
    let kinds = [Kind::FrameworkSeesNoGpu, Kind::FrameworkImport];
    let finding = |framework: &_| {
        let said = frameworks::says(case, framework, &NOT_THERE);
        let (text, fact) = said.or_else(|| {
            let look = case.facts.look(&python::IMPORT, framework);
            let text = frameworks::import_says(case, framework)?;
            NOT_THERE.iter().any(|words| text.contains(words)).then_some((text, look.fact()?))
        })?;
        let line = text.lines().find(|line| NOT_THERE.iter().any(|words| line.contains(words))).unwrap_or(&text);
        let finding = Finding::new(framework, Level::Decided)
            .because(Evidence::of(fact, format!("bitsandbytes says: {}", line.trim())))
            .explaining(frameworks::symptoms_of(case, framework, &TROUBLE));
        Some(frameworks::weighed(case, advice::with_python(finding, case.facts)))
    };
    frameworks::troubled(case, "bitsandbytes", &kinds).iter().filter_map(finding).collect()
}
