//! The driver waits: for the fabric, or for confidential computing.

use super::codes::code_802;
use crate::triage::messages::Weight::{Against, Decides, Refutes, Suggests, Supports};
use crate::triage::messages::{Message, circumstance, fault, harmless, with};

/// The rows.
pub static ROWS: &[Message] = &[
    // The driver waits, for the fabric or for confidential computing; where there is neither, for nobody knows what.
    with(
        code_802,
        fault(
            "cuda-driver",
            "cuda-802",
            &[
                "system not yet initialized",
                "error 802",
                "cuda_error_system_not_ready",
                "cudaerrorsystemnotready",
                "returned 802",
                "fails with 802",
                "failed with 802",
                "802 system",
            ],
            &[
                ("fabric-manager-not-ready", Suggests),
                ("confidential-compute-not-ready", Suggests),
                ("uvm-hmm-driver-bug", Suggests),
            ],
        ),
    ),
    // Boards that hang on an NVSwitch fabric.
    circumstance(
        "nvswitch-machine",
        &[
            "nvswitch",
            "nvidia hgx",
            "hgx a100",
            "hgx h100",
            "hgx h200",
            "hgx h20",
            "hgx b200",
            "dgx a100",
            "dgx h100",
            "dgx h200",
            "dgx b200",
            "80gb hbm3",
            "a100-sxm",
            "a800-sxm",
            "h100-sxm",
            "h100 sxm",
            "h800 sxm",
            "nvidia h20",
            "nvidia b200",
            "nvidia b300",
            "-b200",
            "gb200",
            "gb300",
            "p4d.24xlarge",
            "p4de.24xlarge",
            "p5.48xlarge",
            "p5en.48xlarge",
            "a3-highgpu-8g",
            "a3-megagpu",
            "standard_nd96",
        ],
        &[
            ("fabric-manager-not-ready", Supports),
            ("nvlink-failure", Suggests),
            ("benign-fabric-manager-without-nvswitch", Against),
        ],
    ),
    // There is no switch, or the kernel's address randomisation matters: then it is another fault.
    circumstance(
        "no-nvswitch",
        &["no nvswitch", "without nvswitch", "without an nvswitch", "does not have nvswitch", "no nv-switch"],
        &[("fabric-manager-not-ready", Refutes), ("uvm-hmm-driver-bug", Suggests)],
    ),
    circumstance("kaslr", &["nokaslr", "kaslr"], &[("uvm-hmm-driver-bug", Supports)]),
    circumstance(
        "fabric-manager-named",
        &["fabricmanager", "fabric manager", "nv-fabricmanager"],
        &[("fabric-manager-not-ready", Supports)],
    ),
    fault(
        "cuda-driver",
        "fabric-state-waiting",
        &["fabric state*in progress", "fabric*state*: in progress", "fabric state*not started", "state*: not started"],
        &[("fabric-manager-not-ready", Supports)],
    ),
    fault(
        "cuda-driver",
        "fabric-manager-failed",
        &[
            "fabric manager version*doesn't match",
            "fabric manager*does not match",
            "failed to start nvidia fabric manager",
            "nvidia-fabricmanager.service: failed",
            "aborting fabric manager",
            "job for nvidia-fabricmanager.service failed",
            "fabricmanager failed to start",
            "fabricmanager fails to start",
            "fabricmanager: control process exited",
            "nv-fabricmanager*failed! exit code",
            "fabric manager config file item*invalid value",
            "fabric manager*keeps crashing",
            "driver interface version*match with driver version",
            "nvidia-fabricmanager.service*failed with result",
            "fabric manager*failed to initialize",
        ],
        &[("fabric-manager-not-ready", Supports), ("benign-fabric-manager-without-nvswitch", Suggests)],
    ),
    // Cards of which no board with a switch exists.
    circumstance(
        "card-without-nvswitch",
        &[
            "nvidia geforce",
            "geforce rtx",
            "geforce gtx",
            "rtx 2080",
            "rtx 3090",
            "rtx 4090",
            "rtx 5090",
            "tesla t4",
            "nvidia t4",
            "nvidia l4",
            "nvidia l40",
            "nvidia a10g",
            "nvidia a40",
            "nvidia rtx",
            "quadro ",
        ],
        &[("benign-fabric-manager-without-nvswitch", Supports), ("fabric-manager-not-ready", Refutes)],
    ),
    // Nothing to manage: there is no switch.
    harmless(
        "fabric-manager-nothing-to-do",
        &["nv_warn_nothing_to_do"],
        &[("benign-fabric-manager-without-nvswitch", Decides), ("fabric-manager-not-ready", Refutes)],
    ),
    circumstance(
        "confidential-computing",
        &[
            "confidential comput",
            "conf-compute",
            "intel tdx",
            "tdx guest",
            "td guest",
            "sev-snp",
            "cc mode",
            "cc feature",
            "nvtrust",
            "cc status",
            "confidential vm",
        ],
        &[("confidential-compute-not-ready", Supports)],
    ),
];
