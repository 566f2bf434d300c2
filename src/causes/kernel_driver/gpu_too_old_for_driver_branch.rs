//! The driver's branch no longer serves a GPU of this generation.

use crate::causes::{Case, Cause, Finding, Level, packages, seen};
use crate::checks::given;
use crate::facts::{Fact, kernel, nvidia, pci};
use crate::subject::Subject;
use crate::symptom::{AFTER_KERNEL_DRIVER, Kind};
use crate::tables::drivers::{DriverVersion, last_branch};
use crate::tables::pci_ids::Architecture;

const MORE: &[Kind] = &[Kind::FewerGpusThanExpected];

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("gpu-too-old-for-driver-branch.md"), explains: &[AFTER_KERNEL_DRIVER, MORE], assess };

/// The version of the driver that is or would be loaded, where it was seen, and whether that was the module itself.
fn version<'a>(case: &Case<'a>) -> Option<(String, &'a Fact, bool)> {
    let facts = case.facts;
    let loaded = facts.machine(&kernel::MODULE_VERSION);
    if let (Some(fact), Some(version)) = (loaded.fact(), loaded.seen()) {
        return Some((version, fact, true));
    }
    let file = facts.machine(&kernel::MODINFO);
    if let (Some(fact), Some(version)) = (file.fact(), file.seen().and_then(|m| m.version)) {
        return Some((version, fact, true));
    }
    facts.all(&nvidia::LIBRARY).find_map(|(library, fact)| Some((library.version?, fact, false)))
}

/// The GPUs that the driver of this machine does not serve any more, with the last branch that did.
pub fn too_old(case: &Case) -> Vec<(Subject, Architecture, u32)> {
    let Some(branch) = version(case).and_then(|(v, _, _)| DriverVersion::parse(&v)).map(|v| v.branch) else {
        return Vec::new();
    };
    let facts = case.facts;
    let old = |gpu: Subject| {
        let driven = facts.look(&pci::DRIVER, &gpu).seen().is_some_and(|driver| driver == "nvidia");
        let architecture = facts.look(&pci::ARCHITECTURE, &gpu).seen()?;
        let architecture = Architecture::from_name(&architecture)?;
        let last = last_branch(architecture)?;
        (branch > last && !driven).then_some((gpu, architecture, last))
    };
    given::expected(facts).into_iter().filter_map(old).collect()
}

fn assess(case: &Case) -> Vec<Finding> {
    if case.in_container().is_some() {
        return Vec::new();
    }
    if seen::nvidia_loaded(case).is_none() {
        return named(case).into_iter().collect();
    }
    let said = seen::log_lines(case, &["legacy drivers"]);
    let old = too_old(case);
    let from_module = version(case).is_some_and(|(_, _, module)| module);
    if old.is_empty() {
        let in_log = from_log(case, &said);
        return if in_log.is_empty() { named(case).into_iter().collect() } else { in_log };
    }
    let level = if from_module || !said.is_empty() { Level::Decided } else { Level::Supported };
    let gpus: Vec<Subject> = old.iter().map(|(gpu, _, _)| gpu.clone()).collect();
    let mut findings = seen::about_gpus(case, &gpus, level, &[AFTER_KERNEL_DRIVER, MORE]);
    for finding in &mut findings {
        let mine = old.iter().find(|(gpu, _, _)| *gpu == finding.subject).or(old.first());
        let Some((gpu, architecture, last)) = mine else { continue };
        let mut full = finding.clone().with("architecture", architecture.title()).with("last", last.to_string());
        if let Some((version, fact, _)) = version(case) {
            let text = format!("the driver is {version}");
            full = full.because(crate::checks::Evidence::of(fact, text)).with("version", version);
        }
        let text = format!("{} is {}, last served by branch {last}", names(case, gpu), architecture.title());
        full = full.because_of(&case.facts.look(&pci::ARCHITECTURE, gpu), text).tagged(tag(*last));
        for (line, fact) in said.iter().take(2) {
            full = full.because(crate::checks::Evidence::of(fact, format!("kernel log: {line}")));
        }
        if level != Level::Decided {
            full = full.unknown(
                "what the driver itself says when it is loaded",
                "sudo modprobe nvidia; journalctl -k -b | grep NVRM",
                &["gpu-too-old-for-driver-branch", "kernel-module-not-loaded"],
            );
        }
        *finding = full;
    }
    findings
}

/// The driver's own words, where the table knows nothing of the GPU.
fn from_log(case: &Case, said: &[(String, &Fact)]) -> Vec<Finding> {
    let driven = given::expected(case.facts)
        .iter()
        .all(|gpu| case.facts.look(&pci::DRIVER, gpu).seen().is_some_and(|driver| driver == "nvidia"));
    let Some((line, fact)) = said.first().filter(|_| !driven) else { return Vec::new() };
    let Some(last) = legacy_branch(line) else { return Vec::new() };
    let finding = Finding::machine(Level::Decided)
        .with("gpus", seen::names(case, &given::expected(case.facts)))
        .with("architecture", "too old a generation")
        .with("last", last.to_string())
        .with("version", given::driver_version(case.facts).unwrap_or_else(|| "newer".to_string()))
        .because(crate::checks::Evidence::of(fact, format!("kernel log: {line}")));
    vec![finding.tagged(tag(last))]
}

/// A text in which nvidia-smi finds no device, and which names a card that the driver it speaks of does not serve.
fn named(case: &Case) -> Option<Finding> {
    let (cc, card) = given::named_card(case.facts)?;
    let architecture = Architecture::of_compute_capability(cc)?;
    let last = last_branch(architecture)?;
    let version = given::driver_version(case.facts)?;
    let symptoms = packages::told_symptoms(case, &["smi-no-devices"]);
    let too_old = DriverVersion::parse(&version)?.branch > last && !symptoms.is_empty();
    let finding = Finding::machine(Level::Supported)
        .with("gpus", "The card that is named here")
        .with("architecture", architecture.title())
        .with("last", last.to_string())
        .with("version", version.clone())
        .because(crate::checks::Evidence::of(card, format!("the card is {}", architecture.title())))
        .tagged(tag(last));
    too_old.then(|| finding.explaining(symptoms))
}

/// 470 of `supported through the NVIDIA 470.xx Legacy drivers`.
fn legacy_branch(line: &str) -> Option<u32> {
    let (before, _) = line.split_once(".xx Legacy")?;
    before.rsplit(' ').next()?.parse().ok()
}

fn tag(last: u32) -> &'static str {
    match last {
        390 => "last390",
        470 => "last470",
        _ => "last580",
    }
}

fn names(case: &Case, gpu: &Subject) -> String {
    seen::names(case, std::slice::from_ref(gpu))
}

#[cfg(test)]
mod tests {
    use super::legacy_branch;

    #[test]
    fn the_log_names_the_branch() {
        assert_eq!(legacy_branch("NVRM: supported through the NVIDIA 470.xx Legacy drivers. Please"), Some(470));
        assert_eq!(legacy_branch("NVRM: loading NVIDIA UNIX x86_64 Kernel Module"), None);
    }
}
