//! An idle link is slow on purpose. No probe calls that a fault; a text that shows it is told so.

use crate::causes::{Cause, only_words};

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("benign-pcie-idle-downshift.md"), explains: &[], assess: only_words };
