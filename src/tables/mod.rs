//! Version and architecture tables, and the rules that read them. Each row or table cites its source; all are as of
//! November 2026.

pub mod archs;
pub mod builds;
pub mod companions;
pub mod cuda_errors;
pub mod drivers;
pub mod frameworks;
pub mod gpu_names;
pub mod gpu_packages;
pub mod nvml_errors;
pub mod packages;
pub mod pci_ids;
pub mod pci_names;
pub mod wheels;
pub mod xid;
