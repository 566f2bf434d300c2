//! What the three causes about missing architectures share: the build, the GPU, and on which side of the list it lies.

use crate::causes::{Case, Finding, Level, advice};
use crate::checks::given;
use crate::facts::{cuda, nvidia, python};
use crate::subject::{Kind as SubjectKind, Subject};
use crate::symptom::Kind;
use crate::tables::archs::{self, Served, Why};
use crate::tables::drivers;

/// The findings for every framework and GPU whose architecture is missing for this reason.
pub fn assess(case: &Case, why: Why) -> Vec<Finding> {
    case.symptoms(Kind::ArchitectureMissing)
        .filter_map(|o| about(case, &o.subject, o.symptom.code(), why).map(|f| (o, f)))
        .map(|(o, finding)| {
            let mut explains = vec![o.clone()];
            // A GPU without code in the build fails at the first kernel (209); the build's other faults are not of this.
            explains.extend(case.symptoms(Kind::Tensor).filter(|t| t.subject == o.subject));
            if finding.tags.contains(&"same_libtorch") {
                explains.extend(case.symptoms(Kind::LibtorchTensor));
            }
            finding.explaining(explains)
        })
        .collect()
}

fn about(case: &Case, framework: &Subject, code: &str, wanted: Why) -> Option<Finding> {
    let cc = advice::of_code(code)?;
    let look = case.facts.look(&python::ARCHITECTURES, framework);
    let (list, own) = given::architectures(case.facts, framework).unzip();
    let gpu = gpu(case, cc);
    let build: Option<python::Build> = case.facts.look(&python::BUILD, framework).seen();
    let built_with = build.and_then(|b| b.cuda);
    let integrated = given::platform(case.facts) == given::Platform::Jetson;
    let why = match &list {
        Some(list) => {
            let served = archs::serves(list, cc, integrated, built_with.as_deref().and_then(drivers::parse_cuda));
            match served {
                Served::No(Why::Empty) => Why::Missing,
                Served::No(why) => why,
                _ => return None,
            }
        }
        // Without the list nobody can say on which side the GPU lies.
        None => Why::Missing,
    };
    if why != wanted {
        return None;
    }
    let known = own == Some(true) && gpu.is_some();
    let mut finding = Finding::new(framework, if known { Level::Decided } else { Level::Supported });
    let name = gpu.as_ref().map(|g| given::name(case.facts, g)).unwrap_or_else(|| "the GPU".to_string());
    if let Some(gpu) = &gpu {
        let text = format!("{name} has compute capability {}", advice::dotted(cc));
        let nvml = case.facts.look(&nvidia::NVML_CC, gpu);
        let device = case.facts.look(&cuda::DEVICE, gpu);
        finding = match (nvml.fact(), device.fact()) {
            (Some(_), _) => finding.because_of(&nvml, text),
            (None, Some(_)) => finding.because_of(&device, text),
            (None, None) => finding.because_of(&case.facts.look(&nvidia::NVML_NAME, gpu), text),
        };
    }
    let built_for = list.map(|l| l.join(" ")).filter(|l| !l.is_empty());
    if let Some(list) = &built_for {
        finding = match own {
            Some(false) => {
                let release = case.facts.look(&python::DISTRIBUTION, framework);
                finding.because_of(&release, format!("this release has code for {list}"))
            }
            _ => finding.because_of(&look, format!("the build has code for {list}")),
        };
    }
    let failed = case.facts.all(&python::TENSOR).find(|(t, fact)| !t.ok && fact.subject == *framework);
    if let Some((tensor, fact)) = failed {
        let said = tensor.message.as_deref().and_then(|m| m.lines().next()).unwrap_or("no message");
        finding = finding.because(crate::checks::Evidence::of(fact, format!("a tensor fails: {said}")));
    }
    let helper: Option<python::Libtorch> = case.facts.value(&python::LIBTORCH);
    if helper.is_some_and(|h| advice::prefix(framework).is_some_and(|prefix| h.folder.starts_with(prefix))) {
        finding = finding.tagged("same_libtorch");
    }
    finding = finding
        .with("gpu", name)
        .with("capability", advice::dotted(cc))
        .with("architecture", code)
        .with("built_for", built_for.unwrap_or_else(|| "other architectures".to_string()));
    Some(advice::with_build(finding, case.facts, Some(cc)))
}

/// The GPU with this compute capability.
fn gpu(case: &Case, cc: (u32, u32)) -> Option<Subject> {
    let gpus = case.facts.subjects(SubjectKind::Gpu);
    gpus.into_iter().find(|gpu| given::compute_capability(case.facts, gpu) == Some(cc))
}
