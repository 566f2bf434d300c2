//! What the three causes about missing architectures share: the build, the GPU, and on which side of the list it lies.

use crate::causes::{Case, Evidence, Finding, Level, advice, packages};
use crate::checks::given;
use crate::facts::{Fact, cuda, nvidia, python};
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
            explains.extend(packages::told_symptoms(case, &SAID));
            finding.explaining(explains)
        })
        .chain(beyond_span(case, why))
        .collect()
}

/// Messages that a missing architecture makes.
const SAID: [&str; 5] = [
    "no-kernel-image",
    "torch-new-gpu-not-compatible",
    "torch-old-gpu-not-compatible",
    "torch-list-ends-early",
    "torch-too-old-gpu",
];

/// The card and the span of the build, as torch 2.9 and 2.10 print them.
pub struct Span<'a> {
    /// Compute capability of the card.
    pub cc: (u32, u32),
    /// The lowest of the build.
    pub least: (u32, u32),
    /// The highest.
    pub most: (u32, u32),
    /// The line about the card.
    pub card: &'a Fact,
    /// The line about the build.
    pub build: &'a Fact,
}

/// What torch's warning says about the card and the build.
pub fn span<'a>(case: &Case<'a>) -> Option<Span<'a>> {
    let (found, card) = packages::told(case.facts, &["torch-found-gpu"])?;
    let (printed, build) = packages::told(case.facts, &["torch-span-of-build"])?;
    let [least, most] = capabilities(&printed.text)[..] else { return None };
    Some(Span { cc: capabilities(&found.text).pop()?, least, most, card, build })
}

/// The finding where the card lies outside the span that the warning prints, and the list itself is not shown.
fn beyond_span(case: &Case, why: Why) -> Option<Finding> {
    let span = span(case).filter(|_| !case.has(Kind::ArchitectureMissing))?;
    let fails = packages::told_symptoms(case, &SAID);
    // Code for newer chips never runs on older ones; a newer chip may be served by PTX, until a kernel fails.
    let level = match why {
        Why::TooOld if span.cc < span.least => Level::Decided,
        Why::TooNew if span.cc.0 > span.most.0 && !fails.is_empty() => Level::Supported,
        _ => return None,
    };
    let (card, least, most) = (advice::dotted(span.cc), advice::dotted(span.least), advice::dotted(span.most));
    let finding = Finding::machine(level)
        .because(Evidence::of(span.card, format!("the card has compute capability {card}")))
        .because(Evidence::of(span.build, format!("the build serves {least} to {most}")))
        .with("gpu", "the GPU")
        .with("capability", card)
        .with("architecture", format!("sm_{}{}", span.cc.0, span.cc.1))
        .with("built_for", format!("{least} to {most}"))
        .explaining(fails);
    Some(advice::with_build(finding, case.facts, Some(span.cc)))
}

/// The numbers of the form `8.9` in a line.
fn capabilities(text: &str) -> Vec<(u32, u32)> {
    text.split(|c: char| !(c.is_ascii_digit() || c == '.'))
        .filter_map(|word| {
            let (major, minor) = word.trim_matches('.').split_once('.')?;
            Some((major.parse().ok()?, minor.parse().ok()?))
        })
        .filter(|(major, _)| (2..20).contains(major))
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
    let of = framework.framework_parts().map_or("torch", |(name, _)| name);
    let finding = finding.tagged(match of {
        "torch" => "torch",
        "cupy" => "cupy",
        _ => "other",
    });
    Some(advice::with_build(finding, case.facts, Some(cc)))
}

/// The GPU with this compute capability.
fn gpu(case: &Case, cc: (u32, u32)) -> Option<Subject> {
    let gpus = case.facts.subjects(SubjectKind::Gpu);
    gpus.into_iter().find(|gpu| given::compute_capability(case.facts, gpu) == Some(cc))
}

#[cfg(test)]
mod tests {
    use super::capabilities;

    #[test]
    fn capabilities_are_read() {
        assert_eq!(capabilities("(8.0) - (12.0)"), [(8, 0), (12, 0)]);
        assert_eq!(capabilities("Found GPU0 NVIDIA GB10 which is of cuda capability 12.1."), [(12, 1)]);
    }
}
