//! The flavour of the modules, open or closed, against the generation of the GPUs.

use super::gpu_too_old_for_driver_branch::too_old;
use crate::causes::{Case, Cause, Finding, Level, packages, seen};
use crate::checks::{Evidence, given};
use crate::facts::{Fact, kernel, pci};
use crate::subject::{Kind as SubjectKind, Subject};
use crate::symptom::Kind;
use crate::tables::drivers::{Flavours, flavours};
use crate::tables::pci_ids::Architecture;

/// What fails beside the driver as a whole.
pub const MORE: &[Kind] = &[Kind::NvmlDevice, Kind::FewerGpusThanExpected];

/// Whether the loaded module, else the one on disk, is the open flavour; with the fact that tells.
fn is_open<'a>(case: &Case<'a>) -> Option<(bool, &'a Fact)> {
    let loaded = case.facts.machine(&kernel::MODULE_FLAVOUR);
    if let (Some(fact), Some(flavour)) = (loaded.fact(), loaded.seen()) {
        return Some((flavour == "open", fact));
    }
    let file = case.facts.machine(&kernel::MODINFO);
    let license = file.clone().seen().and_then(|info| info.license)?;
    Some((license.contains("GPL"), file.fact()?))
}

/// The GPUs that the module at hand does not serve because of its flavour.
fn refused(case: &Case, wanted: Flavours) -> Vec<(Subject, Architecture)> {
    let Some((open, _)) = is_open(case) else { return Vec::new() };
    if open == (wanted == Flavours::OpenOnly) {
        return Vec::new();
    }
    // A branch that no longer knows the generation refuses it in either flavour.
    let old: Vec<Subject> = too_old(case).into_iter().map(|(gpu, _, _)| gpu).collect();
    let driven = |gpu: &Subject| case.facts.look(&pci::DRIVER, gpu).seen().is_some_and(|driver| driver == "nvidia");
    let serves = |gpu: &Subject| {
        let nvml = case.facts.look(&crate::facts::nvidia::NVML_HANDLE, gpu).seen();
        nvml == Some(0) || driven(gpu) && nvml.is_none() && !case.has(Kind::SmiFails) && !case.has(Kind::NvmlFewer)
    };
    let of = |gpu: Subject| {
        let architecture = Architecture::from_name(&case.facts.look(&pci::ARCHITECTURE, &gpu).seen()?)?;
        (flavours(architecture) == wanted && !old.contains(&gpu) && !serves(&gpu)).then_some((gpu, architecture))
    };
    given::expected(case.facts).into_iter().filter_map(of).collect()
}

/// A text in which nvidia-smi finds no device, and which names the card and shows the other flavour.
fn named(case: &Case, wanted: Flavours) -> Option<Finding> {
    let (cc, card) = given::named_card(case.facts)?;
    let architecture = Architecture::of_compute_capability(cc).filter(|a| flavours(*a) == wanted)?;
    let (open, fact) = is_open(case).filter(|(open, _)| *open != (wanted == Flavours::OpenOnly))?;
    let symptoms = packages::told_symptoms(case, &["smi-no-devices"]);
    let flavour = if open { "open" } else { "closed" };
    let finding = Finding::machine(Level::Supported)
        .because(Evidence::of(card, format!("the card is {}", architecture.title())))
        .because(Evidence::of(fact, format!("the module is of the {flavour} flavour")));
    (!symptoms.is_empty()).then(|| finding.explaining(symptoms))
}

/// Findings for GPUs that want another flavour than the one at hand, by their generation or by the driver's own words.
pub fn findings(case: &Case, cause: &Cause, wanted: Flavours, words: &[&str]) -> Vec<Finding> {
    if case.in_container().is_some() {
        return Vec::new();
    }
    let said = seen::log_lines(case, words);
    let gpus = refused(case, wanted);
    let (have, want) = if wanted == Flavours::OpenOnly { ("closed", "open") } else { ("open", "closed") };
    let subjects: Vec<Subject> = gpus.iter().map(|(gpu, _)| gpu.clone()).collect();
    let mut findings = seen::about_gpus(case, &subjects, Level::Decided, cause.explains);
    for finding in &mut findings {
        let mine = gpus.iter().find(|(gpu, _)| finding.subject.kind != SubjectKind::Gpu || *gpu == finding.subject);
        let (Some((gpu, architecture)), Some((_, fact))) = (mine, is_open(case)) else { continue };
        let text = format!("{} is {}", seen::names(case, std::slice::from_ref(gpu)), architecture.title());
        *finding = finding
            .clone()
            .because(Evidence::of(fact, format!("the module is of the {have} flavour")))
            .because_of(&case.facts.look(&pci::ARCHITECTURE, gpu), format!("{text}, which needs the {want} flavour"));
    }
    findings.extend(named(case, wanted).filter(|_| findings.is_empty()));
    if findings.is_empty() && !said.is_empty() && is_open(case).is_none_or(|(open, _)| open != (want == "open")) {
        findings.push(Finding::machine(Level::Decided));
    }
    for finding in &mut findings {
        for (line, fact) in said.iter().take(2) {
            *finding = finding.clone().because(Evidence::of(fact, format!("kernel log: {line}")));
        }
        // The branch to install the other flavour of.
        let branch = given::driver_version(case.facts).and_then(|v| v.split('.').next().map(str::to_string));
        let branch = branch.filter(|b| b.parse::<u32>().is_ok_and(|n| n >= 515)).unwrap_or_else(|| "580".to_string());
        *finding = finding.clone().with("branch", branch);
    }
    findings
}
