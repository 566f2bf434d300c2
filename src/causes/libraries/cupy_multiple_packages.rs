//! More than one CuPy distribution writes to the same folder.

use crate::causes::frameworks::{self, TROUBLE};
use crate::causes::{Case, Cause, Evidence, Finding, Level, advice, packages};
use crate::facts::python;

/// The list of packages shows it, or CuPy's own warning.
pub static CAUSE: Cause = Cause { page: include_str!("cupy-multiple-packages.md"), explains: &[], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let is_cupy = |name: &str| name == "cupy" || name.starts_with("cupy-cuda") || name.starts_with("cupy-rocm");
    let places = case.facts.subjects_with(&python::PACKAGE);
    let findings = places.iter().filter_map(|place| {
        let mut found = packages::matching(case.facts, |p| is_cupy(&p.name));
        found.retain(|(_, fact)| fact.subject == *place);
        found.dedup_by(|a, b| a.0.name == b.0.name);
        if found.len() < 2 {
            return None;
        }
        let cupy = frameworks::beside(place, "cupy");
        let mut explains = packages::told_symptoms(case, &["cupy-multiple-packages"]);
        explains.extend(frameworks::symptoms_of(case, &cupy, &TROUBLE));
        let mut finding = Finding::new(&cupy, Level::Decided).explaining(explains);
        for (package, fact) in found {
            finding = finding.because(Evidence::of(fact, format!("installed: {} {}", package.name, package.version)));
        }
        let finding = frameworks::with_overlap(case, place, "cupy", finding);
        Some(frameworks::installed_wrong(case, advice::with_package(finding, case.facts, "cupy")))
    });
    findings.collect()
}
