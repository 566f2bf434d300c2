//! For each Python and framework: installed, built for the GPU, sees the GPU?

use super::given::{self, Platform};
use super::{Answer, Check, Status, brief};
use crate::facts::{Fact, Facts, Look, asked, cuda, nvidia, python};
use crate::subject::{Kind as SubjectKind, Subject};
use crate::symptom::{Kind, Symptom};
use crate::tables::frameworks::{self, Role};
use crate::tables::{archs, drivers};

/// The check.
pub static CHECK: Check = Check { id: "framework", title: "Framework", needs: &[], judge };

fn judge(facts: &Facts) -> Vec<Answer> {
    let mut answers = Vec::new();
    if let Look::Seen(places, _) = facts.machine(&python::NONE_FOUND) {
        let text = format!("no Python found (looked at {})", places.join(", "));
        let machine = Subject::machine();
        // A machine without Python is no fault, unless a framework was asked for.
        answers.push(match facts.machine(&asked::FRAMEWORK).fact() {
            Some(_) => Answer::fail(&machine, Symptom::new(Kind::NoPython), text),
            None => Answer::new(&machine, Status::NotApplicable, text),
        });
    }
    for environment in facts.subjects_with(&python::BROKEN) {
        if let Look::Seen(why, _) = facts.look(&python::BROKEN, &environment) {
            let text = format!("{} cannot be asked: {why}", environment.id);
            answers.push(Answer::fail(&environment, Symptom::new(Kind::PythonBroken), text));
        }
    }
    for environment in facts.subjects_with(&python::INTERPRETER) {
        if let Look::Failed(why, _) = facts.look(&python::INTERPRETER, &environment) {
            answers.push(Answer::unknown(&environment, format!("{} was not started: {why}", environment.id)));
        }
    }
    for framework in facts.subjects(SubjectKind::Framework) {
        answers.extend(state(facts, &framework));
    }
    if answers.is_empty() {
        answers.push(Answer::unmeasured(&Subject::machine(), "no Python was asked"));
    }
    answers
}

fn state(facts: &Facts, framework: &Subject) -> Vec<Answer> {
    let (name, prefix) = framework.framework_parts().unwrap_or(("framework", &framework.id));
    let distribution = facts.look(&python::DISTRIBUTION, framework);
    let what = match &distribution {
        Look::Seen(d, _) if !d.version.is_empty() => format!("{name} {}", d.version),
        _ => name.to_string(),
    };
    let import = facts.look(&python::IMPORT, framework);
    if distribution.is_absent() && !matches!(&import, Look::Seen(i, _) if i.ok) {
        let symptom = Symptom::new(Kind::FrameworkMissing);
        let text = format!("{name} is not installed in {prefix}");
        return match is_asked_for(facts, name) {
            // That many environments lack it is as it should be.
            _ if given::out_of_use(facts, framework) => Vec::new(),
            true => vec![Answer::fail(framework, symptom, text)],
            // Where another one is installed, nobody misses this one.
            false if has_another(facts, framework) => Vec::new(),
            // Nobody asked for it: its absence is a note.
            false => vec![Answer::new(framework, Status::NotApplicable, text).with(symptom)],
        };
    }
    let role = frameworks::find(name).map_or(Role::Computes, |known| known.role);
    if role == Role::Helper {
        return vec![helper(facts, framework, &what)];
    }
    let mut answers = Vec::new();
    let build = facts.look(&python::BUILD, framework).seen();
    let only_nvidia = !given::nvidia_on_bus(facts).is_empty() && given::of_vendor(facts, "0x1002").is_empty();
    let for_gpu = build.as_ref().map(|b| b.cuda.is_some() || b.hip.is_some() || b.xpu.is_some());
    // Apple's GPU and DirectX have no version in the build: what computes there is no build for the processor.
    if for_gpu == Some(false) && !given::computes_elsewhere(facts, framework) {
        let text = format!("{what} in {prefix} is built without CUDA, ROCm or XPU");
        answers.push(Answer::fail(framework, Symptom::new(Kind::FrameworkCpuBuild), text));
    } else if given::maker_in_use(facts) == Some("AMD") && build.as_ref().is_some_and(|b| b.hip.is_none()) {
        let text = format!("{what} in {prefix} is built for CUDA, and the GPU is by AMD");
        answers.push(Answer::fail(framework, Symptom::new(Kind::FrameworkCpuBuild), text));
    } else if build.as_ref().is_some_and(|b| b.cuda.is_none() && b.hip.is_some()) && only_nvidia {
        let text = format!("{what} in {prefix} is built for ROCm, and the GPU is by NVIDIA");
        answers.push(Answer::fail(framework, Symptom::new(Kind::FrameworkCpuBuild), text));
    }
    if let Look::Seen(import, _) = &import
        && !import.ok
    {
        let error = import.error.as_deref().unwrap_or("an error");
        let text = format!("importing {what} in {prefix} fails: {}", brief(&import.said()));
        answers.push(Answer::fail(framework, Symptom::coded(Kind::FrameworkImport, error), text));
        return answers;
    }
    // A text may show the list and not the build.
    let cuda = build.as_ref().map_or(Some(""), |b| b.cuda.as_deref());
    if let Some(cuda) = cuda {
        answers.extend(missing_architectures(facts, framework, what.trim_end(), cuda));
    }
    if build.as_ref().is_some_and(|b| b.hip.is_some()) {
        answers.extend(super::makers::missing_chips(facts, framework, what.trim_end()));
    }
    // A build without any GPU code says "no GPU" for that reason, and it was said above.
    let cpu_build = answers.iter().any(|a| a.symptoms.iter().any(|s| s.kind == Kind::FrameworkCpuBuild));
    let none = facts.look(&python::DEVICE_COUNT, framework).seen() == Some(0);
    match facts.look(&python::AVAILABLE, framework) {
        _ if cpu_build => {}
        Look::Absent(_) | Look::NotAsked | Look::Seen(true, _) if none => {
            let text = format!("{what} in {prefix} counts no GPU");
            answers.push(Answer::fail(framework, Symptom::new(Kind::FrameworkSeesNoGpu), text));
        }
        Look::Seen(true, _) => {
            let text = match facts.look(&python::DEVICE_COUNT, framework).seen() {
                Some(1) => format!("{what} in {prefix} sees 1 GPU"),
                Some(count) => format!("{what} in {prefix} sees {count} GPUs"),
                None => format!("{what} in {prefix} can use the GPU"),
            };
            answers.push(Answer::pass(framework, text));
        }
        Look::Seen(false, _) if is_for_the_processor(facts, framework) => {
            let text = format!("{what} in {prefix} is there for the processor: numba-cuda is not installed");
            answers.push(Answer::new(framework, Status::NotApplicable, text));
        }
        Look::Seen(false, _) => {
            let text = match name {
                "onnxruntime" => format!("a session of {what} in {prefix} falls back to the CPU"),
                _ => format!("{what} in {prefix} sees no GPU"),
            };
            answers.push(Answer::fail(framework, Symptom::new(Kind::FrameworkSeesNoGpu), text));
        }
        Look::Failed(why, _) => answers.push(Answer::unknown(framework, format!("{name} in {prefix}: {why}"))),
        Look::Absent(_) | Look::NotAsked => {
            answers.push(Answer::unmeasured(framework, format!("{what} in {prefix} was not asked")));
        }
    }
    answers
}

/// What helps another framework: it has to be importable, and to have its GPU code where torch sees a GPU.
fn helper(facts: &Facts, framework: &Subject, what: &str) -> Answer {
    let (name, prefix) = framework.framework_parts().unwrap_or(("", &framework.id));
    let torch = Subject::framework("torch", prefix);
    let torch_fails = matches!(facts.look(&python::IMPORT, &torch), Look::Seen(import, _) if !import.ok);
    let torch_sees = facts.look(&python::AVAILABLE, &torch).seen() == Some(true);
    match (facts.look(&python::IMPORT, framework), facts.look(&python::AVAILABLE, framework).seen()) {
        (Look::Seen(import, _), _) if !import.ok && torch_fails => {
            Answer::unmeasured(framework, format!("{what} in {prefix} needs torch, which cannot be imported"))
        }
        (Look::Seen(import, _), _) if !import.ok => {
            let error = import.error.as_deref().unwrap_or("an error");
            let text = format!("importing {what} in {prefix} fails: {}", brief(&import.said()));
            Answer::fail(framework, Symptom::coded(Kind::FrameworkImport, error), text)
        }
        (Look::Seen(..), Some(false)) if torch_sees => {
            let text = format!("{what} in {prefix} has no GPU code that works here, and torch sees the GPU");
            Answer::fail(framework, Symptom::new(Kind::FrameworkSeesNoGpu), text)
        }
        (Look::Seen(..), _) if name == "triton" && torch_sees => triton(facts, framework, what),
        (Look::Seen(..), Some(true)) => Answer::pass(framework, format!("{what} in {prefix} has its GPU code")),
        (Look::Seen(..), _) => Answer::pass(framework, format!("{what} in {prefix} can be imported")),
        (Look::Failed(why, _), _) => Answer::unknown(framework, format!("{name} in {prefix}: {why}")),
        (Look::Absent(_) | Look::NotAsked, _) => {
            Answer::unmeasured(framework, format!("{what} in {prefix} was not asked"))
        }
    }
}

/// Triton's back end is active where torch sees a GPU of its maker: the same question as its own `is_active()`.
fn triton(facts: &Facts, framework: &Subject, what: &str) -> Answer {
    let (_, prefix) = framework.framework_parts().unwrap_or(("", &framework.id));
    let build = facts.look(&python::BUILD, &Subject::framework("torch", prefix)).seen().unwrap_or_default();
    let active = match build {
        python::Build { cuda: Some(_), .. } => "nvidia",
        python::Build { hip: Some(_), .. } => "amd",
        python::Build { xpu: Some(_), .. } => "intel",
        _ => return Answer::pass(framework, format!("{what} in {prefix} can be imported")),
    };
    match facts.look(&python::BACKENDS, framework).seen() {
        Some(list) if list.iter().any(|name| name == active) => Answer::pass(
            framework,
            format!("{what} in {prefix}: its back end {active} is active, as torch sees the GPU"),
        ),
        Some(list) => {
            let text = format!("{what} in {prefix} has no back end {active} (it has {})", list.join(", "));
            Answer::fail(framework, Symptom::new(Kind::FrameworkSeesNoGpu), text)
        }
        // Releases before 3.0 have one back end, and do not list it.
        None => Answer::pass(framework, format!("{what} in {prefix} can be imported")),
    }
}

fn is_asked_for(facts: &Facts, name: &str) -> bool {
    facts.value(&asked::FRAMEWORK).as_deref() == Some(name)
}

/// Whether the same environment has another framework that computes on a GPU.
fn has_another(facts: &Facts, framework: &Subject) -> bool {
    let Some((own, prefix)) = framework.framework_parts() else { return false };
    let computes = |name: &str| frameworks::find(name).is_some_and(|known| known.role != Role::Helper);
    facts.subjects(SubjectKind::Framework).iter().filter_map(Subject::framework_parts).any(|(name, other)| {
        let it = Subject::framework(name, prefix);
        let is_there = facts.look(&python::DISTRIBUTION, &it).seen().is_some()
            || facts.look(&python::IMPORT, &it).fact().is_some();
        other == prefix && name != own && computes(name) && is_there
    })
}

/// Numba compiles for the processor first of all; who wants it on the GPU installs numba-cuda.
pub(super) fn is_for_the_processor(facts: &Facts, framework: &Subject) -> bool {
    let Some(("numba", prefix)) = framework.framework_parts() else { return false };
    let environment = Subject::environment(prefix);
    let wants_gpu = facts.all(&python::PACKAGE).any(|(p, fact)| fact.subject == environment && p.name == "numba-cuda");
    !wants_gpu && !is_asked_for(facts, "numba")
}

/// Whether a tensor of this framework came back right from this GPU, by CUDA's number.
fn computed(facts: &Facts, framework: &Subject, gpu: &Subject) -> bool {
    let Some(device) = facts.look(&cuda::DEVICE, gpu).seen() else { return false };
    let own = |(_, fact): &(python::Tensor, &Fact)| fact.subject == *framework;
    let on_it = |(tensor, _): &(python::Tensor, &Fact)| tensor.device.is_none() && tensor.index == device.index;
    let mut tensors = facts.all(&python::TENSOR).filter(own).filter(on_it).peekable();
    tensors.peek().is_some() && tensors.all(|(tensor, _)| tensor.ok)
}

/// GPUs for whose architecture the build has no code. Trusts the build's own list over any table.
fn missing_architectures(facts: &Facts, framework: &Subject, what: &str, cuda: &str) -> Vec<Answer> {
    let Some((list, _)) = given::architectures(facts, framework) else { return Vec::new() };
    let jetson = given::platform(facts) == Platform::Jetson;
    // A framework sees what CUDA lists: a GPU that a mask hides need not be served. A text may know no more than the name.
    let mut gpus = facts.subjects_with(&cuda::DEVICE);
    if gpus.is_empty() {
        gpus = facts.subjects_with(&nvidia::NVML_CC);
        gpus.extend(
            facts.subjects_with(&nvidia::NVML_NAME).into_iter().filter(|g| !gpus.contains(g)).collect::<Vec<_>>(),
        );
    }
    let mut answers: Vec<Answer> = Vec::new();
    if let Some((cc, _)) = given::named_card(facts).filter(|_| gpus.is_empty())
        && !archs::serves(&list, cc, jetson, drivers::parse_cuda(cuda)).is_served()
    {
        let text = format!("{what} has no code for sm_{}{}; it has {}", cc.0, cc.1, list.join(" "));
        let symptom = Symptom::coded(Kind::ArchitectureMissing, format!("sm_{}{}", cc.0, cc.1));
        answers.push(Answer::fail(framework, symptom, text));
    }
    for gpu in gpus {
        // What computed needs no list: another part of the build may have the code.
        if computed(facts, framework, &gpu) {
            continue;
        }
        let Some(cc) = given::compute_capability(facts, &gpu) else { continue };
        let integrated = facts.look(&cuda::DEVICE, &gpu).seen().is_some_and(|d| d.integrated && jetson);
        if !archs::serves(&list, cc, integrated, drivers::parse_cuda(cuda)).is_served() {
            let text = format!(
                "{what} has no code for {} (sm_{}{}); it has {}",
                given::name(facts, &gpu),
                cc.0,
                cc.1,
                list.join(" ")
            );
            let symptom = Symptom::coded(Kind::ArchitectureMissing, format!("sm_{}{}", cc.0, cc.1));
            if !answers.iter().any(|a| a.summary == text) {
                answers.push(Answer::fail(framework, symptom, text));
            }
        }
    }
    answers
}
