//! Messages about GPUs of other makers: AMD (ROCm, HIP, kfd, amdgpu), Intel (XPU, Level Zero, SYCL), Apple.

mod amd;
mod cards;
mod intel;

use super::Message;

/// The rows, by theme.
pub static THEMES: &[&[Message]] = &[amd::ROWS, cards::ROWS, intel::ROWS];
