//! Signatures of modules: Secure Boot and lockdown.

use crate::triage::messages::Weight::{Against, Suggests, Supports};
use crate::triage::messages::{Message, circumstance, fault};

/// The rows.
pub static ROWS: &[Message] = &[
    // errno EKEYREJECTED and ENOKEY.
    fault(
        "kernel-driver",
        "module-key-rejected",
        &[
            "key was rejected by service",
            "required key not available",
            "loading of module with unavailable key is rejected",
            "loading of unsigned module is rejected",
            "module is not signed with a trusted key",
            "could not insert*required key",
        ],
        &[
            ("secure-boot-unsigned-module", Supports),
            ("kernel-lockdown-unsigned-module", Suggests),
            ("kernel-module-blacklisted", Against),
            ("kernel-module-not-built-for-kernel", Against),
            ("nouveau-bound", Against),
        ],
    ),
    // Secure Boot is on, or its keys are spoken of.
    circumstance(
        "secure-boot-on",
        &[
            "secureboot enabled",
            "secure boot enabled",
            "secure boot is enabled",
            "secure boot is on",
            "secure boot: enabled",
            "secure boot state: enabled",
            "secureboot is enabled",
            "secure boot on",
            "with secure boot",
            "mokutil --import",
            "mok key",
            "mok management",
            "enroll mok",
            "enroll the key",
            "enroll the mok",
            "machine owner key",
            "sign the module",
            "sign the nvidia",
            "disabling secure boot",
            "disable secure boot",
            "disabled secure boot",
            "turn off secure boot",
            "turned off secure boot",
            "uefi secure boot",
            "secure boot -",
            "because of secure boot",
            "due to secure boot",
            "secure boot issue",
            "shim signed",
            "mokutil --sb-state",
        ],
        &[("secure-boot-unsigned-module", Supports), ("kernel-lockdown-unsigned-module", Suggests)],
    ),
    // And off.
    circumstance(
        "secure-boot-off",
        &[
            "secureboot disabled",
            "secure boot disabled",
            "secure boot is disabled",
            "secure boot: disabled",
            "secure boot is off",
            "efi variables are not supported on this system",
            "secure boot already disabled",
            "secure boot state: disabled",
        ],
        &[("secure-boot-unsigned-module", Against)],
    ),
    // errno EPERM of init_module: lockdown, or not root.
    fault(
        "kernel-driver",
        "module-not-permitted",
        &[
            "could not insert*operation not permitted",
            "insmod*operation not permitted",
            "failed to insert*operation not permitted",
            "finit_module*operation not permitted",
            "init_module*operation not permitted",
            "could not load*nvidia*operation not permitted",
            "error inserting*operation not permitted",
        ],
        &[("kernel-lockdown-unsigned-module", Supports), ("secure-boot-unsigned-module", Suggests)],
    ),
    // What locks the kernel down, and who says so.
    circumstance(
        "lockdown",
        &[
            "lockdown: modprobe",
            "lockdown: insmod",
            "lockdown: systemd-modules",
            "lockdown: systemd-udevd",
            "unsigned module loading is restricted",
            "kernel lockdown",
            "kernel_lockdown",
            "kernel is locked down",
            "lockdown=integrity",
            "lockdown=confidentiality",
            "lockdown = integrity",
            "lockdown mode",
            "none [integrity]",
            "[integrity] confidentiality",
            "[confidentiality]",
            "module.sig_enforce",
            "module.sig_enforce=1",
            "sig_enforce",
        ],
        &[("kernel-lockdown-unsigned-module", Supports), ("secure-boot-unsigned-module", Suggests)],
    ),
];
