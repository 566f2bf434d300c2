//! What nvidia-smi, NVML, modprobe, DKMS, installers, Secure Boot and the switchers of hybrid graphics say; and what people
//! do to a driver.
//!
//! Wordings: the tools themselves, kmod's and the kernel's sources, packaging scripts, and public reports.

mod flavours;
mod guests;
mod hybrid;
mod installing;
mod links;
mod loading;
mod signing;
mod smi;
mod uvm;

use super::Message;

/// The rows, by theme.
pub static THEMES: &[&[Message]] = &[
    smi::ROWS,
    signing::ROWS,
    hybrid::ROWS,
    loading::ROWS,
    installing::ROWS,
    uvm::ROWS,
    guests::ROWS,
    flavours::ROWS,
    links::ROWS,
];
