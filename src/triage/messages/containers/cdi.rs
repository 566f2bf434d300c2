//! CDI specifications, and systems that make a difference to containers.

use crate::triage::messages::Weight::{Decides, Refutes, Suggests, Supports};
use crate::triage::messages::{Message, circumstance, fault};

/// The rows.
pub static ROWS: &[Message] = &[
    // No specification defines the device that was asked for.
    fault("device-access", "cdi-unresolvable", &["unresolvable cdi device"], &[("cdi-spec-missing", Decides)]),
    // An engine that takes the name for a path.
    fault(
        "device-access",
        "cdi-name-as-path",
        &["stat nvidia.com/gpu=", "stat nvidia.com/gpu", "nvidia.com/gpu=all: no such file"],
        &[("cdi-spec-missing", Supports)],
    ),
    // On Windows, Docker Desktop is the way to do it.
    circumstance(
        "windows-is-used",
        &["windows 11", "windows 10", "win10", "win11", "windows-10-", "windows-11-", "microsoft windows"],
        &[
            ("docker-desktop-linux-vm", Refutes),
            ("docker-installed-as-snap", Refutes),
            ("selinux-denies-device", Refutes),
        ],
    ),
    // Distributions that enforce SELinux.
    circumstance(
        "selinux-distribution",
        &["fedora", "red hat", "redhat", "rocky linux", "almalinux", "centos"],
        &[("selinux-denies-device", Suggests)],
    ),
    // A specification of another driver: the files it names are gone.
    fault(
        "device-access",
        "cdi-stale",
        &[
            "failed to stat cdi host device",
            "cdi device injection failed",
            "failed to inject cdi devices",
            "found 0 cdi devices",
            "cannot stat*libnvidia-*no such file",
            "cannot stat*_nvidia.so*no such file",
            "cannot stat*libcuda.so*no such file",
            "error stat'ing file*libnvidia",
            "failed to fulfil mount request*libnvidia",
            "failed to fulfil mount request*libcuda",
        ],
        &[("cdi-spec-missing", Supports)],
    ),
    circumstance(
        "cdi-generate",
        &["nvidia-ctk cdi generate", "nvidia-ctk cdi list", "/etc/cdi/nvidia.yaml", "/var/run/cdi/nvidia.yaml"],
        &[("cdi-spec-missing", Suggests)],
    ),
];
