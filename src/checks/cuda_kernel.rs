//! Does a tiny computation run on each device through the driver alone?

use super::{Answer, Check, Status};
use crate::checks::given;
use crate::facts::{Facts, Look, asked, cuda};
use crate::subject::Subject;
use crate::symptom::{Kind, Symptom};

/// The check.
pub static CHECK: Check =
    Check { id: "cuda-kernel", title: "Computing through the driver", needs: &["cuda-driver"], judge };

fn judge(facts: &Facts) -> Vec<Answer> {
    if let Some(answer) = super::gpu_present::not_here(facts, "CUDA") {
        return vec![answer];
    }
    let devices = facts.subjects_with(&cuda::DEVICE);
    if devices.is_empty() {
        return vec![Answer::unmeasured(&Subject::machine(), "no CUDA device to compute on")];
    }
    devices.iter().map(|gpu| compute(facts, gpu)).collect()
}

fn compute(facts: &Facts, gpu: &Subject) -> Answer {
    let name = given::name(facts, gpu);
    if facts.value(&asked::PASSIVE) == Some(true) {
        return Answer::new(gpu, Status::Deselected, format!("{name}: no context is made (--passive)"));
    }
    if let Look::Seen(why, _) = facts.look(&cuda::NO_CONTEXT, gpu) {
        return Answer::unknown(gpu, format!("{name} was left alone: {}", left_alone(&why)));
    }
    match facts.look(&cuda::COMPUTE, gpu) {
        Look::Seen(result, _) if result.stage == "done" => {
            Answer::pass(gpu, format!("{name} computes the right result"))
        }
        Look::Seen(result, _) => {
            let symptom = Symptom::coded(Kind::CudaCompute, format!("{}, {}", result.stage, result.code));
            let text = match (result.stage.as_str(), result.code) {
                ("compare", 0) => format!("{name} computes a wrong result"),
                (stage, code) => {
                    format!("{name}: {} gives {code} ({})", in_words(stage), crate::tables::cuda_errors::name(code))
                }
            };
            Answer::fail(gpu, symptom, text)
        }
        Look::Failed(why, _) => Answer::unknown(gpu, format!("{name}: {why}")),
        _ => Answer::unmeasured(gpu, format!("{name} was not asked to compute")),
    }
}

/// Why a GPU got no context, and how to have it tried all the same.
pub(super) fn left_alone(why: &str) -> String {
    match why.strip_prefix("busy: ") {
        Some(holder) => format!("{holder} (--busy tries it all the same)"),
        None => why.to_string(),
    }
}

fn in_words(stage: &str) -> &str {
    match stage {
        "context" => "making a context",
        "allocate" => "allocating memory",
        "copy_in" => "copying to the GPU",
        "module" => "loading the kernel",
        "launch" => "running the kernel",
        "copy_back" => "copying back",
        other => other,
    }
}
