//! What two causes share: the import fails, and works without the folders on LD_LIBRARY_PATH.

use crate::causes::{Case, Finding, Level, advice};
use crate::facts::{Variant, python};
use crate::symptom::Kind;

/// Which library is the wrong one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// cuDNN.
    Cudnn,
    /// Another of CUDA's.
    Other,
}

/// A finding for every framework whose import the search path spoils.
pub fn assess(case: &Case, which: Which) -> Vec<Finding> {
    case.symptoms(Kind::FrameworkImport)
        .filter_map(|o| {
            let look = case.facts.look(&python::IMPORT, &o.subject);
            let message = look.clone().seen()?.message.unwrap_or_default();
            let without = case.facts.look_in(&python::IMPORT, &o.subject, Some(Variant::WithoutLibraryPath));
            let works = without.clone().seen().is_some_and(|import| import.ok);
            let symbol = message.contains("undefined symbol") || message.contains("version `lib");
            let cudnn = message.to_lowercase().contains("cudnn");
            if (which == Which::Cudnn) != cudnn || !names_cuda(&message) || !(works || symbol) {
                return None;
            }
            let path = case.facts.variable("LD_LIBRARY_PATH");
            let level = if works { Level::Decided } else { Level::Possible };
            let last = message.lines().last().unwrap_or_default().trim().to_string();
            let mut finding = Finding::new(&o.subject, level).because_of(&look, format!("the import raises: {last}"));
            if let Some(value) = path.clone().seen() {
                finding = finding.because_of(&path, format!("LD_LIBRARY_PATH is {value}"));
            }
            if works {
                finding = finding.because_of(&without, "with LD_LIBRARY_PATH and LD_PRELOAD unset, the import works");
            } else {
                finding = finding.unknown(
                    "whether the import works without LD_LIBRARY_PATH",
                    "env -u LD_LIBRARY_PATH python -c 'import torch'",
                    &["ld-library-path-shadows-pip-cuda-libs", "torch-import-fails"],
                );
            }
            Some(advice::with_library_path(finding, case.facts, |folder| {
                folder.contains("cuda") || folder.contains("cudnn")
            }))
        })
        .collect()
}

/// Whether a text names a library of the CUDA toolkit.
fn names_cuda(text: &str) -> bool {
    const OURS: [&str; 8] =
        ["libcublas", "libcudart", "libcufft", "libcusolver", "libcusparse", "libnvJitLink", "libnvrtc", "libcudnn"];
    OURS.iter().any(|name| text.contains(name))
}
