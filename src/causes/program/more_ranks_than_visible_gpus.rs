//! More local ranks than visible devices.

use crate::causes::{Cause, only_words};

/// The cause; only text shows it.
pub static CAUSE: Cause =
    Cause { page: include_str!("more-ranks-than-visible-gpus.md"), explains: &[], assess: only_words };
