//! The module is not there, or does not fit the kernel.

use crate::triage::messages::Weight::{Against, Suggests, Supports};
use crate::triage::messages::{Message, circumstance, fault};

/// The rows.
pub static ROWS: &[Message] = &[
    // errno ENODEV: the module found nothing that it drives.
    fault(
        "kernel-driver",
        "module-no-such-device",
        &[
            "could not insert 'nvidia*no such device",
            "could not insert module*nvidia*no such device",
            "insmod*nvidia*no such device",
            "could not insert 'nvidia': no such device",
            "failed to insert*nvidia*no such device",
        ],
        &[
            ("gpu-too-old-for-driver-branch", Suggests),
            ("nouveau-bound", Suggests),
            ("optimus-gpu-powered-off", Suggests),
            ("gpu-bound-to-vfio-pci", Suggests),
            ("no-nvidia-gpu-present", Suggests),
            ("pci-bar-not-assigned", Suggests),
            ("gpu-fell-off-bus", Suggests),
        ],
    ),
    // kmod knows no module of this name for the running kernel.
    fault(
        "kernel-driver",
        "module-not-found",
        &[
            "module nvidia not found",
            "module nvidia-current not found",
            "module nvidia_uvm not found",
            "module nvidia-uvm not found",
            "module nvidia-drm not found",
            "module nvidia_drm not found",
            "module nvidia-modeset not found",
            "nvidia not found in directory /lib/modules",
            "no nvidia module for kernel",
            "modinfo: error: module nvidia",
            "nvidia.ko: no such file",
        ],
        &[
            ("kernel-module-not-built-for-kernel", Supports),
            ("dkms-build-failed", Suggests),
            ("driver-not-installed", Suggests),
        ],
    ),
    // Nothing was wrong but that nobody loaded it.
    circumstance(
        "module-loads-by-hand",
        &[
            "works after modprobe nvidia",
            "works after *modprobe nvidia",
            "modprobe nvidia fixes",
            "modprobe nvidia fixed",
            "modprobe nvidia solves",
            "modprobe nvidia solved",
            "modprobe nvidia helps",
            "modprobe nvidia helped",
            "modprobe nvidia makes it work",
            "after running modprobe nvidia",
            "after sudo modprobe nvidia",
            "module is not loaded at boot",
            "module was not loaded at boot",
            "module not loaded on boot",
            "module not loaded at boot",
        ],
        &[("kernel-module-not-loaded", Supports), ("driver-not-installed", Against), ("dkms-build-failed", Against)],
    ),
    // Built for another kernel.
    fault(
        "kernel-driver",
        "module-of-another-kernel",
        &[
            "could not insert 'nvidia*exec format error",
            "could not insert 'nvidia*invalid argument",
            "could not insert 'nvidia*invalid module format",
            "invalid module format",
            "nvidia*exec format error",
            "nvidia: version magic",
            "version magic*should be",
            "nvidia: disagrees about version of symbol",
            "nvidia: unknown symbol",
            "could not insert 'nvidia*unknown symbol",
            "could not insert 'nvidia*key has*",
        ],
        &[("kernel-module-not-built-for-kernel", Supports), ("dkms-build-failed", Suggests)],
    ),
    // The kernel changed, or another one works.
    circumstance(
        "kernel-changed",
        &[
            "after kernel update",
            "after the kernel update",
            "after a kernel update",
            "after updating the kernel",
            "after upgrading the kernel",
            "after kernel upgrade",
            "after a kernel upgrade",
            "since the kernel update",
            "new kernel",
            "kernel was updated",
            "kernel was upgraded",
            "kernel upgrade",
            "kernel update",
            "older kernel works",
            "old kernel works",
            "previous kernel",
            "works with kernel",
            "works on kernel",
            "works under the kernel",
            "under the kernel",
            "boot into the old",
            "booting the old",
            "different kernel",
            "upgrade: linux-image",
            "install: linux-image",
        ],
        &[("kernel-module-not-built-for-kernel", Supports), ("dkms-build-failed", Suggests)],
    ),
];
