//! Less free memory on the GPU than the model needs.

use crate::causes::{Cause, only_words};

/// The cause; only text shows it.
pub static CAUSE: Cause =
    Cause { page: include_str!("insufficient-vram-cpu-offload.md"), explains: &[], assess: only_words };
