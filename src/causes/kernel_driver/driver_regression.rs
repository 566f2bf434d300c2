//! A version of the driver broke what the one before did. Only a change of versions shows it, and only words tell of that.

use crate::causes::{Cause, only_words};
use crate::symptom::{AFTER_CUINIT, Kind};

const MORE: &[Kind] = &[Kind::Xid, Kind::ResetRequired];

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("driver-regression.md"), explains: &[AFTER_CUINIT, MORE], assess: only_words };
