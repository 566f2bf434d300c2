//! Is the right kernel driver loaded, for this kernel and this GPU?

use super::given::{self, Platform};
use super::{Answer, Check, Status};
use crate::facts::{Facts, Look, cuda, kernel, nvidia, pci};
use crate::subject::Subject;
use crate::symptom::{Kind, Symptom};

/// The check.
pub static CHECK: Check = Check { id: "kernel-driver", title: "Kernel driver", needs: &["gpu-present"], judge };

fn judge(facts: &Facts) -> Vec<Answer> {
    if let Some(maker) = given::maker_in_use(facts) {
        return super::makers::driver(facts, maker);
    }
    if let Some(answer) = super::gpu_present::not_here(facts, "the nvidia module") {
        return vec![answer];
    }
    let machine = Subject::machine();
    match given::platform(facts) {
        Platform::Wsl => vec![Answer::not_applicable("WSL: the driver is Windows'")],
        Platform::Windows => vec![on_windows(facts, &machine)],
        Platform::MacOs => vec![Answer::not_applicable("macOS has no such driver")],
        Platform::Jetson => vec![match given::module_loaded(facts, "nvgpu") {
            Some(true) => Answer::pass(&machine, "Jetson: nvgpu is loaded"),
            // JetPack 7 brings the ordinary driver to the newest boards.
            Some(false) if given::module_loaded(facts, "nvidia") == Some(true) => {
                Answer::pass(&machine, "Jetson: nvidia is loaded")
            }
            Some(false) => Answer::fail(&machine, Symptom::new(Kind::DriverNotLoaded), "Jetson: nvgpu is not loaded"),
            None => Answer::unknown(&machine, "Jetson: the list of modules cannot be read here"),
        }],
        Platform::Bus | Platform::Blind => on_linux(facts, &machine),
    }
}

/// Windows tells nobody which drivers are loaded without being asked device by device, but the driver's package puts both
/// libraries into System32 and takes them away again.
fn on_windows(facts: &Facts, machine: &Subject) -> Answer {
    let (nvml, cuda) = (facts.machine(&nvidia::NVML_LIBRARY), facts.machine(&cuda::LIBRARY));
    let version = facts.value(&nvidia::NVML_DRIVER).map(|v| format!(" {v}")).unwrap_or_default();
    if nvml.is_absent() && cuda.is_absent() {
        let text = "no NVIDIA driver is installed: Windows finds neither nvcuda.dll nor nvml.dll";
        return Answer::fail(machine, Symptom::new(Kind::DriverNotLoaded), text);
    }
    match facts.value(&nvidia::NVML_INIT) {
        Some(0) => Answer::pass(machine, format!("NVML talks to the driver{version}")),
        _ if nvml.fact().is_some() || cuda.fact().is_some() => {
            Answer::unknown(machine, "the driver's libraries are there; whether the driver runs is for the next checks")
        }
        _ => Answer::unmeasured(machine, "the driver's libraries were not looked for"),
    }
}

fn on_linux(facts: &Facts, machine: &Subject) -> Vec<Answer> {
    let on_bus = given::nvidia_on_bus(facts);
    if on_bus.is_empty() && given::platform(facts) == Platform::Bus {
        return vec![Answer::unmeasured(machine, "there is no NVIDIA GPU to drive")];
    }
    let version = facts.value(&kernel::MODULE_VERSION);
    let loaded = given::module_loaded(facts, "nvidia").or(version.as_ref().map(|_| true));
    let mut answers = Vec::new();
    for gpu in &on_bus {
        let Look::Seen(driver, _) = facts.look(&pci::DRIVER, gpu) else { continue };
        if driver != "nvidia" {
            let symptom = Symptom::coded(Kind::BoundTo, &driver);
            let text = format!("{} is owned by {driver}", given::name(facts, gpu));
            // Beside GPUs that this machine uses, one that is given to a virtual machine is no fault.
            answers.push(match driver == "vfio-pci" && !given::expected(facts).is_empty() {
                true => Answer::new(gpu, Status::NotApplicable, text).with(symptom),
                false => Answer::fail(gpu, symptom, text),
            });
        }
    }
    // GPUs that were all given away leave nothing for the module to drive.
    let given_away = !on_bus.is_empty() && answers.len() == on_bus.len();
    match (loaded, version) {
        _ if given_away => {}
        (Some(true), version) => {
            let flavour = facts.value(&kernel::MODULE_FLAVOUR).map(|f| format!(", {f} flavour")).unwrap_or_default();
            let version = version.map(|v| format!(" {v}")).unwrap_or_default();
            answers.insert(0, Answer::pass(machine, format!("nvidia{version} is loaded{flavour}")));
            for gpu in &on_bus {
                if facts.look(&pci::DRIVER, gpu).is_absent() {
                    let text = format!("{}: the module is loaded and does not drive it", given::name(facts, gpu));
                    answers.push(Answer::fail(gpu, Symptom::new(Kind::Unclaimed), text));
                }
            }
        }
        (Some(false), _) => {
            let symptom = Symptom::new(Kind::DriverNotLoaded);
            answers.insert(0, Answer::fail(machine, symptom, "the nvidia module is not loaded"));
        }
        (None, _) if facts.value(&nvidia::NVML_INIT) == Some(0) => {
            answers.insert(0, Answer::pass(machine, "NVML talks to the driver (the list of modules cannot be read)"));
        }
        (None, _) => {
            let why = facts.machine(&kernel::MODULES).why_failed().unwrap_or("nobody looked").to_string();
            answers.insert(0, Answer::unknown(machine, format!("whether nvidia is loaded cannot be seen: {why}")));
        }
    }
    answers
}
