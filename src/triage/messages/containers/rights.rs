//! Rights inside a container: device cgroups, modes of nodes, SELinux.

use crate::triage::messages::Weight::{Against, Suggests, Supports};
use crate::triage::messages::{Message, circumstance, fault};

/// The rows.
pub static ROWS: &[Message] = &[
    // NVML opened no node: EPERM of a device cgroup.
    fault(
        "nvml",
        "nvml-unknown-error-at-init",
        &[
            "failed to initialize nvml: unknown error",
            "failed to initialize nvml: error_unknown",
            "could not initialize nvml: unknown error",
            "nvmlinit*unknown error",
        ],
        &[("container-cgroup-device-access-lost", Supports), ("container-no-cgroups-setting", Suggests)],
    ),
    circumstance(
        "daemon-reload",
        &["daemon-reload", "daemon reload", "systemd: reloading", "systemd[1]: reloading"],
        &[("container-cgroup-device-access-lost", Supports), ("container-no-cgroups-setting", Against)],
    ),
    // The device cgroup's list, read inside a container.
    circumstance(
        "devices-list",
        &[
            "devices/devices.list",
            "c 195:* m",
            "c 195:0 rw",
            "c 195:255 rw",
            "native.cgroupdriver=cgroupfs",
            "create-dev-char-symlinks",
        ],
        &[("container-cgroup-device-access-lost", Supports)],
    ),
    circumstance(
        "no-cgroups-true",
        &["no-cgroups = true", "no-cgroups=true", "no-cgroups true"],
        &[
            ("container-no-cgroups-setting", Supports),
            ("container-cgroup-device-access-lost", Against),
            ("wsl-gpu-in-tcc-mode", Against),
        ],
    ),
    circumstance(
        "no-cgroups-cured",
        &["no-cgroups = false", "no-cgroups=false", "no-cgroups to false"],
        &[("container-no-cgroups-setting", Supports), ("container-cgroup-device-access-lost", Against)],
    ),
    circumstance(
        "unprivileged-container",
        &["user namespace", "unprivileged container", "unprivileged lxc", "lxc.idmap", "unprivileged: 1"],
        &[("container-no-cgroups-setting", Suggests)],
    ),
    // It worked in this container before.
    circumstance(
        "container-lost-gpu-later",
        &[
            "after a while",
            "after some time",
            "after a few hours",
            "after several hours",
            "after a few days",
            "loses access to",
            "lost access to the gpu",
            "loses gpu access",
            "suddenly stops",
            "stops working after",
            "lose the gpu",
            "lost the gpu",
        ],
        &[("container-cgroup-device-access-lost", Suggests), ("container-no-cgroups-setting", Against)],
    ),
    // NVML 4 at the start: a node that may not be opened (EACCES).
    fault(
        "nvml",
        "nvml-insufficient-permissions",
        &["failed to initialize nvml: insufficient permissions", "failed to initialize nvml: error_no_permission"],
        &[("device-node-permission", Supports), ("selinux-denies-device", Suggests)],
    ),
    // Nodes that not everybody may open.
    circumstance(
        "node-mode-settings",
        &[
            "nvreg_devicefilemode",
            "nvreg_devicefilegid",
            "nvreg_devicefileuid",
            "not in group video",
            "not in the video group",
            "not in video group",
            "not a member of the video group",
            "devicefilemode: 432",
            "devicefilemode: 384",
        ],
        &[("device-node-permission", Supports)],
    ),
    circumstance("node-modes", &["crw-rw----*nvidia", "crw-------*nvidia"], &[("device-node-permission", Supports)]),
    fault(
        "device-access",
        "selinux-denial",
        &[
            "avc:*denied*nvidia",
            "avc:*denied*container_t*xserver_misc_device_t",
            "avc:*denied*xserver_misc_device_t",
            "selinux is preventing*nvidia",
        ],
        &[("selinux-denies-device", Supports)],
    ),
    circumstance(
        "selinux-at-work",
        &[
            "setenforce 0",
            "container_use_devices",
            "security-opt=label=disable",
            "security-opt label=disable",
            "--security-opt=label:disable",
            "label=type:nvidia_container_t",
            "nvidia_container_t",
            "selinux enforcing",
            "selinux=enforcing",
            "getenforce",
        ],
        &[("selinux-denies-device", Supports)],
    ),
];
