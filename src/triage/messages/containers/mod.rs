//! Messages of container engines: Docker, Podman, containerd, nvidia-container-cli, CDI, Apptainer, snap, Docker Desktop.

mod cdi;
mod engines;
mod rights;
mod toolkit;

use super::Message;

/// The rows, by theme.
pub static THEMES: &[&[Message]] = &[toolkit::ROWS, rights::ROWS, cdi::ROWS, engines::ROWS];
