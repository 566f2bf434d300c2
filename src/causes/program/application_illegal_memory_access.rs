//! A kernel of the program used a memory address that is not its own. Only words show it: the computations of this program
//! are right, and where they fault, the program is not to blame.

use crate::causes::{Cause, only_words};

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("application-illegal-memory-access.md"), explains: &[], assess: only_words };
