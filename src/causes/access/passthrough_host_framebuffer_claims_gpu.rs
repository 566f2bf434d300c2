//! The boot console of the host holds the memory of a card that is to be passed through.

use crate::causes::{Cause, only_words};
use crate::symptom::AFTER_ACCESS;

/// The cause; only text shows it.
pub static CAUSE: Cause = Cause {
    page: include_str!("passthrough-host-framebuffer-claims-gpu.md"),
    explains: &[AFTER_ACCESS],
    assess: only_words,
};
