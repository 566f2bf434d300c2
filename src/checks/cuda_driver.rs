//! Does cuInit succeed, and how many devices does it see?

use super::{Answer, Check};
use crate::facts::{Facts, Look, cuda, host, nvidia};
use crate::subject::Subject;
use crate::symptom::{Kind, Symptom};

/// The check.
pub static CHECK: Check = Check { id: "cuda-driver", title: "CUDA driver", needs: &["kernel-driver"], judge };

fn judge(facts: &Facts) -> Vec<Answer> {
    if let Some(answer) = super::gpu_present::not_here(facts, "CUDA") {
        return vec![answer];
    }
    let machine = Subject::machine();
    let (_, file) = super::given::library_files(facts);
    vec![match facts.machine(&cuda::INIT) {
        Look::Seen(0, _) => initialised(facts, &machine),
        Look::Seen(code, _) => {
            let name = crate::tables::cuda_errors::name(code);
            Answer::fail(&machine, Symptom::coded(Kind::CuInit, code), format!("cuInit gives {code} ({name})"))
        }
        Look::Failed(why, _) => Answer::unknown(&machine, format!("cuInit: {why}")),
        Look::Absent(_) | Look::NotAsked => match facts.machine(&cuda::LIBRARY) {
            Look::Absent(_) => {
                Answer::fail(&machine, Symptom::new(Kind::LibcudaMissing), format!("the loader finds no {file}"))
            }
            Look::Failed(why, _) => Answer::fail(
                &machine,
                Symptom::new(Kind::LibcudaUnloadable),
                format!("{file} could not be loaded: {why}"),
            ),
            _ => Answer::unmeasured(&machine, "cuInit was not called"),
        },
    }]
}

fn initialised(facts: &Facts, machine: &Subject) -> Answer {
    let version = facts.value(&cuda::DRIVER_VERSION).map(|v| format!("CUDA {}.{}", v / 1000, v % 1000 / 10));
    let version = version.unwrap_or_else(|| "CUDA of unknown version".to_string());
    let Some(count) = facts.value(&cuda::COUNT) else {
        return Answer::unknown(machine, format!("{version}; the number of devices is not known"));
    };
    let listed = facts.value(&nvidia::NVML_COUNT);
    let masked = facts.variable("CUDA_VISIBLE_DEVICES").seen().is_some();
    let mig = facts.all(&nvidia::NVML_MIG).any(|(mig, _)| mig.enabled);
    match listed {
        // A mask or MIG makes CUDA see fewer, and that is its purpose; WSL's NVML may list GPUs that Linux cannot use.
        Some(all) if count < all && !masked && !mig && facts.value(&host::WSL).is_none() => Answer::fail(
            machine,
            Symptom::coded(Kind::CudaFewer, format!("{count} of {all}")),
            format!("{version} sees {count} of the {all} GPUs that NVML lists"),
        ),
        _ if count == 0 => {
            Answer::fail(machine, Symptom::coded(Kind::CudaFewer, 0), format!("{version} starts and lists no device"))
        }
        _ => Answer::pass(machine, format!("{version}, {count} {}", if count == 1 { "device" } else { "devices" })),
    }
}
