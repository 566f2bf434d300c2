//! The GPU is AMD's, and the installed torch is a build for CUDA or for no GPU.

use crate::causes::{Case, Cause, Evidence, Finding, Level, advice, packages};
use crate::checks::given;
use crate::facts::{pci, python};
use crate::subject::Subject;
use crate::symptom::Kind;

/// Only a ROCm build drives an AMD GPU.
pub static CAUSE: Cause = Cause {
    page: include_str!("amd-gpu-with-cuda-torch.md"),
    explains: &[&[Kind::FrameworkCpuBuild, Kind::FrameworkSeesNoGpu, Kind::Tensor]],
    assess,
};

fn assess(case: &Case) -> Vec<Finding> {
    if given::other_maker(case.facts) != Some("AMD") {
        return said(case).into_iter().collect();
    }
    let Some(gpu) = given::of_vendor(case.facts, "0x1002").into_iter().next() else { return Vec::new() };
    let torch = |subject: &Subject| subject.framework_parts().is_some_and(|(name, _)| name == "torch");
    let mut frameworks: Vec<Subject> = Vec::new();
    for o in case.symptoms(Kind::FrameworkCpuBuild).chain(case.symptoms(Kind::FrameworkSeesNoGpu)) {
        if torch(&o.subject) && !frameworks.contains(&o.subject) {
            frameworks.push(o.subject);
        }
    }
    frameworks.iter().filter_map(|framework| about(case, framework, &gpu)).collect()
}

fn about(case: &Case, framework: &Subject, gpu: &Subject) -> Option<Finding> {
    let build = case.facts.look(&python::BUILD, framework);
    let seen = build.clone().seen();
    if seen.as_ref().is_some_and(|b| b.hip.is_some()) {
        return None;
    }
    let level = if seen.is_some() { Level::Decided } else { Level::Supported };
    let made_for = match seen.as_ref().and_then(|b| b.cuda.as_ref()) {
        Some(cuda) => format!("CUDA {cuda}"),
        None => "no GPU".to_string(),
    };
    let name = given::name(case.facts, gpu);
    let finding = Finding::new(framework, level)
        .because_of(
            &case.facts.look(&pci::VENDOR, gpu),
            format!("{name} at {} is by AMD, and no NVIDIA GPU is on the bus", gpu.id),
        )
        .because_of(&build, format!("torch is built for {made_for}"))
        .with("amd_gpu", name)
        .with("made_for", made_for)
        .with("prefix", advice::prefix(framework).unwrap_or_default());
    Some(advice::with_python(finding, case.facts))
}

/// A text that names an AMD card, none of NVIDIA's, and a torch that looks for NVIDIA's driver.
fn said(case: &Case) -> Option<Finding> {
    let (card, fact) = packages::told(case.facts, &["amd-card"])?;
    let for_amd = case.facts.all(&python::BUILD).any(|(build, _)| build.hip.is_some());
    let torch = packages::told_symptoms(case, &["no-driver-found", "torch-not-compiled-with-cuda"]);
    let nvidia = packages::told(case.facts, &["nvidia-card"]).is_some() || !given::all_gpus(case.facts).is_empty();
    (!for_amd && !nvidia && !torch.is_empty()).then(|| {
        Finding::machine(Level::Supported)
            .because(Evidence::of(fact, card.text))
            .with("amd_gpu", "the AMD GPU")
            .with("made_for", "CUDA or for no GPU")
            .with("prefix", "your environment")
            .with("framework", "torch")
            .with("python", "python")
            // Nothing else is known of the system: the steps for Linux with pip are those that most need.
            .tagged("pip")
            .tagged("linux")
            .explaining(torch)
    })
}
