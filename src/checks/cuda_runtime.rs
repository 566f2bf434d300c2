//! Which CUDA runtimes are installed, and does the driver support them?

use super::{Answer, Check, given};
use crate::facts::{Facts, cuda, host, python};
use crate::subject::Subject;
use crate::symptom::{Kind, Symptom};
use crate::tables::drivers::{self, Cuda, DriverVersion, Platform};

/// The check.
pub static CHECK: Check = Check { id: "cuda-runtime", title: "CUDA runtimes", needs: &[], judge };

fn judge(facts: &Facts) -> Vec<Answer> {
    if let Some(answer) = super::gpu_present::not_here(facts, "the CUDA runtime") {
        return vec![answer];
    }
    let mut answers = Vec::new();
    for framework in facts.subjects_with(&python::BUILD) {
        let Some(runtime) = facts.look(&python::BUILD, &framework).seen().and_then(|b| b.cuda) else { continue };
        answers.push(build(facts, &framework, &runtime));
    }
    if answers.is_empty() {
        let toolkits: Vec<String> = facts.all(&cuda::TOOLKIT).map(|(version, _)| version).collect();
        let looked = !toolkits.is_empty() || !facts.subjects_with(&python::INTERPRETER).is_empty();
        if !looked {
            return vec![Answer::unmeasured(&Subject::machine(), "no framework and no toolkit was found to compare")];
        }
        let text = match toolkits.is_empty() {
            true => {
                "no framework with CUDA and no toolkit; the driver alone is enough for programs that bring their own"
                    .into()
            }
            false => format!("toolkits: {}", toolkits.join(", ")),
        };
        answers.push(Answer::pass(&Subject::machine(), text));
    }
    answers
}

fn build(facts: &Facts, framework: &Subject, runtime: &str) -> Answer {
    let name = framework.framework_parts().map(|(name, _)| name).unwrap_or(&framework.id);
    let built_for = format!("{name} is built for CUDA {runtime}");
    let platform = platform(facts);
    let Some((cuda, floor)) = cuda_of(runtime).and_then(|c| Some((c, drivers::floor(c, platform)?))) else {
        return Answer::pass(framework, built_for);
    };
    // Libraries may lie on the disk of a machine without a GPU (CI hosts, images); they drive nothing there.
    let nothing_to_drive = given::platform(facts) == given::Platform::Bus && given::nvidia_on_bus(facts).is_empty();
    let (runs, driver) = match driver(facts).filter(|_| !nothing_to_drive) {
        None => {
            let what = if nothing_to_drive { "GPU to drive here" } else { "driver to compare with" };
            let text = format!("{built_for} and needs driver {} or newer; no {what}", floor.driver);
            return Answer::unmeasured(framework, text);
        }
        Some(Driver::Cuda(offers)) => {
            (drivers::runs_on_cuda(offers, cuda), format!("the driver offers CUDA {}.{}", offers.0, offers.1))
        }
        Some(Driver::Version(version)) => (version >= floor.driver, format!("the driver is {version}")),
    };
    match runs {
        true => Answer::pass(framework, format!("{built_for}; {driver}, which runs it")),
        false => Answer::fail(
            framework,
            Symptom::coded(Kind::RuntimeTooNew, runtime),
            format!("{built_for}, which needs driver {} or newer; {driver}", floor.driver),
        ),
    }
}

/// The CUDA of a build; JAX's plugin tells no more than the major version until it is loaded.
fn cuda_of(runtime: &str) -> Option<Cuda> {
    let major = || runtime.parse().ok().filter(|major: &u32| *major < 100);
    drivers::parse_cuda(runtime).or_else(|| Some((major()?, 0)))
}

/// Whose driver numbers count: in WSL the driver is Windows'.
fn platform(facts: &Facts) -> Platform {
    let windows = facts.value(&host::OS).is_some_and(|os| os == "windows") || facts.value(&host::WSL).is_some();
    if windows { Platform::Windows } else { Platform::Linux }
}

enum Driver {
    /// The driver's version.
    Version(DriverVersion),
    /// What libcuda says (right also with a forward-compatibility library, on Windows and on a Jetson).
    Cuda(Cuda),
}

/// A compat library lifts what the driver can run, so what a libcuda that started says comes first.
fn driver(facts: &Facts) -> Option<Driver> {
    let offers = facts.value(&cuda::DRIVER_VERSION).and_then(|v| u32::try_from(v).ok()).filter(|v| *v > 0);
    let offers = offers.map(|v| Driver::Cuda(drivers::cuda_of_code(v)));
    if facts.value(&cuda::INIT) == Some(0) && offers.is_some() {
        return offers;
    }
    let version = given::driver_version(facts).and_then(|v| DriverVersion::parse(&v));
    version.map(Driver::Version).or(offers)
}
