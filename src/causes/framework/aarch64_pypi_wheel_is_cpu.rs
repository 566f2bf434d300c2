//! PyPI's torch for Linux on ARM has no CUDA up to 2.10.

use super::cpu_build;
use crate::causes::{Case, Cause, Evidence, Finding, Level, advice, packages};
use crate::checks::given::{self, Platform};
use crate::facts::{host, python};
use crate::symptom::Kind;
use crate::tables::wheels::{self, Pypi, System};

/// A server of ARM with an NVIDIA GPU, and a plain install.
pub static CAUSE: Cause = Cause {
    page: include_str!("aarch64-pypi-wheel-is-cpu.md"),
    explains: &[&[Kind::FrameworkCpuBuild, Kind::FrameworkSeesNoGpu, Kind::Tensor]],
    assess,
};

fn assess(case: &Case) -> Vec<Finding> {
    let arch = case.facts.machine(&host::ARCH);
    let jetson =
        given::platform(case.facts) == Platform::Jetson || packages::told(case.facts, &["jetson-machine"]).is_some();
    let linux = case.value(&host::OS).is_none_or(|os| os == "linux");
    if jetson || !linux || given::other_maker(case.facts) == Some("AMD") {
        return Vec::new();
    }
    let mut findings = Vec::new();
    if arch.clone().seen().as_deref() == Some("aarch64") {
        for torch in cpu_build::known(case) {
            let look = case.facts.look(&python::DISTRIBUTION, &torch);
            let Some(d) = look.clone().seen().filter(|d| d.conda_build.is_none()) else { continue };
            let release = wheels::parse_release(&d.version);
            if release.and_then(|r| wheels::pypi(r, System::LinuxArm)) != Some(Pypi::Cpu) {
                continue;
            }
            let finding = Finding::new(&torch, Level::Decided)
                .because_of(&arch, "the machine is aarch64")
                .because_of(&look, format!("installed: torch {}, which PyPI has without CUDA for it", d.version))
                .explaining(cpu_build::consequences(case, &torch));
            findings.push(cpu_build::weighed(case, advice::with_build(finding, case.facts, None)));
        }
    }
    if !findings.is_empty() {
        return findings;
    }
    let worded = cpu_build::with_circumstance(case, &["arm-server"]);
    let named = |(finding, fact): (Finding, _)| {
        advice::with_build(finding.because(Evidence::of(fact, "the machine is aarch64")), case.facts, None)
    };
    worded.map(named).into_iter().collect()
}
