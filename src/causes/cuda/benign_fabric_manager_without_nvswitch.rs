//! The fabric manager ends where there is no NVSwitch, and nobody needs it.

use crate::causes::{Cause, only_words};

/// The cause; only text shows it.
pub static CAUSE: Cause =
    Cause { page: include_str!("benign-fabric-manager-without-nvswitch.md"), explains: &[], assess: only_words };
