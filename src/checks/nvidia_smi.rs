//! Is nvidia-smi there, and does it answer?

use super::given::{self, Platform};
use super::{Answer, Check, brief};
use crate::facts::{Facts, Look, cuda, nvidia};
use crate::subject::Subject;
use crate::symptom::{Kind, Symptom};

/// The check.
pub static CHECK: Check = Check { id: "nvidia-smi", title: "nvidia-smi", needs: &["kernel-driver"], judge };

fn judge(facts: &Facts) -> Vec<Answer> {
    if let Some(answer) = super::gpu_present::not_here(facts, "nvidia-smi") {
        return vec![answer];
    }
    let machine = Subject::machine();
    if given::platform(facts) == Platform::Jetson {
        return vec![Answer::not_applicable("a Jetson does not need nvidia-smi")];
    }
    if facts.machine(&nvidia::SMI_FOUND).is_absent() {
        // Where there is no driver at all its absence is a consequence, and where all works it is a note.
        let blocked = given::module_loaded(facts, "nvidia") == Some(false) || !could_work(facts);
        return vec![match blocked {
            true => Answer::unmeasured(&machine, "nvidia-smi is not installed"),
            false => Answer::warn(&machine, Symptom::new(Kind::SmiMissing), "nvidia-smi is not installed"),
        }];
    }
    let programs = facts.subjects_with(&nvidia::SMI);
    if programs.is_empty() {
        return vec![Answer::unmeasured(&machine, "nvidia-smi was not run")];
    }
    programs.iter().map(|program| run(facts, program)).collect()
}

fn could_work(facts: &Facts) -> bool {
    facts.value(&nvidia::NVML_INIT) == Some(0) || facts.value(&cuda::INIT) == Some(0)
}

fn run(facts: &Facts, program: &Subject) -> Answer {
    let path = &program.id;
    match facts.look(&nvidia::SMI, program) {
        Look::Seen(run, _) => match run.exit {
            Some(0) => {
                let driver = run.driver.map(|d| format!("driver {d}")).unwrap_or_else(|| "it answers".to_string());
                let cuda = run.cuda.map(|c| format!(", up to CUDA {c}")).unwrap_or_default();
                Answer::pass(program, format!("{path}: {driver}{cuda}"))
            }
            Some(exit) => {
                let said = brief(&run.message);
                Answer::fail(program, Symptom::coded(Kind::SmiFails, exit), format!("{path} exits with {exit}: {said}"))
            }
            None => {
                Answer::fail(program, Symptom::coded(Kind::SmiFails, "killed"), format!("{path} was ended by a signal"))
            }
        },
        Look::Failed(why, _) => Answer::unknown(program, format!("{path}: {why}")),
        _ => Answer::unmeasured(program, format!("{path} was not run")),
    }
}
