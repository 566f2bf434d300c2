//! Starting the GPU and its firmware.

use crate::triage::messages::Weight::{Against, Suggests, Supports};
use crate::triage::messages::{Message, circumstance, fault};

/// The rows.
pub static ROWS: &[Message] = &[
    // The adapter could not be started; the lines above it decide.
    fault(
        "kernel-driver",
        "rm-init-adapter-failed",
        &["rminitadapter failed", "rm_init_adapter failed", "rminitadapter: "],
        &[
            ("gpu-init-failed-gfw-gsp", Suggests),
            ("above-4g-decoding-disabled", Suggests),
            ("pci-bar-not-assigned", Suggests),
            ("gpu-fell-off-bus", Suggests),
            ("geforce-in-vm-driver-refuses", Suggests),
            ("driver-not-working", Against),
        ],
    ),
    // Seen with windows that are too small and with the closed flavour on a new card alike.
    circumstance(
        "rm-init-22-56",
        &[
            "rminitadapter failed! (0x22:0x56",
            "rminitadapter failed! (0x22:0xffff",
            "rminitadapter failed! (0x22:0x38",
            "rminitadapter failed! (0x30:",
            "rminitadapter failed! (0x31:",
        ],
        &[
            ("above-4g-decoding-disabled", Suggests),
            ("pci-bar-not-assigned", Suggests),
            ("blackwell-needs-open-kernel-module", Suggests),
        ],
    ),
    // The stage in which the card's own firmware is started.
    circumstance(
        "rm-init-62",
        &["rminitadapter failed! (0x62:", "rminitadapter failed! (0x61:"],
        &[("gpu-init-failed-gfw-gsp", Supports), ("above-4g-decoding-disabled", Against)],
    ),
    // Firmware of the card: its own boot (GFW), the region that GSP is put into (WPR2), GSP itself.
    fault(
        "kernel-driver",
        "gsp-boot-failed",
        &[
            "wpr2 already up",
            "unexpected wpr2",
            "cannot initialize gsp firmware rm",
            "cannot initialize gsp",
            "gfw boot",
            "gfw_boot",
            "gfw to complete",
            "waiting for gfw",
            "failed to wait for gfw",
            "gpu firmware boot",
            "firmware boot not complete",
            "kgspwaitforgfwboot",
            "kgspinitrm",
            "kgspbootstrap",
            "kgspexecutefwsec",
            "kgspexecutebooterload",
            "failed to execute fwsec",
            "failed to execute booter",
            "booter-load failed",
            "booter load*failed",
            "vbios*fwsec",
            "gsp initialization failed",
            "gsp failed to halt",
            "gsp-rm*boot*failed",
            "gsp boot failed",
            "failed to boot gsp",
            "gsp_init_done",
            "gsp init done",
            "scrubber*failed",
            "fsp boot",
            "gpu_fsp",
            "kfspsend",
        ],
        &[
            ("gpu-init-failed-gfw-gsp", Supports),
            ("gsp-firmware-timeout", Against),
            ("above-4g-decoding-disabled", Against),
            ("pci-bar-not-assigned", Against),
        ],
    ),
    // A file of the driver's package is missing.
    fault(
        "kernel-driver",
        "gsp-firmware-file-missing",
        &[
            "direct firmware load for nvidia/*failed",
            "nvidia/*gsp_*.bin failed",
            "request_firmware*gsp_",
            "failed to load firmware*gsp",
            "gsp_ga10x.bin",
            "gsp_tu10x.bin",
            "gsp.bin failed",
        ],
        &[
            ("gpu-init-failed-gfw-gsp", Suggests),
            ("driver-not-installed", Suggests),
            ("driver-library-version-mismatch", Suggests),
        ],
    ),
    // GSP worked and no longer answers.
    fault(
        "gpu-health",
        "gsp-rpc-timeout",
        &[
            "timeout waiting for rpc from gsp",
            "waiting for rpc from gsp",
            "timeout after*s of waiting for rpc response from gpu",
            "rpc response from gpu*gsp",
            "xid (pci:*): 119,",
            "xid (pci:*): 120,",
            "xid 119",
            "xid 120",
            "xid: 119",
            "xid: 120",
            "gsp task timeout",
            "gsp heartbeat",
            "gsp rpc timeout",
            "gsp timeout",
            "gsp error: task",
            "gsp task exception",
        ],
        &[("gsp-firmware-timeout", Supports), ("gpu-init-failed-gfw-gsp", Against), ("gpu-fell-off-bus", Suggests)],
    ),
    // Switching GSP off, as is advised for it.
    circumstance(
        "gsp-switched-off",
        &[
            "nvreg_enablegpufirmware",
            "enablegpufirmware: 0",
            "enablegpufirmware=0",
            "disable gsp",
            "gsp firmware off",
            "disabling gsp",
        ],
        &[("gsp-firmware-timeout", Supports)],
    ),
];
