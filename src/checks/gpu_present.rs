//! Is there a GPU at all, and of which maker?

use super::given::{self, Platform};
use super::{Answer, Check, Status};
use crate::facts::{Facts, asked, kernel, nvidia, pci, python};
use crate::subject::Subject;
use crate::symptom::{Kind, Symptom};

/// The check.
pub static CHECK: Check = Check { id: "gpu-present", title: "GPU on the bus", needs: &[], judge };

fn judge(facts: &Facts) -> Vec<Answer> {
    let machine = Subject::machine();
    let mut answers = match given::platform(facts) {
        Platform::Bus => on_the_bus(facts, &machine),
        Platform::Wsl => vec![match node(facts, "/dev/dxg") {
            Some(true) => Answer::pass(&machine, "WSL: Windows offers its GPU through /dev/dxg"),
            // Windows offers it to the distribution; a container in it has to be given it.
            Some(false) if facts.value(&crate::facts::host::CONTAINER).is_some() => {
                blind(facts, &machine, "WSL: there is no /dev/dxg in this container")
            }
            Some(false) => Answer::fail(
                &machine,
                Symptom::new(Kind::NoNvidiaGpu),
                "WSL: there is no /dev/dxg, so Windows offers no GPU to this distribution",
            ),
            None => Answer::unknown(&machine, "WSL: could not look for /dev/dxg"),
        }],
        Platform::Jetson => vec![Answer::pass(&machine, "Jetson: the GPU is part of the system-on-chip")],
        Platform::Windows => vec![blind(facts, &machine, "Windows: the bus is not read, only the driver is asked")],
        Platform::MacOs if facts.all(&python::TENSOR).any(|(tensor, _)| tensor.ok) => {
            vec![Answer::pass(&machine, "macOS: there is no CUDA for it, and the Mac's own GPU computes")]
        }
        Platform::MacOs => vec![Answer::fail(
            &machine,
            Symptom::new(Kind::NoNvidiaGpu),
            "macOS: no NVIDIA GPU can be used, because there is no CUDA for it",
        )],
        Platform::Blind => vec![blind(facts, &machine, "no PCI directory to read here (/sys/bus/pci/devices)")],
    };
    if let Some(expected) = facts.value(&asked::EXPECT_GPUS) {
        answers.extend(expectation(facts, &machine, expected));
    }
    answers
}

fn on_the_bus(facts: &Facts, machine: &Subject) -> Vec<Answer> {
    let gpus = given::nvidia_on_bus(facts);
    if gpus.is_empty() {
        if let Some(maker) = given::maker_in_use(facts) {
            let article = if maker == "AMD" { "a GPU by AMD" } else { "a GPU by Intel" };
            return vec![Answer::pass(machine, format!("{article}: {}", names(facts, given::vendor_of(maker))))];
        }
        return vec![match given::other_maker(facts) {
            Some(maker) => Answer::fail(
                machine,
                Symptom::new(Kind::NoNvidiaGpu),
                format!("no NVIDIA GPU on the PCI bus, only {maker}: {}", names(facts, "0x8086")),
            ),
            None => {
                Answer::fail(machine, Symptom::new(Kind::NoNvidiaGpu), "no NVIDIA, AMD or Intel GPU on the PCI bus")
            }
        }];
    }
    gpus.iter()
        .map(|gpu| {
            let name = given::name(facts, gpu);
            // What was read of it before it was woken counts for nothing once it answers.
            if facts.look(&pci::CONFIG_ALL_ONES, gpu).seen() == Some(true) && !given::answers(facts, gpu) {
                let symptom = Symptom::new(Kind::GpuNotAnswering);
                return Answer::fail(gpu, symptom, format!("{name} is listed and no longer answers (reads all ones)"));
            }
            Answer::pass(gpu, name)
        })
        .collect()
}

/// Without a bus to read, a GPU that answers in NVML is there all the same.
fn blind(facts: &Facts, machine: &Subject, why: &str) -> Answer {
    match facts.value(&nvidia::NVML_COUNT) {
        Some(count) if count > 0 => Answer::pass(machine, format!("NVML lists {count} ({why})")),
        _ => match facts.value(&crate::facts::cuda::COUNT) {
            Some(count) if count > 0 => Answer::pass(machine, format!("CUDA lists {count} ({why})")),
            _ => Answer::unknown(machine, why),
        },
    }
}

/// `--expect-gpus N` against what CUDA, NVML or the bus count, the nearest to the program first.
fn expectation(facts: &Facts, machine: &Subject, expected: u32) -> Option<Answer> {
    let counted = facts
        .value(&crate::facts::cuda::COUNT)
        .map(|n| (n, "CUDA"))
        .or_else(|| facts.value(&nvidia::NVML_COUNT).map(|n| (n, "NVML")))
        .or_else(|| {
            let on_bus = u32::try_from(given::nvidia_on_bus(facts).len()).unwrap_or(u32::MAX);
            (given::platform(facts) == Platform::Bus).then_some((on_bus, "the bus"))
        });
    let (count, source) = counted?;
    let text = format!("{expected} expected, and {source} lists {count}");
    if count >= expected {
        return Some(Answer::pass(machine, text));
    }
    let symptom = Symptom::coded(Kind::FewerGpusThanExpected, format!("{count} of {expected}"));
    Some(Answer::fail(machine, symptom, text))
}

fn node(facts: &Facts, path: &str) -> Option<bool> {
    match facts.look(&kernel::NODE, &Subject::file(path)) {
        crate::facts::Look::Seen(..) => Some(true),
        crate::facts::Look::Absent(_) => Some(false),
        _ => None,
    }
}

fn names(facts: &Facts, vendor: &str) -> String {
    let names: Vec<String> =
        given::of_vendor(facts, vendor).iter().map(|gpu| format!("{} ({})", given::name(facts, gpu), gpu.id)).collect();
    names.join(", ")
}

/// For the other checks: the answer where the machine can have no NVIDIA GPU to check.
pub(super) fn not_here(facts: &Facts, what: &str) -> Option<Answer> {
    if given::platform(facts) == Platform::MacOs {
        return Some(Answer::not_applicable(format!("macOS does not have {what}")));
    }
    let maker = given::maker_in_use(facts)?;
    Some(Answer::new(
        &Subject::machine(),
        Status::NotApplicable,
        format!("{what} is for NVIDIA GPUs; this machine has one by {maker}"),
    ))
}
