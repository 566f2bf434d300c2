//! A package with C++ or CUDA code of its own that was compiled against another torch than the one beside it.

use crate::causes::frameworks::{self, TROUBLE};
use crate::causes::{Case, Cause, Evidence, Finding, Level, advice};
use crate::facts::{Fact, python};
use crate::subject::{Kind as SubjectKind, Subject};

/// The loader misses a function of torch's, or the package says which torch it was built for.
pub static CAUSE: Cause = Cause { page: include_str!("extension-built-for-another-torch.md"), explains: &[], assess };

/// The packages of which such code is a part.
const WITH_CODE: [&str; 4] = ["flash-attn", "xformers", "vllm", "bitsandbytes"];

/// How the names of torch's own C++ functions begin, as compilers write them: c10, at, torch.
const OF_TORCH: [&str; 6] = ["_ZN3c10", "_ZNK3c10", "_ZN2at", "_ZNK2at", "_ZN5torch", "_ZNK5torch"];

fn assess(case: &Case) -> Vec<Finding> {
    let frameworks = case.facts.subjects(SubjectKind::Framework);
    frameworks.iter().filter_map(|framework| about(case, framework)).collect()
}

fn about(case: &Case, framework: &Subject) -> Option<Finding> {
    let (name, prefix) = framework.framework_parts().filter(|(name, _)| WITH_CODE.contains(name))?;
    let explains = frameworks::symptoms_of(case, framework, &TROUBLE);
    let torch = Subject::framework("torch", prefix);
    let torch_loads = case.facts.look(&python::IMPORT, &torch).seen().is_some_and(|import| import.ok);
    let (line, fact) = said(case, framework).filter(|_| torch_loads && !explains.is_empty())?;
    let distribution = case.facts.look(&python::DISTRIBUTION, &torch);
    let version = distribution.clone().seen()?.version;
    let finding = Finding::new(framework, Level::Decided)
        .because(Evidence::of(fact, format!("{name} says: {line}")))
        .because_of(&distribution, format!("installed: torch {version}"))
        .with("torch", version.clone())
        // The tag behind the plus sign is of an index that pip does not ask.
        .with("release", version.split('+').next().unwrap_or(&version))
        .with("package", name)
        .tagged(if name == "flash-attn" { "compiled" } else { "wheel" })
        .explaining(explains);
    Some(frameworks::weighed(case, advice::with_python(finding, case.facts)))
}

/// What names a function of another torch, or another torch.
fn said<'a>(case: &Case<'a>, framework: &Subject) -> Option<(String, &'a Fact)> {
    let import = case.facts.look(&python::IMPORT, framework);
    let raised = import.fact().zip(frameworks::import_says(case, framework)).map(|(fact, text)| (text, fact));
    let told = case.facts.all(&python::MESSAGE).filter(|(_, fact)| fact.subject == *framework);
    raised.into_iter().chain(told).find_map(|(text, fact)| Some((telling(&text)?, fact)))
}

fn telling(text: &str) -> Option<String> {
    let missing = |line: &str| {
        let (_, symbol) = line.split_once("undefined symbol: ")?;
        OF_TORCH.iter().any(|begins| symbol.starts_with(begins)).then(|| line.trim().to_string())
    };
    // `PyTorch 2.7.0+cu126 with CUDA 1206 (you have 2.13.0+cu130)`: the same version twice is no difference.
    let other = |line: &str| {
        let (built, have) = line.trim().strip_prefix("PyTorch ")?.split_once(" (you have ")?;
        let built = built.split(' ').next()?;
        (built != have.trim_end_matches(')')).then(|| format!("built for {}", line.trim()))
    };
    text.lines().find_map(|line| missing(line).or_else(|| other(line)))
}

#[cfg(test)]
mod tests {
    use super::telling;

    #[test]
    fn functions_of_torch_and_another_torch_are_read() {
        let symbol = "/venv/flash_attn_2_cuda.so: undefined symbol: _ZN3c104cuda9SetDeviceEi";
        assert_eq!(telling(symbol).as_deref(), Some(symbol));
        assert_eq!(telling("/venv/x.so: undefined symbol: ncclCommRegister"), None);
        let built = "xFormers was built for:\n    PyTorch 2.7.0+cu126 with CUDA 1206 (you have 2.13.0+cu130)\n";
        let line = "built for PyTorch 2.7.0+cu126 with CUDA 1206 (you have 2.13.0+cu130)";
        assert_eq!(telling(built).as_deref(), Some(line));
        assert_eq!(telling("    PyTorch 2.0.1 with CUDA 1106 (you have 2.0.1)"), None);
    }
}
