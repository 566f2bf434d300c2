//! The linker left libtorch's part for the GPU out of a program.

use crate::causes::{Case, Cause, Finding, Level};
use crate::checks::program::rust::{Wanted, serves, wanted};
use crate::facts::programs;
use crate::subject::Subject;
use crate::symptom::Kind;

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("libtorch-cuda-not-linked.md"), explains: &[&[Kind::ProgramCpuBuild]], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let Some(wanted) = wanted(case.facts) else { return Vec::new() };
    let library = if wanted == Wanted::Hip { "libtorch_hip.so" } else { "libtorch_cuda.so" };
    let mut builds = case.facts.all(&programs::LIBTORCH_BUILD);
    let Some((_, there)) = builds.find(|(build, _)| serves(build, wanted)) else { return Vec::new() };
    let left_out = |subject: &Subject| {
        let look = case.facts.look(&programs::LINKED, subject);
        (look.clone().seen() == Some(false)).then(|| {
            // A program may load it by itself once it runs; its list does not show that.
            Finding::new(subject, Level::Supported)
                .because_of(&look, format!("the list of libraries that it needs has neither {library} nor libtorch.so"))
                .because(crate::checks::Evidence::of(there, format!("{library} lies in {}", there.source)))
                .with("program", subject.id.clone())
                .with("library", library)
        })
    };
    case.symptoms(Kind::ProgramCpuBuild).filter_map(|o| left_out(&o.subject)).collect()
}
