//! cuDNN on LD_LIBRARY_PATH stands before the framework's own.

use super::library_path::{self, Which};
use crate::causes::{Case, Cause, Finding};
use crate::symptom::Kind;

/// Proved where the import works with the variable unset.
pub static CAUSE: Cause = Cause {
    page: include_str!("cudnn-version-conflict-ld-library-path.md"),
    explains: &[&[Kind::FrameworkImport, Kind::FrameworkSeesNoGpu, Kind::Tensor]],
    assess,
};

fn assess(case: &Case) -> Vec<Finding> {
    library_path::assess(case, Which::Cudnn)
}
