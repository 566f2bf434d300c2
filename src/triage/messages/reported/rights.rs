//! Who may use it: root and privileged containers.

use crate::triage::messages::Weight::{Against, Refutes, Suggests, Supports};
use crate::triage::messages::{Message, circumstance};

/// The rows.
pub static ROWS: &[Message] = &[
    // Rights: the driver works, and this user may not.
    circumstance(
        "works-as-root",
        &[
            "works as root",
            "works with sudo",
            "ok with sudo",
            "ok as root",
            "fine with sudo",
            "works under sudo",
            "works using sudo",
            "only as root",
            "only works as root",
            "only with sudo",
            "with sudo it works",
            "as root it works",
            "works for root",
            "works when run as root",
            "fine as root",
            "true as root",
            "root user works",
            "sudo python*true",
            "running as root works",
            "requires sudo",
            "need sudo",
            "needs root",
        ],
        &[
            ("device-node-permission", Supports),
            ("rocm-device-permission", Supports),
            ("intel-xpu-device-permission", Supports),
            ("nvidia-uvm-node-missing", Suggests),
            ("nvidia-uvm-module-not-loaded", Suggests),
            ("driver-not-installed", Refutes),
            ("driver-library-version-mismatch", Against),
            ("torch-cpu-only-wheel", Against),
            ("gpu-fell-off-bus", Against),
        ],
    ),
    circumstance(
        "fails-as-root-too",
        &["even as root", "even with sudo", "also as root", "root as well", "same as root", "same with sudo"],
        &[
            ("device-node-permission", Against),
            ("rocm-device-permission", Against),
            ("intel-xpu-device-permission", Against),
            ("selinux-denies-device", Suggests),
        ],
    ),
    // A container with all rights: what is missing is a right, not a driver.
    circumstance(
        "works-privileged",
        &[
            "works with --privileged",
            "--privileged works",
            "with --privileged it works",
            "works in privileged",
            "privileged: works",
            "--privileged*: works",
            "only with --privileged",
        ],
        &[
            ("selinux-denies-device", Suggests),
            ("container-cgroup-device-access-lost", Suggests),
            ("container-no-cgroups-setting", Suggests),
            ("rocm-device-permission", Suggests),
            ("driver-not-installed", Refutes),
        ],
    ),
];
