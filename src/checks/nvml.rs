//! Does NVML list every GPU that this context was given, each one sound?

use super::given::{self, Platform};
use super::{Answer, Check};
use crate::facts::{Facts, Look, cuda, host, kernel, nvidia};
use crate::subject::{Kind as SubjectKind, Subject};
use crate::symptom::{Kind, Symptom};

/// The check.
pub static CHECK: Check = Check { id: "nvml", title: "NVML", needs: &["kernel-driver"], judge };

fn judge(facts: &Facts) -> Vec<Answer> {
    if let Some(answer) = super::gpu_present::not_here(facts, "NVML") {
        return vec![answer];
    }
    let machine = Subject::machine();
    let (file, _) = given::library_files(facts);
    let jetson = given::platform(facts) == Platform::Jetson;
    match facts.machine(&nvidia::NVML_INIT) {
        Look::Seen(0, _) => listed(facts, &machine),
        // The older JetPacks have no NVML, or one that does nothing.
        _ if jetson => vec![Answer::not_applicable("a Jetson does not need NVML")],
        Look::Seen(code, _) => {
            let what = crate::tables::nvml_errors::name(code);
            vec![Answer::fail(
                &machine,
                Symptom::coded(Kind::NvmlInit, code),
                format!("nvmlInit gives {code} ({what})"),
            )]
        }
        Look::Failed(why, _) => vec![Answer::unknown(&machine, format!("NVML: {why}"))],
        Look::Absent(_) | Look::NotAsked => vec![match facts.machine(&nvidia::NVML_LIBRARY) {
            // A container with the capability `compute` alone is like this, and computes.
            Look::Absent(_) if facts.value(&cuda::INIT) == Some(0) => {
                let text = "the loader finds no libnvidia-ml.so.1; CUDA works without it";
                Answer::unknown(&machine, text).with(Symptom::new(Kind::NvmlMissing))
            }
            Look::Absent(_) => {
                Answer::fail(&machine, Symptom::new(Kind::NvmlMissing), format!("the loader finds no {file}"))
            }
            Look::Failed(why, _) => Answer::unknown(&machine, format!("{file} could not be loaded: {why}")),
            _ => Answer::unmeasured(&machine, "NVML was not asked"),
        }],
    }
}

fn listed(facts: &Facts, machine: &Subject) -> Vec<Answer> {
    let gpus: Vec<Subject> = facts.subjects_with(&nvidia::NVML_HANDLE);
    let mut answers: Vec<Answer> = gpus
        .iter()
        .map(|gpu| {
            let name = given::name(facts, gpu);
            match facts.look(&nvidia::NVML_HANDLE, gpu) {
                Look::Seen(0, _) => Answer::pass(gpu, sound(facts, gpu, &name)),
                Look::Seen(code, _) => {
                    let what = crate::tables::nvml_errors::name(code);
                    let symptom = Symptom::coded(Kind::NvmlDevice, code);
                    Answer::fail(gpu, symptom, format!("{name}: NVML gives {code} ({what})"))
                }
                Look::Failed(why, _) => Answer::unknown(gpu, format!("{name}: {why}")),
                _ => Answer::unmeasured(gpu, format!("{name} was not asked about")),
            }
        })
        .collect();
    let missing = missing(facts);
    if !missing.is_empty() {
        let ids: Vec<&str> = missing.iter().map(|g| g.id.as_str()).collect();
        for gpu in &missing {
            let text = format!("{}: on the bus, and NVML does not list it", given::name(facts, gpu));
            answers.push(Answer::fail(gpu, Symptom::coded(Kind::NvmlFewer, ids.join(" ")), text));
        }
    } else if gpus.is_empty() && facts.value(&nvidia::NVML_COUNT) == Some(0) {
        let symptom = Symptom::coded(Kind::NvmlFewer, 0);
        answers.push(Answer::fail(machine, symptom, "NVML answers and lists no GPU"));
    }
    answers
}

/// GPUs that this context should see and NVML does not list: on the bus, driven by nvidia, and not kept from this
/// container or job. The bus is not namespaced, so in a container or a job only those with a node count, and nowhere those
/// whose node the device cgroup withholds.
fn missing(facts: &Facts) -> Vec<Subject> {
    let confined = facts.value(&host::CONTAINER).is_some() || facts.value(&host::JOB).is_some();
    // Where a cgroup keeps some nodes away and nobody says whose they are, a GPU that is not listed may be one of them.
    let some_withheld = facts.subjects_with(&kernel::NODE_OPEN).iter().any(|node| given::withheld(facts, node));
    let mut gpus = given::expected(facts);
    gpus.retain(|gpu| {
        let listed = facts.look(&nvidia::NVML_HANDLE, gpu).fact().is_some();
        let driven = matches!(facts.look(&crate::facts::pci::DRIVER, gpu), Look::Seen(driver, _) if driver == "nvidia");
        let node = given::node_of(facts, gpu);
        let excluded = facts.look(&kernel::GPU_INFORMATION, gpu).seen().is_some_and(|info| info.excluded);
        let granted = match &node {
            _ if excluded => false,
            Some(node) if given::withheld(facts, node) => false,
            Some(node) if confined => facts.look(&kernel::NODE, node).seen().is_some(),
            _ => !confined && !some_withheld,
        };
        !listed && driven && granted
    });
    gpus
}

fn sound(facts: &Facts, gpu: &Subject, name: &str) -> String {
    let capability = facts.look(&nvidia::NVML_CC, gpu).seen().map(|cc| format!(", compute capability {cc}"));
    let memory = facts.look(&nvidia::NVML_MEMORY, gpu).seen();
    let memory = memory.map(|m| format!(", {} MiB free of {} MiB", m.free >> 20, m.total >> 20));
    debug_assert!(gpu.kind == SubjectKind::Gpu);
    format!("{name}{}{}", capability.unwrap_or_default(), memory.unwrap_or_default())
}
