//! ONNX Runtime's CUDA provider wants one CUDA major version, and the machine has another.

use crate::causes::frameworks::{self, TROUBLE};
use crate::causes::{Case, Cause, Evidence, Finding, Level, advice, packages};
use crate::facts::python::Package;
use crate::facts::{Fact, said};
use crate::subject::Subject;
use crate::symptom::Kind;

/// The missing file carries one number, and what is there another.
pub static CAUSE: Cause = Cause { page: include_str!("onnxruntime-cuda-major-mismatch.md"), explains: &[], assess };

/// The message that names the missing file.
const MISSING: [&str; 1] = ["ort-wants-library"];
/// Messages that name a CUDA or a cuDNN that is there.
const PRESENT: [&str; 4] = ["cuda-library-file", "nvcc-release", "cuda-named", "cudnn-named"];

fn assess(case: &Case) -> Vec<Finding> {
    let troubled = frameworks::troubled(case, "onnxruntime", &[Kind::FrameworkSeesNoGpu, Kind::Tensor]);
    let mut findings: Vec<Finding> = troubled.iter().filter_map(|framework| about(case, framework)).collect();
    findings.extend(told(case));
    findings
}

/// Whether it explains that a framework misses a library.
pub fn applies(case: &Case, framework: &Subject) -> bool {
    about(case, framework).is_some()
}

/// The loader misses a library of one major version, and the environment's wheels are of another.
fn about(case: &Case, framework: &Subject) -> Option<Finding> {
    let place = frameworks::environment(framework);
    let missing = frameworks::missing(case, framework);
    let (wanted, library, fact) =
        missing.iter().find_map(|(library, fact)| Some((cuda(&library.name)?, library, *fact)))?;
    let cublas = packages::matching(case.facts, |p| p.name.starts_with("nvidia-cublas"));
    let here: Vec<_> = cublas.iter().filter(|(_, fact)| fact.subject == place).collect();
    let major = |package: &Package| match package.name.rsplit_once("-cu") {
        Some((_, digits)) if digits.bytes().all(|b| b.is_ascii_digit()) => digits.parse().ok(),
        _ => packages::numbers(&package.version).first().copied(),
    };
    if here.iter().any(|(package, _)| major(package) == Some(wanted)) {
        return None;
    }
    let (package, other) = here.first()?;
    let finding = Finding::new(framework, Level::Decided)
        .because(Evidence::of(fact, format!("{} is wanted, a library of CUDA {wanted}", library.name)))
        .because(Evidence::of(other, format!("installed: {} {}", package.name, package.version)))
        .explaining(frameworks::symptoms_of(case, framework, &TROUBLE));
    Some(frameworks::weighed(case, advice::with_build(finding, case.facts, None)))
}

fn told(case: &Case) -> Vec<Finding> {
    let symptoms = packages::told_symptoms(case, &["ort-provider-library-fails", "ort-failed-to-create-provider"]);
    let Some((missing, fact)) = packages::told(case.facts, &MISSING) else { return Vec::new() };
    for (name, read) in [("CUDA", cuda as fn(&str) -> Option<u32>), ("cuDNN", cudnn)] {
        let Some(wanted) = read(&missing.text) else { continue };
        // What ONNX Runtime says that it requires is not there for that, and the driver's number is no toolkit.
        let there = |text: &str| {
            !["require", "driver version", "providers_cuda"].iter().any(|w| text.to_lowercase().contains(w))
        };
        let mut present =
            case.facts.all(&said::MESSAGE).filter(|(s, _)| PRESENT.contains(&s.id.as_str()) && there(&s.text));
        let versions: Vec<(u32, &Fact)> =
            present.by_ref().filter_map(|(s, f)| Some((read(&without_missing(&s.text))?, f))).collect();
        if let Some((found, other)) = versions.first().filter(|_| versions.iter().all(|(v, _)| *v != wanted)) {
            let finding = Finding::machine(Level::Supported)
                .because(Evidence::of(fact, format!("a library of {name} {wanted} is wanted")))
                .because(Evidence::of(other, format!("{name} {found} is there")))
                .explaining(symptoms);
            return vec![advice::with_package(finding, case.facts, "onnxruntime")];
        }
    }
    Vec::new()
}

/// The line without the library that it says is missing: the rest of it may name what is there.
fn without_missing(text: &str) -> String {
    const MISSING: [&str; 4] = ["missing", "not found", "cannot open", "no such file"];
    let lower = text.to_lowercase();
    if !MISSING.iter().any(|word| lower.contains(word)) {
        return lower;
    }
    lower
        .split_whitespace()
        .filter(|word| !word.contains(".so.") && !word.contains(".dll"))
        .collect::<Vec<_>>()
        .join(" ")
}

/// The major version of CUDA that a line names.
fn cuda(text: &str) -> Option<u32> {
    let marks = [
        "libcublaslt.so.",
        "libcublas.so.",
        "libcudart.so.",
        "release ",
        "/cuda-",
        "cublaslt64_",
        "cublas64_",
        "cuda ",
        "cuda: ",
        "cuda version: ",
        "cuda toolkit ",
    ];
    behind(text, &marks, 9..30)
}

/// The major version of cuDNN that a line names.
fn cudnn(text: &str) -> Option<u32> {
    behind(text, &["libcudnn.so.", "cudnn64_", "cudnn ", "cudnn: ", "cudnn version: ", "cudnn v", "cudnn"], 6..10)
}

fn behind(text: &str, marks: &[&str], range: std::ops::Range<u32>) -> Option<u32> {
    let text = text.to_lowercase();
    marks.iter().find_map(|mark| {
        let rest = &text[text.find(mark)? + mark.len()..];
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok().filter(|n| range.contains(n))
    })
}

#[cfg(test)]
mod tests {
    use super::{cuda, cudnn};

    #[test]
    fn the_major_version_is_read_from_file_names() {
        assert_eq!(cuda("libcublasLt.so.12: cannot open shared object file"), Some(12));
        assert_eq!(cuda("/usr/local/cuda-13.1/targets/x86_64-linux/lib/libcublasLt.so"), Some(13));
        assert_eq!(cuda("Cuda compilation tools, release 11.8, V11.8.89"), Some(11));
        assert_eq!(cuda("libcudnn.so.9: cannot open"), None);
        let line = "libcublasLt.so.11 is missing, and the machine has CUDA 12";
        assert_eq!((cuda(line), cuda(&super::without_missing(line))), (Some(11), Some(12)));
        assert_eq!(cudnn("libcudnn.so.9: cannot open"), Some(9));
        assert_eq!(cudnn("onnxruntime-gpu 1.19.0, cuDNN 8.9.7, CUDA 12.2"), Some(8));
    }
}
