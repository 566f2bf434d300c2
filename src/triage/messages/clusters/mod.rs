//! What stands between a program and the GPU of a shared machine: Kubernetes, Slurm, Ray, MPS, virtual GPUs, passthrough, WSL.

mod guests;
mod kubernetes;
mod schedulers;
mod sharing;
mod wsl;

use super::Message;

/// The rows, by theme.
pub static THEMES: &[&[Message]] = &[kubernetes::ROWS, schedulers::ROWS, sharing::ROWS, wsl::ROWS, guests::ROWS];
