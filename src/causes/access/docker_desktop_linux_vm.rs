//! The engine runs in the virtual machine of Docker Desktop, which has no GPU.

use crate::causes::{Cause, only_words};
use crate::symptom::AFTER_ACCESS;

/// The cause; only text shows it.
pub static CAUSE: Cause =
    Cause { page: include_str!("docker-desktop-linux-vm.md"), explains: &[AFTER_ACCESS], assess: only_words };
