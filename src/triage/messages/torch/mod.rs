//! What PyTorch and the programs on top of it print, what installers say about it, and signs of which Python runs.
//!
//! Texts from symptoms.md, sections 1 and 5, formats.md, and PyTorch's own sources.

mod architectures;
mod builds;
mod installing;
mod machines;
mod pythons;

use super::Message;

/// The rows, by theme.
pub static THEMES: &[&[Message]] =
    &[builds::ROWS, machines::ROWS, installing::ROWS, pythons::ROWS, architectures::ROWS];
