//! MIG.

use crate::triage::messages::Weight::{Against, Suggests, Supports};
use crate::triage::messages::{Message, circumstance, fault};

/// The rows.
pub static ROWS: &[Message] = &[
    // More instances of one GPU than a process can use.
    fault(
        "framework",
        "torch-device-assert",
        &[
            "device < num_gpus internal assert failed",
            "device_index < num_devices internal assert failed",
            "device >= 0 && device < num_gpus",
        ],
        &[("mig-single-instance-limit", Suggests), ("cuda-visible-devices-out-of-range", Suggests)],
    ),
    // One of several instances is all that a process sees.
    fault(
        "framework",
        "mig-one-is-seen",
        &[
            "only one gpu*mig",
            "mig*only one gpu",
            "mig*only one device",
            "only one device*mig",
            "mig*only one instance",
            "only one mig",
            "only sees one mig",
            "mig*device_count()*1",
            "multiple mig instances",
            "multiple mig devices",
        ],
        &[("mig-single-instance-limit", Supports)],
    ),
    // MIG is on, and there is nothing in it.
    circumstance(
        "mig-without-instances",
        &[
            "no mig devices found",
            "no mig-enabled devices found",
            "no mig instances",
            "mig mode was enabled",
            "mig mode is enabled",
            "mig was enabled",
            "accidentally enabled mig",
            "mig is enabled but",
            "nvidia-smi -mig 0",
            "mig -cgi",
        ],
        &[("mig-enabled-unintentionally", Supports)],
    ),
    circumstance(
        "mig-instances",
        &[
            "-mig-1g",
            "-mig-2g",
            "-mig-3g",
            "-mig-4g",
            "-mig-7g",
            "mig-gpu-",
            "mig 1g.",
            "mig 2g.",
            "mig 3g.",
            "mig 4g.",
            "mig 7g.",
            "mig slice",
            "mig instance",
            "mig devices:",
            "mig partition",
        ],
        &[("mig-single-instance-limit", Supports), ("mig-enabled-unintentionally", Against)],
    ),
];
