//! What several causes share: a framework wants a CUDA library by its name, and the loader finds none of that name.

use crate::causes::frameworks::{self, TROUBLE};
use crate::causes::{Case, Evidence, Finding, Level, advice};
use crate::facts::python::Library;
use crate::subject::Subject;
use crate::symptom::Kind;

/// Where files of the wanted name lie.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Sought {
    /// It does not matter.
    Anywhere,
    /// In the nvidia-* wheels, where this framework does not look by itself.
    InWheels,
    /// Nowhere.
    Nowhere,
}

/// A finding for every framework of this name that misses such a library.
pub fn assess(case: &Case, name: &str, sought: Sought) -> Vec<Finding> {
    let kinds = [Kind::FrameworkImport, Kind::FrameworkSeesNoGpu, Kind::Tensor];
    frameworks::troubled(case, name, &kinds).iter().filter_map(|subject| about(case, subject, name, sought)).collect()
}

fn about(case: &Case, framework: &Subject, name: &str, sought: Sought) -> Option<Finding> {
    let missing = frameworks::missing(case, framework);
    let fits = |library: &Library| match sought {
        Sought::Anywhere => true,
        Sought::InWheels => in_wheel(library).is_some(),
        Sought::Nowhere => library.found.is_empty(),
    };
    let (library, fact) = missing.iter().find(|(library, _)| is_cuda(&library.name) && fits(library))?;
    let mut finding = Finding::new(framework, Level::Decided)
        .because(Evidence::of(fact, format!("the loader does not find {}", library.name)));
    if let Some(place) = in_wheel(library) {
        finding = finding.because(Evidence::of(fact, format!("it lies in {place}, a place that is not searched")));
    }
    let finding = finding.explaining(frameworks::symptoms_of(case, framework, &TROUBLE));
    Some(frameworks::weighed(case, advice::with_package(finding, case.facts, name)))
}

/// The file of this name in a wheel.
fn in_wheel(library: &Library) -> Option<&str> {
    library.found.iter().find(|place| place.through == "nvidia wheel").map(|place| place.path.as_str())
}

/// Whether a name is one of a library of CUDA's, and not of the driver's.
pub fn is_cuda(name: &str) -> bool {
    const OURS: [&str; 13] = [
        "libcublas",
        "libcudart",
        "libcudnn",
        "libcufft",
        "libcurand",
        "libcusolver",
        "libcusparse",
        "libnccl",
        "libnvJitLink",
        "libnvrtc",
        "libnvToolsExt",
        "libcupti",
        "libnvvm",
    ];
    OURS.iter().any(|known| name.starts_with(known))
}
