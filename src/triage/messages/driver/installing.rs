//! Building and installing the driver, and drivers that stand in its way.

use crate::triage::messages::Weight::{Against, Suggests, Supports};
use crate::triage::messages::{Message, circumstance, fault};

/// The rows.
pub static ROWS: &[Message] = &[
    // A package that builds for every kernel.
    circumstance(
        "module-package-reinstalled",
        &[
            "nvidia-dkms",
            "dkms autoinstall",
            "dkms install",
            "dkms status",
            "akmods --force",
            "akmod-nvidia",
            "kmod-nvidia",
            "linux-modules-nvidia",
            "dracut --force",
            "update-initramfs",
            "mkinitcpio",
            "depmod",
        ],
        &[("kernel-module-not-built-for-kernel", Suggests), ("dkms-build-failed", Suggests)],
    ),
    // The build ran, and failed.
    fault(
        "kernel-driver",
        "module-build-failed",
        &[
            "bad return status for module build",
            "error! bad return status",
            "building module*failed",
            "error: the kernel header file",
            "unable to find the kernel source tree",
            "kernel headers for kernel*cannot be found",
            "kernel headers*cannot be found",
            "your kernel headers for kernel",
            "kernel source path*is invalid",
            "failed to build the nvidia",
            "unable to build the nvidia kernel module",
            "performing the step: \"building kernel modules\"",
            "nvidia kernel module*missing but was built",
            "autoinstall failed",
            "build of nvidia.ko failed",
            "module build for kernel*was skipped",
            "nvidia kernel module build",
            "the nvidia kernel module was not built",
            "failed to build the*kernel module",
            "dkms: build*fail",
            "dkms*make.log",
            "dkms build failed",
            "dkms*build failed",
            "consult*make.log",
            "nvidia-installer*kernel module*fail",
            "conftest.sh",
            "nv-*.c:*error:",
            "nvidia-drm*.c:*error:",
            "nvidia-uvm*.c:*error:",
            "os-interface.c:*error:",
            "nv-mmap.c",
            "error: implicit declaration of function",
            "error: too many arguments to function",
            "error: too few arguments to function",
            "make*nvidia*error 2",
            "dkms apport",
            "package may not support",
            "compiler version check",
            "the kernel was built by*gcc",
            "cc version check failed",
            "modpost: gpl-incompatible module",
        ],
        &[("dkms-build-failed", Supports), ("kernel-module-not-built-for-kernel", Suggests)],
    ),
    // The .run installer at its last step.
    fault(
        "kernel-driver",
        "installer-cannot-load",
        &[
            "unable to load the kernel module 'nvidia",
            "unable to load the 'nvidia",
            "unable to load the nvidia kernel module",
            "nvidia-installer.log",
        ],
        &[
            ("nouveau-bound", Suggests),
            ("secure-boot-unsigned-module", Suggests),
            ("dkms-build-failed", Suggests),
            ("gpu-too-old-for-driver-branch", Suggests),
        ],
    ),
    // The installer built the modules to the end: what fails comes after.
    circumstance(
        "module-built-to-the-end",
        &[
            "[##############################] 100%",
            "installed version(s)",
            "signing module",
            "installing to /lib/modules",
        ],
        &[("dkms-build-failed", Against)],
    ),
    // Another driver has the card. nova is nouveau's successor in the kernel, and claims cards from Turing to Ada.
    fault(
        "kernel-driver",
        "nova-in-use",
        &["already bound to nova", "kernel driver in use: nova", "driver=nova_core", "driver=novacore"],
        &[("nouveau-bound", Supports), ("driver-not-installed", Against)],
    ),
    // nouveau has the card.
    fault(
        "kernel-driver",
        "nouveau-in-use",
        &[
            "kernel driver in use: nouveau",
            "nouveau kernel driver is currently in use",
            "driver=nouveau",
            "nouveau is currently in use",
            "nouveau is loaded",
            "nouveau driver is in use",
            "lsmod*nouveau",
            "using nouveau",
            "nouveau driver",
        ],
        &[("nouveau-bound", Supports), ("kernel-module-not-loaded", Against)],
    ),
    // Kept away.
    circumstance(
        "nouveau-blacklisted",
        &[
            "blacklist nouveau",
            "nouveau.modeset=0",
            "blacklisted nouveau",
            "blacklisting nouveau",
            "rd.driver.blacklist=nouveau",
            "modprobe.blacklist=nouveau",
        ],
        &[("nouveau-bound", Suggests)],
    ),
    // vfio-pci has the card: for a virtual machine.
    circumstance(
        "vfio-in-use",
        &[
            "kernel driver in use: vfio-pci",
            "driver=vfio-pci",
            "vfio-pci.ids=",
            "bound to vfio",
            "vfio-pci*bound",
            "options vfio-pci ids=",
            "vfio_pci: add",
        ],
        &[("gpu-bound-to-vfio-pci", Supports)],
    ),
    // Neither packages nor libraries.
    circumstance(
        "driver-never-installed",
        &[
            "no nvidia driver installed",
            "nvidia driver is not installed",
            "nvidia drivers are not installed",
            "nvidia driver not installed",
            "driver is not installed",
            "drivers not installed",
            "no driver installed",
        ],
        &[("driver-not-installed", Supports)],
    ),
    // Installing one was the cure, or is the advice.
    circumstance(
        "driver-to-be-installed",
        &[
            "install the nvidia driver",
            "install nvidia driver",
            "installing the nvidia driver",
            "installed the nvidia driver",
            "installing nvidia driver",
            "ubuntu-drivers install",
            "ubuntu-drivers autoinstall",
            "ubuntu-drivers devices",
            "apt install nvidia-driver",
            "apt-get install nvidia-driver",
            "dnf install akmod-nvidia",
        ],
        &[("driver-not-installed", Suggests)],
    ),
];
