//! Are GPUs hidden from this process: masks, MIG without instances, a compute mode that refuses?

use super::{Answer, Check, given};
use crate::facts::{Facts, Look, cuda, nvidia};
use crate::subject::Subject;
use crate::symptom::{Kind, Symptom};

/// The check.
pub static CHECK: Check = Check { id: "visibility", title: "Visibility", needs: &[], judge };

fn judge(facts: &Facts) -> Vec<Answer> {
    let machine = Subject::machine();
    let mut answers = Vec::new();
    for name in ["CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES"] {
        // The container toolkit's variable hides nothing from a process that sees a GPU: `void` is also what a device plugin
        // leaves there that hands GPUs over in another way.
        let sees = facts.value(&cuda::INIT) == Some(0) && facts.value(&cuda::COUNT).is_some_and(|n| n > 0);
        if let Look::Seen(value, _) = facts.variable(name)
            && hides_all(name, &value)
            && !(sees && name == "NVIDIA_VISIBLE_DEVICES")
        {
            let symptom = Symptom::coded(Kind::MaskHidesAll, name);
            answers.push(Answer::fail(
                &Subject::variable(name),
                symptom,
                format!("{name}=\"{value}\" hides every GPU"),
            ));
        }
    }
    for gpu in facts.subjects_with(&nvidia::NVML_MIG) {
        if let Some(mig) = facts.look(&nvidia::NVML_MIG, &gpu).seen()
            && mig.enabled
            && mig.instances.is_empty()
        {
            let symptom = Symptom::new(Kind::MigEmpty);
            answers.push(Answer::fail(&gpu, symptom, "MIG is on and has no instance, so CUDA finds no device in it"));
        }
    }
    for gpu in facts.subjects_with(&nvidia::NVML_COMPUTE_MODE) {
        let mode = facts.look(&nvidia::NVML_COMPUTE_MODE, &gpu).seen().unwrap_or_default();
        // The multi-process service lets others in beside the holder: what computed is not refused.
        if facts.look(&cuda::COMPUTE, &gpu).seen().is_some_and(|c| c.stage == "done") {
            continue;
        }
        let held = given::holders(facts, &gpu).next().is_some();
        let answer = match mode.as_str() {
            "prohibited" => Answer::fail(
                &gpu,
                Symptom::coded(Kind::ComputeMode, &mode),
                "the compute mode is Prohibited: no CUDA context is allowed",
            ),
            "exclusive_process" if held => Answer::fail(
                &gpu,
                Symptom::coded(Kind::ComputeMode, &mode),
                "the compute mode is Exclusive_Process and another process holds the GPU",
            ),
            _ => continue,
        };
        answers.push(answer);
    }
    if answers.is_empty() {
        let look = facts.variable("CUDA_VISIBLE_DEVICES");
        if look.fact().is_none() {
            return vec![Answer::unmeasured(&machine, "the environment was not looked at")];
        }
        let mask = facts.variable("CUDA_VISIBLE_DEVICES").seen();
        if let (Some(mask), Some(100)) = (mask, facts.value(&cuda::INIT)) {
            let text = format!("CUDA_VISIBLE_DEVICES=\"{mask}\" is set, and CUDA lists no device");
            return vec![Answer::unknown(&machine, text)];
        }
        let text = match (look.seen(), facts.value(&cuda::COUNT)) {
            (Some(mask), Some(count)) => format!("CUDA_VISIBLE_DEVICES=\"{mask}\" leaves {count} of the GPUs"),
            (Some(mask), None) => format!("CUDA_VISIBLE_DEVICES=\"{mask}\""),
            (None, _) => "nothing is hidden by a variable, by MIG or by a compute mode".to_string(),
        };
        answers.push(Answer::pass(&machine, text));
    }
    answers
}

/// What hides everything whatever GPUs there are. The container toolkit's variable only says what was injected, and only
/// `void` means nothing.
fn hides_all(name: &str, value: &str) -> bool {
    let value = value.trim();
    match name {
        "NVIDIA_VISIBLE_DEVICES" => matches!(value, "void" | "none"),
        _ => value.is_empty() || value.starts_with('-') || matches!(value, "NoDevFiles" | "void" | "none"),
    }
}
