//! A package with C++ or CUDA code of its own that was compiled against another torch than the one beside it.

use crate::causes::frameworks::{self, TROUBLE};
use crate::causes::{Case, Cause, Evidence, Finding, Level, advice};
use crate::facts::{Fact, host, python};
use crate::report::Severity;
use crate::subject::{Kind as SubjectKind, Subject};
use crate::tables::wheels;

/// The loader misses a function of torch's, or the package says which torch it was built for.
pub static CAUSE: Cause = Cause { page: include_str!("extension-built-for-another-torch.md"), explains: &[], assess };

/// The packages of which such code is a part.
const WITH_CODE: [&str; 4] = ["flash-attn", "xformers", "vllm", "bitsandbytes"];

/// How the names of torch's own C++ functions begin, as compilers write them: c10, at, torch.
const OF_TORCH: [&str; 7] = ["_ZN3c10", "_ZNK3c10", "_ZN2at", "_ZNK2at", "_ZN5torch", "_ZNK5torch", "aoti_torch_"];

fn assess(case: &Case) -> Vec<Finding> {
    let frameworks = case.facts.subjects(SubjectKind::Framework);
    frameworks.iter().filter_map(|framework| about(case, framework)).collect()
}

fn about(case: &Case, framework: &Subject) -> Option<Finding> {
    let (name, prefix) = framework.framework_parts().filter(|(name, _)| WITH_CODE.contains(name))?;
    let explains = frameworks::symptoms_of(case, framework, &TROUBLE);
    let torch = Subject::framework("torch", prefix);
    let distribution = case.facts.look(&python::DISTRIBUTION, &torch);
    let version = distribution.clone().seen()?.version;
    let own = case.facts.look(&python::DISTRIBUTION, framework);
    let own_version = own.clone().seen().map(|own| own.version).unwrap_or_default();
    let of_wheel = built_for(&own_version).filter(|release| !version.starts_with(&format!("{release}.")));
    let torch_loads = case.facts.look(&python::IMPORT, &torch).seen().is_some_and(|import| import.ok);
    let nobody_imported = case.facts.look(&python::IMPORT, framework).fact().is_none();
    let mut finding = match said(case, framework).filter(|_| torch_loads && !explains.is_empty()) {
        Some((line, fact)) => {
            // Another libtorch on the loader's path has other names too.
            let path = case.facts.look(&host::VARIABLE, &Subject::variable("LD_LIBRARY_PATH")).seen();
            let level = if path.is_some_and(|p| p.contains("torch")) { Level::Supported } else { Level::Decided };
            Finding::new(framework, level).because(Evidence::of(fact, format!("{name} says: {line}")))
        }
        // What its version says counts where nobody imported it.
        None if nobody_imported && of_wheel.is_some() => {
            Finding::new(framework, Level::Decided).severity(Severity::Warning)
        }
        None => return None,
    };
    if let Some(release) = of_wheel {
        finding = finding.because_of(&own, format!("{name} {own_version} was built for torch {release}"));
    }
    let finding = finding
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
        let (file, symbol) = line.split_once("undefined symbol: ")?;
        // A library of torch's own that lacks it is a torch of mixed parts.
        if file.contains("/torch/lib/") {
            return None;
        }
        OF_TORCH.iter().any(|begins| symbol.starts_with(begins)).then(|| line.trim().to_string())
    };
    // `PyTorch 2.7.0+cu126 with CUDA 1206 (you have 2.13.0+cu130)`: the same version twice is no difference.
    let other = |line: &str| {
        let (built, have) = line.trim().strip_prefix("PyTorch ")?.split_once(" (you have ")?;
        let built = built.split(' ').next()?;
        let have = have.trim_end_matches(')');
        // Beside a build without CUDA it is torch that has to go.
        (built != have && wheels::tag(have) != Some("cpu")).then(|| format!("built for {}", line.trim()))
    };
    text.lines().find_map(|line| missing(line).or_else(|| other(line)))
}

/// The torch that the version of a wheel names: `2.4` in `2.7.4.post1+cu12torch2.4cxx11abiFALSE`.
fn built_for(version: &str) -> Option<String> {
    let (_, rest) = version.split_once('+')?.1.split_once("torch")?;
    let release: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    (release.split('.').count() == 2).then_some(release)
}

#[cfg(test)]
mod tests {
    use super::{built_for, telling};

    #[test]
    fn the_torch_of_a_wheel_is_in_its_version() {
        assert_eq!(built_for("2.7.4.post1+cu12torch2.4cxx11abiFALSE").as_deref(), Some("2.4"));
        assert_eq!(built_for("2.8.3"), None);
        assert_eq!(built_for("0.9.2+cu124"), None);
    }

    #[test]
    fn functions_of_torch_and_another_torch_are_read() {
        let symbol = "/venv/flash_attn_2_cuda.so: undefined symbol: _ZN3c104cuda9SetDeviceEi";
        assert_eq!(telling(symbol).as_deref(), Some(symbol));
        assert_eq!(telling("/venv/x.so: undefined symbol: ncclCommRegister"), None);
        let built = "xFormers was built for:\n    PyTorch 2.7.0+cu126 with CUDA 1206 (you have 2.13.0+cu130)\n";
        let line = "built for PyTorch 2.7.0+cu126 with CUDA 1206 (you have 2.13.0+cu130)";
        assert_eq!(telling(built).as_deref(), Some(line));
        assert_eq!(telling("    PyTorch 2.2.0+cu121 with CUDA 1201 (you have 2.2.0+cpu)"), None);
        assert_eq!(telling("/v/torch/lib/libtorch_python.so: undefined symbol: _ZN5torch3jit"), None);
        assert_eq!(telling("    PyTorch 2.0.1 with CUDA 1106 (you have 2.0.1)"), None);
    }
}
