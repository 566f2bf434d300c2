//! The GPU waits for the processor's data.

use crate::causes::{Cause, only_words};

/// The cause; only text shows it.
pub static CAUSE: Cause =
    Cause { page: include_str!("input-pipeline-bottleneck.md"), explains: &[], assess: only_words };
