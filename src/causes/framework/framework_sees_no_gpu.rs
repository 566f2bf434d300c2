//! A framework is not usable on the GPU, and no known cause explains it.

use crate::causes::{Case, Cause, Evidence, Finding, Level, Occurrence, advice, page};
use crate::facts::{Variant, cuda, python};
use crate::subject::Kind as SubjectKind;
use crate::symptom::Kind;
use crate::tables::frameworks;

/// The name of last resort for a framework.
pub static CAUSE: Cause = Cause { page: include_str!("framework-sees-no-gpu.md"), explains: &[OURS], assess };

const OURS: &[Kind] = &[
    Kind::FrameworkSeesNoGpu,
    Kind::FrameworkCpuBuild,
    Kind::FrameworkMissing,
    Kind::RuntimeTooNew,
    Kind::ArchitectureMissing,
    Kind::Tensor,
];

fn assess(case: &Case) -> Vec<Finding> {
    let mut done = Vec::new();
    let mut findings = Vec::new();
    // A program by itself is no framework, and has a name of its own.
    let ours = |o: &Occurrence| o.subject.kind != SubjectKind::File && o.symptom.kind != Kind::Tensor;
    for o in case.all_symptoms().filter(|o| OURS.contains(&o.symptom.kind) && ours(o)) {
        if !done.contains(&o.subject) {
            done.push(o.subject.clone());
            findings.push(about(case, &o));
        }
    }
    findings
}

fn about(case: &Case, symptom: &Occurrence) -> Finding {
    let framework = &symptom.subject;
    let name = framework.framework_parts().map(|(name, _)| name).unwrap_or(&framework.id);
    let what = match symptom.symptom.kind {
        Kind::FrameworkCpuBuild => format!("{name} is built without code for this machine's GPU"),
        Kind::FrameworkMissing => format!("{name} is not installed"),
        Kind::RuntimeTooNew => format!("{name} needs a newer driver"),
        Kind::ArchitectureMissing => format!("{name} has no code for this GPU"),
        _ => format!("{name} is a GPU build and says that there is no GPU"),
    };
    let available = case.facts.look(&python::AVAILABLE, framework);
    let init = case.facts.machine(&cuda::INIT);
    let mut finding = Finding::new(framework, Level::Generic).because_of(&available, what.clone()).with("what", what);
    if init.clone().seen() == Some(0) {
        finding = finding.because_of(&init, "cuInit succeeds, so the driver works").tagged("driver_works");
    }
    for (variant, tag) in [
        (Variant::WithoutMasks, "masks"),
        (Variant::WithoutLibraryPath, "library_path"),
        (Variant::WithoutUserSite, "user_site"),
    ] {
        let look = case.facts.look_in(&python::AVAILABLE, framework, Some(variant));
        if look.clone().seen() == Some(true) {
            finding.level = Level::Supported;
            finding = finding.because_of(&look, format!("{}, it sees the GPU", variant.describe())).tagged(tag);
        }
    }
    // A framework also warns of other things: torch of a missing NumPy.
    let telling = |text: &str| ["CUDA", "GPU", "HIP", "driver", "device"].iter().any(|word| text.contains(word));
    let mut said = case.facts.all(&python::MESSAGE).filter(|(_, fact)| fact.subject == *framework);
    if let Some((text, fact)) = said.find(|(text, _)| telling(text)) {
        let line = text.lines().next().unwrap_or_default();
        finding = finding.because(Evidence::of(fact, format!("{name} says: {line}")));
    }
    let words = words(name);
    let finding = advice::with_python(finding, case.facts).with("words", words.clone());
    let python = finding.values.get("python").cloned().unwrap_or_else(|| "python".to_string());
    let separates: &[&'static str] = match name {
        "torch" => &["framework-sees-no-gpu", "torch-cpu-only-wheel"],
        _ => &["framework-sees-no-gpu"],
    };
    let ask = format!("{} -c \"{words}\"", page::word(&python));
    finding.unknown(format!("what {name} itself says about the GPU"), ask, separates)
}

/// A line of Python in which a framework gives its own words on the GPU.
fn words(name: &str) -> String {
    let line = match name {
        "torch" => "import torch; torch.zeros(1, device='cuda')",
        "jax" => "import jax; print(jax.devices('cuda'))",
        "tensorflow" => "import tensorflow as tf; print(tf.config.list_physical_devices('GPU'))",
        "onnxruntime" => "import onnxruntime as o; print(o.__file__, o.get_device(), o.get_available_providers())",
        "cupy" => "import cupy; print(cupy.zeros(1) + 1)",
        "numba" => "from numba import cuda; cuda.detect()",
        other => return format!("import {}", frameworks::find(other).map_or(other, |known| known.module)),
    };
    line.to_string()
}
