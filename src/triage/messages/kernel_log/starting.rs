//! The module comes up and finds no GPU that it serves.

use crate::triage::messages::Weight::{Against, Decides, Refutes, Suggests, Supports};
use crate::triage::messages::{Message, fault};

/// The rows.
pub static ROWS: &[Message] = &[
    // The flavour does not serve this GPU; the driver says so itself.
    fault(
        "kernel-driver",
        "open-module-lacks-gsp",
        &[
            "not supported by open nvidia.ko because",
            "not supported by open*does not include the required gpu",
            "does not include the required gpu system processor",
            "is not supported by open*nvidia.ko",
        ],
        &[
            ("pre-turing-needs-proprietary-module", Decides),
            ("blackwell-needs-open-kernel-module", Refutes),
            ("open-module-unsupported-gpu-flag", Refutes),
        ],
    ),
    // The reverse, from Blackwell on (nv.c).
    fault(
        "kernel-driver",
        "open-module-required",
        &[
            "requires use of the nvidia open kernel modules",
            "requires use of the nvidia open gpu kernel modules",
            "requires the nvidia open kernel module",
            "requires use of the*open kernel modules",
        ],
        &[
            ("blackwell-needs-open-kernel-module", Decides),
            ("pre-turing-needs-proprietary-module", Refutes),
            ("above-4g-decoding-disabled", Against),
            ("gpu-init-failed-gfw-gsp", Against),
        ],
    ),
    // Open modules before 545.23 (nv.c): GeForce and workstation cards want an opt-in.
    fault(
        "kernel-driver",
        "open-module-opt-in",
        &[
            "open nvidia.ko is only ready for use on data center gpus",
            "to force use of open nvidia.ko on other gpus",
            "openrmenableunsupportedgpus",
            "nvreg_openrmenableunsupportedgpus",
        ],
        &[
            ("open-module-unsupported-gpu-flag", Supports),
            ("pre-turing-needs-proprietary-module", Against),
            ("blackwell-needs-open-kernel-module", Against),
        ],
    ),
    // The driver's own words for a legacy GPU.
    fault(
        "kernel-driver",
        "legacy-branch-named",
        &[
            "supported through the nvidia*legacy driver",
            "nvidia driver will ignore this gpu",
            "nvidia driver will ignore*this gpu",
            "legacy drivers. please visit",
        ],
        &[("gpu-too-old-for-driver-branch", Decides)],
    ),
    // At the end of a probe that found nothing to drive; the lines before it tell why.
    fault(
        "kernel-driver",
        "nvrm-no-gpu-found",
        &[
            "nvrm: no nvidia gpu found",
            "nvrm: no nvidia graphics adapter found",
            "nvrm: none of the nvidia devices were initialized",
            "nvrm: none of the nvidia graphics adapters were initialized",
        ],
        &[
            ("gpu-too-old-for-driver-branch", Suggests),
            ("gpu-bound-to-vfio-pci", Suggests),
            ("nouveau-bound", Suggests),
            ("no-nvidia-gpu-present", Suggests),
            ("optimus-gpu-powered-off", Suggests),
            ("driver-not-working", Suggests),
        ],
    ),
    // Another driver has the card.
    fault(
        "kernel-driver",
        "nvrm-probe-not-called",
        &["nvidia probe routine was not called for"],
        &[("nouveau-bound", Supports), ("gpu-bound-to-vfio-pci", Supports)],
    ),
    // It tried and failed; the line above tells why.
    fault(
        "kernel-driver",
        "nvrm-probe-failed",
        &["nvidia probe routine failed for"],
        &[
            ("gpu-fell-off-bus", Suggests),
            ("pci-bar-not-assigned", Suggests),
            ("gpu-too-old-for-driver-branch", Suggests),
            ("runtime-d3-resume-failure", Suggests),
            ("driver-not-working", Suggests),
        ],
    ),
    // At loading, a GPU that answers with ones; symptoms.md, 4.
    fault(
        "kernel-driver",
        "nvrm-not-responding",
        &["fallen off the bus and is not responding"],
        &[
            ("gpu-fell-off-bus", Supports),
            ("runtime-d3-resume-failure", Suggests),
            ("pci-bar-not-assigned", Suggests),
            ("passthrough-hypervisor-specific", Suggests),
        ],
    ),
];
