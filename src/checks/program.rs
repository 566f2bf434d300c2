//! Does the program use the device it could? Only where a program was seen: a native one on PATH, or one in a traceback or
//! a log. What a text says comes in as messages, which the chain turns into rows of this check; without any the row is absent.

use super::{Answer, Check, Status, brief};
use crate::facts::programs::{self, Program};
use crate::facts::{Facts, Look};
use crate::subject::Subject;
use crate::symptom::{Kind, Symptom};

/// The check.
pub static CHECK: Check = Check { id: "program", title: "The program", needs: &[], judge };

fn judge(facts: &Facts) -> Vec<Answer> {
    facts.all(&programs::PROGRAM).map(|(program, fact)| one(facts, &program, &fact.subject)).collect()
}

fn one(facts: &Facts, program: &Program, subject: &Subject) -> Answer {
    let name = format!("{} ({})", program.name, subject.id);
    let offload = facts.look(&programs::OFFLOAD, subject).seen();
    match facts.look(&programs::DEVICES, subject) {
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
