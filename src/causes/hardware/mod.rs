//! Causes of the layer hardware.

use super::Cause;

mod fewer_gpus_than_expected;
mod gpu_fell_off_bus;
mod no_nvidia_gpu_present;

/// The causes of this layer.
pub static ALL: &[&Cause] =
    &[&no_nvidia_gpu_present::CAUSE, &gpu_fell_off_bus::CAUSE, &fewer_gpus_than_expected::CAUSE];
