//! A variable keeps a framework off a GPU that works: one of the framework's own, or a mask that code sets at every start.

use super::python_trouble;
use crate::causes::frameworks;
use crate::causes::{Case, Cause, Evidence, Finding, Level, advice};
use crate::facts::{Look, python};
use crate::report::Severity;
use crate::subject::{Kind as SubjectKind, Subject};
use crate::symptom::Kind;

/// What was switched off by hand is switched on by hand.
pub static CAUSE: Cause = Cause { page: include_str!("framework-switched-off.md"), explains: &[], assess };

/// What it makes of a framework.
const MAKES: [Kind; 2] = [Kind::FrameworkSeesNoGpu, Kind::Tensor];

/// Framework, variable, what its value does.
const OWN: [(&str, &str, &str); 4] = [
    ("jax", "JAX_PLATFORMS", "JAX takes the platforms of that list only, and computes on the first"),
    ("jax", "JAX_PLATFORM_NAME", "JAX computes on that platform"),
    ("numba", "NUMBA_DISABLE_CUDA", "Numba then has no CUDA"),
    ("numba", "NUMBA_ENABLE_CUDASIM", "Numba then computes on the processor, with Python code in the place of CUDA"),
];

fn assess(case: &Case) -> Vec<Finding> {
    // Without a GPU nothing is lost by it.
    if case.has(Kind::NoNvidiaGpu) {
        return Vec::new();
    }
    let frameworks = case.facts.subjects(SubjectKind::Framework);
    frameworks.iter().filter_map(|framework| own(case, framework).or_else(|| masked(case, framework))).collect()
}

/// A variable that only this framework reads.
fn own(case: &Case, framework: &Subject) -> Option<Finding> {
    let (name, _) = framework.framework_parts()?;
    if case.facts.look(&python::AVAILABLE, framework).seen() != Some(false) {
        return None;
    }
    let (_, variable, does) = OWN.iter().find(|(of, variable, _)| {
        *of == name && value(case, framework, variable).is_some_and(|v| off(variable, &v.0))
    })?;
    let (value, evidence, from_start) = value(case, framework, variable)?;
    let finding = Finding::new(framework, Level::Decided)
        .because(evidence)
        .with("does", *does)
        .explaining(frameworks::symptoms_of(case, framework, &MAKES));
    let finding = described(case, finding, variable, &value, from_start);
    // Numba without numba-cuda is there for the processor, and nothing fails.
    let fails = finding.explains.as_ref().is_some_and(|explains| !explains.is_empty());
    Some(if fails { finding } else { finding.severity(Severity::Note) })
}

/// A mask that this program was not started with, and that the interpreter has: CUDA works, and no framework there sees it.
fn masked(case: &Case, framework: &Subject) -> Option<Finding> {
    let variable = "CUDA_VISIBLE_DEVICES";
    let (value, evidence, from_start) = value(case, framework, variable)?;
    let symptoms = frameworks::symptoms_of(case, framework, &MAKES);
    let cpu_build = !frameworks::symptoms_of(case, framework, &[Kind::FrameworkCpuBuild]).is_empty();
    if !from_start || cpu_build || symptoms.is_empty() {
        return None;
    }
    let hides_all = value.trim().is_empty() || value.trim().starts_with('-');
    let finding = Finding::new(framework, if hides_all { Level::Decided } else { Level::Supported })
        .because(evidence)
        .with("does", if hides_all { "it hides every GPU" } else { "it leaves only the GPUs that it names" })
        .explaining(symptoms);
    Some(described(case, finding, variable, &value, true))
}

fn described(case: &Case, finding: Finding, variable: &str, value: &str, from_start: bool) -> Finding {
    let finding = advice::with_python(finding, case.facts).with("variable", variable).with("value", value);
    finding.tagged(if from_start { "at_start" } else { "of_shell" })
}

/// The value of a variable in the interpreter of a framework, what shows it, and whether it was set there and not before.
fn value(case: &Case, framework: &Subject, variable: &str) -> Option<(String, Evidence, bool)> {
    let environment = frameworks::environment(framework);
    let begins = format!("{variable}=\"");
    let mut at_start =
        python_trouble::all(case, "startup_variable").into_iter().filter(|(_, _, at)| *at == environment);
    if let Some((trouble, Look::Seen(_, fact), _)) =
        at_start.find(|(trouble, _, _)| trouble.detail.starts_with(&begins))
    {
        let value = trouble.detail[begins.len()..].trim_end_matches('"').to_string();
        let place = trouble.file.map(|file| format!(", which {file} may set")).unwrap_or_default();
        return Some((value, Evidence::of(fact, format!("within this Python, {}{place}", trouble.detail)), true));
    }
    match case.facts.variable(variable) {
        Look::Seen(value, fact) => {
            Some((value.clone(), Evidence::of(fact, format!("{variable} is \"{value}\"")), false))
        }
        _ => None,
    }
}

/// Whether this value of a framework's own variable keeps it off the GPU.
fn off(variable: &str, value: &str) -> bool {
    let first = value.split(',').next().unwrap_or_default().trim();
    match variable {
        "JAX_PLATFORMS" | "JAX_PLATFORM_NAME" => first.eq_ignore_ascii_case("cpu"),
        _ => first.parse::<i64>().is_ok_and(|number| number != 0),
    }
}
