//! Causes of the layer doctor: what kept this program from seeing.

mod doctor_internal_error;
mod ended;
mod probe_crashed;
mod probe_timed_out;

use super::Cause;

/// The causes of this layer.
pub static ALL: &[&Cause] = &[&probe_timed_out::CAUSE, &probe_crashed::CAUSE, &doctor_internal_error::CAUSE];
