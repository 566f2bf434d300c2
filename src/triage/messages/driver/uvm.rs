//! The module of unified memory, and what sleep does to it.

use crate::triage::messages::Weight::{Against, Suggests, Supports};
use crate::triage::messages::{Message, circumstance, fault};

/// The rows.
pub static ROWS: &[Message] = &[
    // UVM was missing and had to be loaded by hand.
    fault(
        "cuda-driver",
        "uvm-loaded-by-hand",
        &[
            "modprobe nvidia_uvm",
            "modprobe nvidia-uvm",
            "modprobe nvidia-current-uvm",
            "insmod*nvidia-uvm.ko",
            "nvidia_uvm is not loaded",
            "nvidia-uvm is not loaded",
            "nvidia_uvm not loaded",
            "nvidia-uvm not loaded",
            "could not load uvm kernel module",
            "nvidia-uvm module is not loaded",
            "nvidia_uvm module is not loaded",
            "nvidia_uvm module not loaded",
            "load the nvidia_uvm",
            "load nvidia_uvm",
            "loading nvidia_uvm",
            "loading nvidia-uvm",
            "load nvidia-uvm",
        ],
        &[
            ("nvidia-uvm-module-not-loaded", Supports),
            ("nvidia-uvm-node-missing", Suggests),
            ("nvidia-uvm-bad-state", Suggests),
        ],
    ),
    // It was loaded and had to be loaded afresh.
    fault(
        "cuda-driver",
        "uvm-reloaded",
        &[
            "modprobe -r nvidia_uvm",
            "modprobe -r nvidia-uvm",
            "rmmod nvidia_uvm",
            "rmmod nvidia-uvm",
            "modprobe --remove nvidia_uvm",
            "reload nvidia_uvm",
            "reload nvidia-uvm",
            "reloading nvidia_uvm",
            "reloading nvidia-uvm",
            "reload the nvidia_uvm",
            "reloading the nvidia_uvm",
            "reloading the uvm",
            "reload the uvm",
            "unload nvidia_uvm",
            "unloading nvidia_uvm",
        ],
        &[
            ("nvidia-uvm-bad-state", Supports),
            ("suspend-breaks-nvidia-uvm", Suggests),
            ("nvidia-uvm-module-not-loaded", Against),
        ],
    ),
    // The machine slept; UVM may not have come through it.
    circumstance(
        "machine-slept",
        &[
            "after suspend",
            "after a suspend",
            "after resume",
            "after resuming",
            "after hibernat",
            "after sleep",
            "after waking",
            "from suspend",
            "from sleep",
            "from hibernation",
            "suspend and resume",
            "suspend/resume",
            "suspended",
            "resumed from",
            "woke up",
            "wakes up",
            "wake up from",
            "laptop lid",
            "closing the lid",
            "pm: suspend",
            "pm: resume",
            "systemd-suspend",
            "nvidia-suspend",
            "nvidia-resume",
            "nvidia-sleep.sh",
            "preservevideomemoryallocations",
            "sleep mode",
        ],
        &[("suspend-breaks-nvidia-uvm", Supports), ("nvidia-uvm-bad-state", Against)],
    ),
];
