//! The Docker daemon is a snap, which does not see the toolkit of the host.

use crate::causes::{Cause, only_words};
use crate::symptom::AFTER_ACCESS;

/// The cause; only text shows it.
pub static CAUSE: Cause =
    Cause { page: include_str!("docker-installed-as-snap.md"), explains: &[AFTER_ACCESS], assess: only_words };
