//! What CUDA answers when it does not start, in the words of the driver, of the runtime and of frameworks, with the numbers of
//! CUDA 10.0 and older beside the present ones.

mod codes;
mod devices;
mod libcuda;
mod mig;
mod starting;
mod versions;
mod waiting;

use super::Message;

/// The rows, by theme.
pub static THEMES: &[&[Message]] =
    &[versions::ROWS, waiting::ROWS, starting::ROWS, devices::ROWS, libcuda::ROWS, mig::ROWS];
