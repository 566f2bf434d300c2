//! What else the kernel notes: taints, versions, the IOMMU.

use crate::triage::messages::Weight::{Against, Suggests, Supports};
use crate::triage::messages::{Message, circumstance, fault, harmless};

/// The rows.
pub static ROWS: &[Message] = &[
    // The module did load: the notice of a signature that nobody checked.
    harmless(
        "module-taints",
        &[
            "module verification failed: signature",
            "tainting kernel",
            "taints kernel",
            "pkcs#7 signature not signed with a trusted key",
        ],
        &[("secure-boot-unsigned-module", Against), ("kernel-lockdown-unsigned-module", Against)],
    ),
    // NVRM about a driver that was replaced below the programs.
    fault(
        "nvml",
        "nvrm-api-mismatch",
        &[
            "nvrm: api mismatch",
            "api mismatch: the client",
            "but this kernel module has the version",
            "make sure that this kernel module and all nvidia driver",
        ],
        &[("driver-library-version-mismatch", Supports), ("libcuda-kernel-module-mismatch", Suggests)],
    ),
    // Memory devices of UVM: HMM could not find room.
    circumstance(
        "uvm-hmm-no-room",
        &[
            "request_free_mem_region",
            "nvidia-uvm*hmm",
            "uvm*devm_request_free_mem_region",
            "devm_request_free_mem_region",
        ],
        &[("uvm-hmm-driver-bug", Supports)],
    ),
    // Peer-to-peer through the root complex: the IOMMU reports what it kept from passing.
    circumstance(
        "iommu-faults",
        &[
            "dmar: [dma",
            "dmar: drhd",
            "dmar:*fault",
            "amd-vi: event logged [io_page_fault",
            "amd-vi*io_page_fault",
            "iommu*page fault",
            "acs redirect",
        ],
        &[("nccl-p2p-blocked-by-acs-iommu", Supports)],
    ),
];
