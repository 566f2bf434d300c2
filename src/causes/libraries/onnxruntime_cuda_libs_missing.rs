//! ONNX Runtime's CUDA libraries are nowhere on the machine.

use super::of_major::{self, Sought};
use super::onnxruntime_cuda_major_mismatch;
use crate::causes::{Case, Cause, Finding};

/// The loader misses a library, and no file of another version is there either.
pub static CAUSE: Cause = Cause { page: include_str!("onnxruntime-cuda-libs-missing.md"), explains: &[], assess };

fn assess(case: &Case) -> Vec<Finding> {
    let mut findings = of_major::assess(case, "onnxruntime", Sought::Nowhere);
    findings.retain(|finding| !onnxruntime_cuda_major_mismatch::applies(case, &finding.subject));
    findings
}
