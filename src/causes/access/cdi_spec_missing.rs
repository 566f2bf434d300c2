//! A CDI device name that no readable specification defines for this driver.

use crate::causes::{Cause, only_words};
use crate::symptom::AFTER_ACCESS;

/// The cause; only text shows it.
pub static CAUSE: Cause =
    Cause { page: include_str!("cdi-spec-missing.md"), explains: &[AFTER_ACCESS], assess: only_words };
