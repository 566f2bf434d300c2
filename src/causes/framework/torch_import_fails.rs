//! The import of a framework fails; where the text names missing NVIDIA libraries, that is said.

use crate::causes::libraries::of_major;
use crate::causes::{Case, Cause, Finding, Level, Occurrence, advice, frameworks};
use crate::facts::python;
use crate::subject::Subject;
use crate::symptom::Kind;

/// The name of last resort for an import, with the exception's own words.
pub static CAUSE: Cause = Cause {
    page: include_str!("torch-import-fails.md"),
    explains: &[&[Kind::FrameworkImport, Kind::FrameworkSeesNoGpu, Kind::Tensor]],
    assess,
};

fn assess(case: &Case) -> Vec<Finding> {
    let torch = |o: &Occurrence| o.subject.framework_parts().is_none_or(|(name, _)| name == "torch");
    case.symptoms(Kind::FrameworkImport).filter(torch).map(|o| about(case, &o.subject, o.symptom.code())).collect()
}

fn about(case: &Case, framework: &Subject, code: &str) -> Finding {
    let look = case.facts.look(&python::IMPORT, framework);
    let import = look.clone().seen();
    let message = import.as_ref().and_then(|i| i.message.clone()).unwrap_or_default();
    let last = message.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default().trim().to_string();
    let error = import.as_ref().and_then(|i| i.error.clone()).unwrap_or_else(|| code.to_string());
    // torch lists every folder that it searched; the evidence has them all.
    let brief = last.split(" [").next().unwrap_or_default().to_string();
    let said = import.as_ref().map(python::Import::said).unwrap_or_else(|| error.clone());
    let library = missing_library(&error, &message);

    // The exception names the file that is not there: nothing is left to guess.
    let level = if library.is_some() { Level::Decided } else { Level::Generic };
    let mut finding = Finding::new(framework, level).because_of(&look, format!("the import fails: {said}"));
    finding = match &library {
        Some(name) => finding
            .with(
                "what",
                format!("{error}: {brief}. The NVIDIA library {name}, which is part of a CUDA build, is not there"),
            )
            .tagged("libraries"),
        None => finding.with("what", said),
    };
    let shadow = case.facts.look(&python::SHADOWED_BY, &Subject::environment(advice::prefix(framework).unwrap_or("")));
    let on_path = shadow.fact().is_some_and(|fact| fact.source == "PYTHONPATH");
    let place = if on_path { "a folder of PYTHONPATH" } else { "the current folder" };
    if let Some(file) = shadow.clone().seen() {
        finding = finding
            .because_of(&shadow, format!("{file} in {place} hides the package"))
            .with("shadow", file)
            .tagged("shadowed");
    }
    let distribution = case.facts.look(&python::DISTRIBUTION, framework).seen();
    if let Some(d) = distribution {
        finding = finding.with("version", d.version.split('+').next().unwrap_or_default());
        // Debian's folder for its own packages.
        if d.location.ends_with("/dist-packages") && d.installer.as_deref() != Some("pip") {
            finding = finding.tagged("distribution");
        }
    }
    if library.is_none() {
        finding =
            finding.unknown("the full traceback of the import", "python -c 'import torch'", &["torch-import-fails"]);
    }
    advice::with_build(frameworks::with_origin(case, framework, finding), case.facts, None)
}

/// The NVIDIA library that is not there: torch's own search says `ValueError: libcublasLt.so.*[0-9] not found in the system
/// path` (measured with torch 2.13.0 without its nvidia wheels), the loader `libcudart.so.12: cannot open shared object file`.
fn missing_library(error: &str, message: &str) -> Option<String> {
    let says_missing = message.contains("not found in the system path")
        || message.contains("cannot open shared object file: No such file");
    if !says_missing || !matches!(error, "ValueError" | "OSError" | "ImportError") {
        return None;
    }
    let word = message
        .split(|c: char| c.is_whitespace() || matches!(c, ':' | '\'' | '"' | '(' | ')'))
        .find(|word| of_major::is_cuda(word))?;
    Some(word.split(".so").next().unwrap_or(word).to_string())
}

#[cfg(test)]
mod tests {
    use super::missing_library;

    #[test]
    fn the_text_names_the_library() {
        let torch = "libcublasLt.so.*[0-9] not found in the system path ['/home/u', '/usr/lib/python3.11']";
        assert_eq!(missing_library("ValueError", torch).as_deref(), Some("libcublasLt"));
        let loader = "libcudart.so.12: cannot open shared object file: No such file or directory";
        assert_eq!(missing_library("OSError", loader).as_deref(), Some("libcudart"));
        assert_eq!(missing_library("ImportError", "cannot import name 'x' from 'torch'"), None);
        let other = "libGL.so.1: cannot open shared object file: No such file or directory";
        assert_eq!(missing_library("ImportError", other), None);
    }
}
