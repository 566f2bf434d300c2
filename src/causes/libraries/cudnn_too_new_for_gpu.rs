//! A cuDNN later than 9.10.2, which has no code for cards below compute capability 7.5.

use crate::causes::{Case, Cause, Evidence, Finding, Level, advice, packages};
use crate::checks::given;
use crate::facts::python;
use crate::report::Severity;
use crate::subject::{Kind as SubjectKind, Subject};
use crate::symptom::Kind;

/// Plain tensors work, so that it is a warning until something fails.
pub static CAUSE: Cause =
    Cause { page: include_str!("cudnn-too-new-for-gpu.md"), explains: &[&[Kind::Tensor]], assess };

/// The last version with code for Maxwell, Pascal and Volta (NVIDIA's cuDNN support matrix).
const LAST: [u32; 3] = [9, 10, 2];

fn assess(case: &Case) -> Vec<Finding> {
    // Where the framework itself has no code for the card, that comes first.
    if case.has(Kind::ArchitectureMissing) {
        return Vec::new();
    }
    let old = given::all_gpus(case.facts).into_iter().find_map(|gpu| {
        let cc = advice::capability(case.facts, &gpu)?;
        ((5, 0)..(7, 5)).contains(&cc).then_some((gpu, cc))
    });
    let Some((gpu, cc)) = old else { return Vec::new() };
    packages::matching(case.facts, |p| p.name.starts_with("nvidia-cudnn-cu"))
        .into_iter()
        .filter(|(package, _)| {
            packages::numbers(&package.version).into_iter().take(3).collect::<Vec<_>>() > LAST.to_vec()
        })
        .map(|(package, fact)| {
            let torch = match fact.subject.kind {
                SubjectKind::Environment => Subject::framework("torch", &fact.subject.id),
                _ => fact.subject.clone(),
            };
            let names_cudnn =
                |t: &python::Tensor| t.message.as_deref().is_some_and(|m| m.to_lowercase().contains("cudnn"));
            let tensor = case.facts.all(&python::TENSOR).find(|(t, f)| f.subject == torch && !t.ok && names_cudnn(t));
            let said = packages::told_symptoms(case, &["cudnn-arch-mismatch", "cudnn-execution-failed"]);
            let name = given::name(case.facts, &gpu);
            let finding = Finding::new(&torch, Level::Decided);
            let mut finding = advice::with_python(finding, case.facts)
                .because(Evidence::of(fact, format!("installed: {} {}", package.name, package.version)));
            if let Some(other) = case.facts.iter().find(|f| f.subject == gpu) {
                let text = format!("{name} has compute capability {}", advice::dotted(cc));
                finding = finding.because(Evidence::of(other, text));
            }
            match tensor {
                Some((t, fact)) => {
                    let text = format!("a tensor fails: {}", t.message.unwrap_or_default());
                    finding.because(Evidence::of(fact, text))
                }
                None if !said.is_empty() => finding.explaining(said),
                None => finding.severity(Severity::Warning).explaining(Vec::new()),
            }
        })
        .collect()
}
