//! Will it run well: memory errors, Xids, power, heat, clocks, the PCIe link?

use super::{Answer, Check};
use crate::checks::given;
use crate::facts::{Facts, Look, kernel, links, nvidia, pci};
use crate::subject::Subject;
use crate::symptom::{Kind, Symptom};
use crate::tables::xid;

/// The check.
pub static CHECK: Check = Check { id: "gpu-health", title: "Health", needs: &[], judge };

/// The GPU draws as much as its power limit allows.
const SOFTWARE_POWER_CAP: u64 = 0x4;

/// Clock event reasons that mean that something holds the GPU back (NVML): software power cap, hardware slowdown, software
/// and hardware thermal slowdown, power brake. Idle (1), application clocks (2), sync boost (0x10) and display clocks
/// (0x100) are ordinary.
const HELD_BACK: [(u64, &str); 5] = [
    (SOFTWARE_POWER_CAP, "software power cap"),
    (0x8, "hardware slowdown"),
    (0x20, "software thermal slowdown"),
    (0x40, "hardware thermal slowdown"),
    (0x80, "power brake"),
];

fn judge(facts: &Facts) -> Vec<Answer> {
    let machine = Subject::machine();
    let gpus = facts.subjects(crate::subject::Kind::Gpu);
    let mut answers: Vec<Answer> = gpus.iter().flat_map(|gpu| of_gpu(facts, gpu)).collect();
    answers.extend(xids(facts));
    if !answers.is_empty() {
        return answers;
    }
    if let Some(answer) = super::gpu_present::not_here(facts, "NVML") {
        return vec![answer];
    }
    let seen = [
        ("no memory errors", gpus.iter().any(|g| facts.look(&nvidia::NVML_ECC, g).seen().is_some())),
        ("no slowdown", gpus.iter().any(|g| facts.look(&nvidia::NVML_CLOCK_REASONS, g).seen().is_some())),
        ("full link width", gpus.iter().any(|g| width(facts, g).is_some())),
    ];
    let well: Vec<&str> = seen.into_iter().filter(|(_, seen)| *seen).map(|(text, _)| text).collect();
    let log = match facts.machine(&kernel::LOG) {
        Look::Failed(why, _) => format!("; the kernel log could not be read ({why})"),
        _ => String::new(),
    };
    vec![match (well.is_empty(), given::platform(facts)) {
        (false, _) => Answer::pass(&machine, format!("{}{log}", well.join(", "))),
        (true, given::Platform::Jetson) => Answer::not_applicable("a Jetson's GPU gives no readings of its health"),
        (true, _) => Answer::unmeasured(&machine, format!("no GPU told about its health{log}")),
    }]
}

fn of_gpu(facts: &Facts, gpu: &Subject) -> Vec<Answer> {
    let name = given::name(facts, gpu);
    let mut answers = Vec::new();
    let handle = facts.look(&nvidia::NVML_HANDLE, gpu).seen();
    let recovery = facts.look(&nvidia::NVML_RECOVERY, gpu).seen();
    // The actions of NVML_GPU_RECOVERY_ACTION: 1 reset, 2 reboot, 3 drain P2P, 4 drain and reset.
    if handle == Some(16) || recovery.is_some_and(|action| (1..=4).contains(&action)) {
        let text = format!("{name}: the driver has put it out of service until it is reset");
        answers.push(Answer::fail(gpu, Symptom::new(Kind::ResetRequired), text));
    }
    if let Some(ecc) = facts.look(&nvidia::NVML_ECC, gpu).seen() {
        let mut counted = Vec::new();
        if let Some(n) = ecc.uncorrected_volatile.filter(|n| *n > 0) {
            counted.push(format!("{n} uncorrectable since the driver was loaded"));
        }
        if ecc.remap_failure == Some(true) {
            counted.push("a row could not be remapped".to_string());
        }
        if ecc.remap_pending == Some(true) {
            counted.push("a row remap waits for a reset".to_string());
        }
        if !counted.is_empty() {
            let counted = counted.join(", ");
            let text = format!("{name}: memory errors: {counted}");
            answers.push(Answer::warn(gpu, Symptom::coded(Kind::MemoryErrors, counted), text));
        }
    }
    if let Some(mut reasons) = facts.look(&nvidia::NVML_CLOCK_REASONS, gpu).seen() {
        // At a full load every GPU meets its own power limit; only a limit that was lowered holds it back.
        let power = facts.look(&nvidia::NVML_POWER, gpu).seen();
        let own_limit =
            power.and_then(|p| Some((p.limit?, p.default_limit?))).is_some_and(|(now, own)| now + 1.0 >= own);
        if own_limit {
            reasons &= !SOFTWARE_POWER_CAP;
        }
        let held: Vec<&str> = HELD_BACK.iter().filter(|(bit, _)| reasons & bit != 0).map(|(_, words)| *words).collect();
        // Idle beside a cap is no slowdown.
        if !held.is_empty() && reasons & 1 == 0 {
            let held = held.join(", ");
            let text = format!("{name}: the clocks are held down: {held}");
            answers.push(Answer::warn(gpu, Symptom::coded(Kind::Throttled, held), text));
        }
    }
    if let Some((now, most)) = width(facts, gpu).filter(|(now, most)| now < most && *now > 0) {
        let text = format!("{name}: the PCIe link has {now} of {most} lanes");
        answers.push(Answer::warn(gpu, Symptom::coded(Kind::NarrowLink, format!("x{now} of x{most}")), text));
    }
    if let Some((down, all)) = links_down(facts, gpu) {
        let text = format!("{name}: {down} of its {all} NVLinks are down");
        answers.push(Answer::warn(gpu, Symptom::coded(Kind::LinksDown, format!("{down} of {all}")), text));
    }
    answers
}

/// How many NVLinks of a GPU are down, of how many. Only beside links that are up, and on a machine whose GPUs are joined by
/// switches: a board in a slot has links for bridges that nobody has to buy. A fabric that is not up yet is another matter.
fn links_down(facts: &Facts, gpu: &Subject) -> Option<(usize, usize)> {
    let all = facts.look(&links::NVLINKS, gpu).seen()?;
    let switched = facts.value(&pci::NVSWITCHES).is_some_and(|n| n > 0)
        || all.iter().any(|link| link.remote.as_deref() == Some("switch"));
    let coming_up = facts.look(&nvidia::NVML_FABRIC, gpu).seen().is_some_and(|f| matches!(f.state, 1 | 2));
    let down = all.iter().filter(|link| !link.active).count();
    (switched && !coming_up && down > 0 && down < all.len()).then_some((down, all.len()))
}

/// Lanes now and at most. The rate is left out: an idle link is slow on purpose. Only NVIDIA's cards: a display controller
/// on a board says odd things.
fn width(facts: &Facts, gpu: &Subject) -> Option<(u32, u32)> {
    if facts.look(&pci::VENDOR, gpu).seen().is_some_and(|v| v != "0x10de") {
        return None;
    }
    let from_nvml = facts.look(&nvidia::NVML_PCIE, gpu).seen().map(|p| (p.width, p.width_max));
    from_nvml.or_else(|| {
        let link = facts.look(&pci::LINK, gpu).seen()?;
        Some((link.width_now?, link.width_max?))
    })
}

/// Xids of the kernel log that say more than that a program was stopped.
fn xids(facts: &Facts) -> Vec<Answer> {
    let mut seen: Vec<(u32, Option<String>)> = Vec::new();
    for (line, _) in facts.all(&kernel::LOG_LINE) {
        if let Some((number, address)) = xid::parse(&line) {
            let entry = (number, address.map(str::to_string));
            if !seen.contains(&entry) {
                seen.push(entry);
            }
        }
    }
    // A program's own fault (13, 31) leaves the GPU as well as before; 94 is one, and speaks of bad memory.
    let telling = |number: u32| {
        !matches!(xid::action(number), Some(xid::Action::Ignore | xid::Action::RestartProgram)) || number == 94
    };
    let answers = seen.into_iter().filter(|(number, _)| telling(*number)).map(|(number, address)| {
        let subject = address.map(|a| Subject::gpu(&a)).unwrap_or_else(Subject::machine);
        let meaning = xid::meaning(number).map(|m| format!(": {m}")).unwrap_or_default();
        let symptom = Symptom::coded(Kind::Xid, number);
        Answer::warn(&subject, symptom, format!("Xid {number} in the kernel log{meaning}"))
    });
    answers.collect()
}
