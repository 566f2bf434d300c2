//! The driver holds the clocks down: a power cap, a power brake, or heat. Idle clocks are none of this.

use crate::causes::{Case, Cause, Finding, Level};
use crate::facts::nvidia;
use crate::subject::Subject;
use crate::symptom::Kind;

/// It computes, slower than it could.
pub static CAUSE: Cause =
    Cause { page: include_str!("power-cap-throttling.md"), explains: &[&[Kind::Throttled]], assess };

/// Hardware slowdown, hardware thermal slowdown, power brake: the board itself pulled the brake.
const HARDWARE: u64 = 0x8 | 0x40 | 0x80;
/// Software and hardware thermal slowdown.
const THERMAL: u64 = 0x20 | 0x40;

fn assess(case: &Case) -> Vec<Finding> {
    case.symptoms(Kind::Throttled).map(|o| about(case, &o.subject, o.symptom.code())).collect()
}

fn about(case: &Case, gpu: &Subject, reasons: &str) -> Finding {
    let look = case.facts.look(&nvidia::NVML_CLOCK_REASONS, gpu);
    let bits = look.clone().seen().unwrap_or(0);
    let power = case.facts.look(&nvidia::NVML_POWER, gpu);
    let draw = power.clone().seen();
    let lowered =
        draw.as_ref().and_then(|p| Some((p.limit?, p.default_limit?))).filter(|(limit, own)| limit + 1.0 < *own);
    let temperature = case.facts.look(&nvidia::NVML_TEMPERATURE, gpu);

    // At a full load every GPU meets its own power limit; only a lower limit or a brake of the board is a finding for sure.
    let sure = bits & (HARDWARE | THERMAL) != 0 || lowered.is_some();
    let mut finding = Finding::new(gpu, if sure { Level::Decided } else { Level::Supported })
        .because_of(&look, format!("the driver gives as reason: {reasons}"))
        .with("reasons", reasons);
    if let Some((limit, own)) = lowered {
        finding = finding
            .because_of(&power, format!("the power limit is {limit:.0} W, and {own:.0} W by default"))
            .with("default_limit", format!("{own:.0}"))
            .tagged("lowered");
    }
    if let Some(t) = temperature.clone().seen().filter(|_| bits & THERMAL != 0) {
        let limit = t.slowdown.map(|s| format!(", and it slows down at {s} °C")).unwrap_or_default();
        finding = finding.because_of(&temperature, format!("the GPU is at {} °C{limit}", t.now));
    }
    if bits & THERMAL != 0 {
        finding = finding.tagged("heat");
    }
    // Heat sets the general bit of a hardware slowdown as well; without heat it is the supply.
    if bits & 0x80 != 0 || (bits & 0x8 != 0 && bits & THERMAL == 0) {
        finding = finding.tagged("supply");
    }
    if !sure {
        finding = finding.unknown(
            "whether the clocks are low while the GPU works at full load",
            "nvidia-smi -q -d POWER,CLOCK,PERFORMANCE",
            &["power-cap-throttling"],
        );
    }
    finding
}
