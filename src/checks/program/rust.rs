//! The rows of libtorch for Rust: is it a build for this machine's GPU, and do the programs load that part of it?

use crate::checks::{Answer, Status, given};
use crate::facts::programs::{self, LibtorchBuild};
use crate::facts::{Facts, cuda, host};
use crate::subject::Subject;
use crate::symptom::{Kind, Symptom};

/// The parts of libtorch that serve this machine.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// `libtorch_cuda`.
    Cuda,
    /// `libtorch_hip`.
    Hip,
}

/// Which part of libtorch serves this machine; nothing where there is no GPU for it.
pub fn wanted(facts: &Facts) -> Option<Wanted> {
    let listed = facts.value(&cuda::COUNT).is_some_and(|count| count > 0);
    if listed || !given::nvidia_on_bus(facts).is_empty() || facts.value(&host::WSL).is_some() {
        return Some(Wanted::Cuda);
    }
    (!given::of_vendor(facts, "0x1002").is_empty()).then_some(Wanted::Hip)
}

/// Whether a libtorch has the part that is wanted.
pub fn serves(build: &LibtorchBuild, wanted: Wanted) -> bool {
    match wanted {
        Wanted::Cuda => build.cuda,
        Wanted::Hip => build.hip,
    }
}

/// The rows.
pub fn rows(facts: &Facts) -> Vec<Answer> {
    let wanted = wanted(facts);
    let builds: Vec<(LibtorchBuild, Subject)> =
        facts.all(&programs::LIBTORCH_BUILD).map(|(build, fact)| (build, fact.subject.clone())).collect();
    let mut rows: Vec<Answer> = builds.iter().map(|(build, subject)| of_build(build, subject, wanted)).collect();
    // What is not there cannot be linked: the build is the fault then.
    let there = wanted.is_some_and(|wanted| builds.iter().any(|(build, _)| serves(build, wanted)));
    if there {
        rows.extend(facts.all(&programs::LINKED).map(|(gpu, fact)| of_program(gpu, &fact.subject)));
    }
    rows
}

fn of_build(build: &LibtorchBuild, subject: &Subject, wanted: Option<Wanted>) -> Answer {
    let version = build.version.as_deref().unwrap_or("of unknown version");
    let name = format!("libtorch {version} ({})", subject.id);
    match wanted {
        None => Answer::new(subject, Status::NotApplicable, format!("{name}: there is no GPU for it here")),
        Some(wanted) if serves(build, wanted) => Answer::pass(subject, format!("{name} is a build for this GPU")),
        Some(Wanted::Cuda) => {
            Answer::fail(subject, Symptom::coded(Kind::ProgramCpuBuild, "libtorch"), format!("{name} has no CUDA part"))
        }
        Some(Wanted::Hip) => {
            Answer::fail(subject, Symptom::coded(Kind::ProgramCpuBuild, "libtorch"), format!("{name} has no ROCm part"))
        }
    }
}

fn of_program(gpu: bool, subject: &Subject) -> Answer {
    match gpu {
        true => Answer::pass(subject, format!("{} loads libtorch's part for the GPU", subject.id)),
        false => Answer::fail(
            subject,
            Symptom::coded(Kind::ProgramCpuBuild, "not linked"),
            format!("{} does not load libtorch's part for the GPU", subject.id),
        ),
    }
}
