//! Files only: see `look`.

use crate::facts::Facts;
use crate::machine::Machine;

/// Adds what the files tell.
pub fn look(_machine: &Machine, _facts: &mut Facts) {}
