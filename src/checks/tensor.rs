//! Does a tiny tensor placed on the device compute the right result, per framework and in libtorch?

use super::cuda_kernel::left_alone;
use super::framework::is_for_the_processor;
use super::{Answer, Check, Status, brief};
use crate::facts::python::Tensor;
use crate::facts::{Facts, Key, Look, asked, python};
use crate::subject::{Kind as SubjectKind, Subject};
use crate::symptom::{Kind, Symptom};
use crate::tables::frameworks::{self, Role};

/// The check.
pub static CHECK: Check = Check { id: "tensor", title: "Tensor on the device", needs: &["framework"], judge };

fn judge(facts: &Facts) -> Vec<Answer> {
    let mut answers = Vec::new();
    for framework in facts.subjects(SubjectKind::Framework) {
        let role = framework.framework_parts().and_then(|(name, _)| frameworks::find(name)).map(|known| known.role);
        // What computes nothing by itself has said in the framework's row all that it can say.
        if facts.look(&python::DISTRIBUTION, &framework).is_absent() || role.is_some_and(|role| role != Role::Computes)
        {
            continue;
        }
        let sees = facts.look(&python::AVAILABLE, &framework).seen();
        if sees == Some(false) && is_for_the_processor(facts, &framework) {
            continue;
        }
        let name = framework.id.replace('@', " in ");
        if facts.value(&asked::PASSIVE) == Some(true) {
            answers.push(Answer::new(
                &framework,
                Status::Deselected,
                format!("{name}: no tensor is placed (--passive)"),
            ));
            continue;
        }
        if let Look::Seen(why, _) = facts.look(&python::NO_TENSOR, &framework) {
            answers.push(Answer::unknown(&framework, format!("{name}: no tensor was tried: {}", left_alone(&why))));
            continue;
        }
        let tried = tried(facts, &python::TENSOR, &framework, &name, Kind::Tensor);
        match (tried.is_empty(), facts.look(&python::TENSOR, &framework)) {
            (false, _) => answers.extend(tried),
            (true, Look::Failed(why, _)) => answers.push(Answer::unknown(&framework, format!("{name}: {why}"))),
            (true, _) => answers.push(Answer::unmeasured(&framework, format!("{name}: no tensor was tried"))),
        }
    }
    answers.extend(libtorch(facts));
    if answers.is_empty() {
        let text = "no framework to place a tensor with";
        answers.push(Answer::new(&Subject::machine(), Status::NotApplicable, text));
    }
    answers
}

fn libtorch(facts: &Facts) -> Vec<Answer> {
    let machine = Subject::machine();
    let tried = tried(facts, &python::LIBTORCH_TENSOR, &machine, "libtorch", Kind::LibtorchTensor);
    if !tried.is_empty() {
        return tried;
    }
    match facts.machine(&python::LIBTORCH) {
        Look::Seen(helper, _) if helper.cuda_available => {
            vec![Answer::unmeasured(&machine, "libtorch: no tensor was tried")]
        }
        Look::Seen(helper, _) => {
            // What libtorch sees is what the Python build of the same library sees: no second symptom for it.
            let text = format!("libtorch in {} sees no GPU", helper.folder);
            vec![Answer::unknown(&machine, text)]
        }
        Look::Absent(fact) | Look::Failed(_, fact) => {
            let why = match &fact.state {
                crate::facts::State::Failed { why } => why.clone(),
                _ => "the helper gpu-doctor-torch is not beside this program".to_string(),
            };
            vec![Answer::new(&machine, Status::Deselected, format!("libtorch: {why}"))]
        }
        Look::NotAsked => Vec::new(),
    }
}

fn tried(facts: &Facts, key: &Key<Tensor>, subject: &Subject, name: &str, kind: Kind) -> Vec<Answer> {
    let tensors: Vec<Tensor> = facts.all(key).filter(|(_, f)| f.subject == *subject).map(|(t, _)| t).collect();
    let bad: Vec<&Tensor> = tensors.iter().filter(|t| !t.ok).collect();
    if tensors.is_empty() {
        return Vec::new();
    }
    let mut answers = Vec::new();
    if bad.len() < tensors.len() {
        let good = tensors.len() - bad.len();
        let text = format!("{name}: the right result on {good} of {} {}", tensors.len(), devices(tensors.len()));
        answers.push(Answer::pass(subject, text));
    }
    for tensor in bad {
        let step = tensor.step.as_deref().unwrap_or("an unknown step");
        let code = tensor.code.map(|c| format!(", {c}")).unwrap_or_default();
        let said = brief(tensor.message.as_deref().unwrap_or("no message"));
        let device = tensor.device.clone().unwrap_or_else(|| format!("cuda:{}", tensor.index));
        let text = format!("{name}: {device} fails to {}: {said}", step.replace('_', " "));
        answers.push(Answer::fail(subject, Symptom::coded(kind, format!("{step}{code}")), text));
    }
    answers
}

fn devices(count: usize) -> &'static str {
    if count == 1 { "device" } else { "devices" }
}
