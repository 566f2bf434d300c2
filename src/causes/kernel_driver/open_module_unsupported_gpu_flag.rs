//! The open modules of 515 to 535 decline GeForce and workstation cards, unless a parameter opts in.

use super::flavour::MORE;
use crate::causes::{Case, Cause, Finding, Level, packages, seen};
use crate::checks::{Evidence, given};
use crate::facts::{kernel, pci};
use crate::symptom::AFTER_KERNEL_DRIVER;
use crate::tables::drivers::{DriverVersion, open_module_opt_in};

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("open-module-unsupported-gpu-flag.md"), explains: &[AFTER_KERNEL_DRIVER, MORE], assess };

/// The driver's own words (nv.c).
const WORDS: &[&str] = &["only ready for use on data center gpus", "to force use of open nvidia.ko"];

/// The parameter by which one opts in.
const PARAMETER: &str = "OpenRmEnableUnsupportedGpus";

fn assess(case: &Case) -> Vec<Finding> {
    let facts = case.facts;
    let said = seen::log_lines(case, WORDS);
    let flavour = facts.machine(&kernel::MODULE_FLAVOUR);
    let asks = given::driver_version(facts).and_then(|v| DriverVersion::parse(&v)).is_some_and(open_module_opt_in);
    let off = case.value(&kernel::MODULE_PARAMS).is_some_and(|p| p.get(PARAMETER).is_some_and(|v| v == "0"));
    let consumer = |name: &str| ["GeForce", "RTX", "Quadro", "TITAN"].iter().any(|word| name.contains(word));
    let mut gpus = given::expected(facts);
    gpus.retain(|gpu| {
        facts.look(&pci::DRIVER, gpu).is_absent()
            && consumer(&given::name(facts, gpu))
            && facts
                .look(&pci::ARCHITECTURE, gpu)
                .seen()
                .is_some_and(|a| ["turing", "ampere", "ada"].contains(&a.as_str()))
    });
    let open = flavour.clone().seen().as_deref() == Some("open");
    let by_facts = open && asks && !gpus.is_empty();
    // A text in which nvidia-smi finds no device, and which names the card.
    let symptoms = packages::told_symptoms(case, &["smi-no-devices"]);
    let named = given::named_card(facts).filter(|(cc, _)| matches!(cc, (7, 5) | (8, 6) | (8, 9)));
    if let (Some((_, card)), true, false) = (named, open && asks && said.is_empty(), symptoms.is_empty()) {
        let finding = Finding::machine(Level::Supported)
            .because_of(&flavour, "the loaded module is of the open flavour, of a release that asks for an opt-in")
            .because(Evidence::of(card, "the card is no data-centre board"));
        return vec![finding.explaining(symptoms)];
    }
    if !by_facts && said.is_empty() {
        return Vec::new();
    }
    let level = if !said.is_empty() || off { Level::Decided } else { Level::Supported };
    let mut finding = Finding::machine(level);
    if by_facts {
        finding = finding
            .because_of(&facts.machine(&kernel::MODULE_VERSION), "the open module of this version wants an opt-in")
            .because_of(&flavour, "the module is of the open flavour");
    }
    if off {
        finding = finding.because_of(&facts.machine(&kernel::MODULE_PARAMS), format!("{PARAMETER} is 0"));
    }
    for (line, fact) in said.iter().take(2) {
        finding = finding.because(Evidence::of(fact, format!("kernel log: {line}")));
    }
    if level != Level::Decided {
        finding = finding.unknown(
            "what the driver says when it is loaded",
            "sudo journalctl -k -b | grep -i nvrm",
            &["open-module-unsupported-gpu-flag", "driver-not-working"],
        );
    }
    vec![finding]
}
