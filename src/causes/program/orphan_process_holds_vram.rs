//! Memory of a GPU that nobody who is listed holds.

use crate::causes::{Case, Cause, Finding, Level};
use crate::checks::given;
use crate::facts::nvidia;
use crate::subject::{Kind as SubjectKind, Subject};
use crate::symptom::Kind;

/// The cause.
pub static CAUSE: Cause = Cause { page: include_str!("orphan-process-holds-vram.md"), explains: &[OURS], assess };

const OURS: &[Kind] = &[Kind::CudaCompute, Kind::Tensor, Kind::LibtorchTensor];

/// Messages of a text that speak of memory that is short.
const SAID: [&str; 2] = ["cuda-out-of-memory", "serving-memory-taken"];

/// CUDA's code for "out of memory".
const OUT_OF_MEMORY: &str = "2";

/// Less than this part of the memory is taken by the driver itself, the display and what is reserved.
const ORDINARY: f64 = 0.5;

fn assess(case: &Case) -> Vec<Finding> {
    let short: Vec<_> = case
        .all_symptoms()
        .filter(|o| match o.symptom.kind {
            Kind::Said => SAID.contains(&o.symptom.code()),
            kind => OURS.contains(&kind) && o.symptom.code().rsplit(", ").next() == Some(OUT_OF_MEMORY),
        })
        .collect();
    if short.is_empty() {
        return Vec::new();
    }
    let gpus = case.facts.subjects(SubjectKind::Gpu);
    let held: Vec<&Subject> = gpus.iter().filter(|gpu| is_held(case, gpu)).collect();
    let findings = held.into_iter().map(|gpu| {
        let memory = case.facts.look(&nvidia::NVML_MEMORY, gpu);
        let used = memory.clone().seen().map(|m| format!("{} of {} MiB", m.used >> 20, m.total >> 20));
        let name = given::name(case.facts, gpu);
        Finding::machine(Level::Supported)
            .because_of(&memory, format!("{name}: {} are in use", used.unwrap_or_default()))
            .because_of(&case.facts.look(&nvidia::NVML_PROCESSES, gpu), "and NVML lists no process there")
            .explaining(short.clone())
            .unknown(
                "which processes have the device open, as root on the host",
                "sudo fuser -v /dev/nvidia*",
                &["orphan-process-holds-vram", "insufficient-vram-cpu-offload"],
            )
    });
    findings.collect()
}

fn is_held(case: &Case, gpu: &Subject) -> bool {
    let nobody = case.facts.look(&nvidia::NVML_PROCESSES, gpu).seen().is_some_and(|list| list.is_empty());
    let much = case.facts.look(&nvidia::NVML_MEMORY, gpu).seen().is_some_and(|m| {
        // Precise enough: bytes below 2^53.
        m.used as f64 > m.total as f64 * ORDINARY
    });
    nobody && much
}
