//! A general ARM build of torch on a Jetson.

use super::cpu_build;
use crate::causes::{Case, Cause, Evidence, Finding, Level, advice};
use crate::facts::{host, python};
use crate::symptom::Kind;

/// A build without CUDA on Tegra. One with CUDA that lacks the chip is gpu-arch-missing-in-build.
pub static CAUSE: Cause = Cause {
    page: include_str!("jetson-generic-aarch64-wheel.md"),
    explains: &[&[Kind::FrameworkCpuBuild, Kind::FrameworkSeesNoGpu, Kind::Tensor]],
    assess,
};

fn assess(case: &Case) -> Vec<Finding> {
    let jetson = case.facts.machine(&host::JETSON);
    if let Some(model) = jetson.clone().seen() {
        let known = cpu_build::known(case).into_iter().map(|torch| {
            let look = case.facts.look(&python::DISTRIBUTION, &torch);
            let version = look.clone().seen().map(|d| d.version).unwrap_or_default();
            let finding = Finding::new(&torch, Level::Decided)
                .because_of(&jetson, format!("the machine is a {model}"))
                .because_of(&look, format!("installed: torch {version}"))
                .because_of(&case.facts.look(&python::BUILD, &torch), "torch.version.cuda is None")
                .explaining(cpu_build::consequences(case, &torch));
            advice::with_python(finding, case.facts)
        });
        let known: Vec<Finding> = known.collect();
        if !known.is_empty() {
            return known;
        }
    }
    let worded = cpu_build::with_circumstance(case, &["jetson-machine"]);
    worded.map(|(finding, fact)| finding.because(Evidence::of(fact, "the machine is a Jetson"))).into_iter().collect()
}
