//! What the kernel log says about NVIDIA's GPUs: NVRM, Xid, SXid, PCI windows, power states, errors of the link, firmware.
//!
//! Wordings: the open kernel modules' sources, the kernel's PCI code, NVIDIA's Xid catalogue, and public reports.

mod bus;
mod firmware;
mod notices;
mod starting;
mod suspects;
mod windows;
mod xid;

use super::Message;

/// The rows, by theme.
pub static THEMES: &[&[Message]] =
    &[starting::ROWS, bus::ROWS, windows::ROWS, firmware::ROWS, xid::ROWS, suspects::ROWS, notices::ROWS];
