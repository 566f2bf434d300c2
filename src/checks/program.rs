//! Does the program use the device it could? Only where a program was seen: a native one on PATH, or one in a traceback or
//! a log. What a text says comes in as messages, which the chain turns into rows of this check; without any the row is absent.

pub mod rust;

use super::{Answer, Check, Status, brief};
use crate::facts::programs::{self, Model, Program};
use crate::facts::{Facts, Look};
use crate::subject::{Kind as SubjectKind, Subject};
use crate::symptom::{Kind, Symptom};

/// The check.
pub static CHECK: Check = Check { id: "program", title: "The program", needs: &[], judge };

fn judge(facts: &Facts) -> Vec<Answer> {
    let native = facts.all(&programs::PROGRAM).map(|(program, fact)| one(facts, &program, &fact.subject));
    native.chain(rust::rows(facts)).collect()
}

fn one(facts: &Facts, program: &Program, subject: &Subject) -> Answer {
    let name = format!("{} ({})", program.name, subject.id);
    let offload = facts.look(&programs::OFFLOAD, subject).seen();
    let devices = facts.look(&programs::DEVICES, subject);
    // What the server holds now says more than what its log said once; where it found no GPU, that is the fault.
    if let (Some(models), false) =
        (facts.look(&programs::MODELS, subject).seen(), devices.clone().seen().is_some_and(|list| list.is_empty()))
        && let Some(answer) = held(facts, subject, &name, &models)
    {
        return answer;
    }
    match devices {
        Look::Seen(devices, _) if devices.is_empty() => {
            let reason = facts.all(&programs::LOG).find(|(_, fact)| fact.subject == *subject);
            let why = reason.map(|(line, _)| format!(": {}", brief(&line))).unwrap_or_default();
            let text = format!("{name} knows no GPU{why}");
            match program.running {
                // A server that works on the processor is what people wonder about.
                Some(true) => Answer::fail(subject, Symptom::new(Kind::FrameworkSeesNoGpu), text),
                // One that lies on PATH may be there for the processor.
                _ => Answer::new(subject, Status::NotApplicable, text),
            }
        }
        Look::Seen(devices, _) => match offload {
            Some(offload) if offload.layers < offload.of => {
                let text = format!(
                    "{name} put {} of {} layers of the last model on {}",
                    offload.layers,
                    offload.of,
                    devices.join(", ")
                );
                // How much memory a model needs is no fault of the machine.
                Answer::pass(subject, text)
            }
            _ => Answer::pass(subject, format!("{name} can use {}", devices.join(", "))),
        },
        Look::Failed(why, _) => Answer::new(subject, Status::Deselected, format!("{name} was not asked: {why}")),
        Look::Absent(_) | Look::NotAsked => Answer::new(subject, Status::Deselected, format!("{name} was not asked")),
    }
}

/// Where the models are that a server holds; nothing where it holds none, or does not say where.
fn held(facts: &Facts, subject: &Subject, name: &str, models: &[Model]) -> Option<Answer> {
    let least = models.iter().filter(|model| model.gpu_percent.is_some()).min_by_key(|model| model.gpu_percent)?;
    let list: Vec<String> = models.iter().map(|model| format!("{}: {}", brief(&model.name), model.processor)).collect();
    let text = format!("{name} holds {}", list.join(", "));
    let percent = least.gpu_percent.unwrap_or_default();
    let any_gpu = !facts.subjects(SubjectKind::Gpu).is_empty();
    Some(match percent {
        100 => Answer::pass(subject, text),
        _ if !any_gpu => Answer::new(subject, Status::NotApplicable, text),
        _ => Answer::warn(subject, Symptom::coded(Kind::ProgramOnCpu, format!("{} %", 100 - percent)), text),
    })
}
