//! A defect of the board: only a swap of parts shows it, and only words tell of that.

use crate::causes::{Cause, only_words};
use crate::symptom::{AFTER_CUINIT, Kind};

const MORE: &[Kind] = &[Kind::GpuNotAnswering, Kind::NvmlDevice, Kind::Xid];

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("motherboard-hardware-fault.md"), explains: &[AFTER_CUINIT, MORE], assess: only_words };
