//! Code that looks at one source each, and has no opinion.

pub mod host;
pub mod kernel;
pub mod pci;
pub mod python;
pub mod runtime;
