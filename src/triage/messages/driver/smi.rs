//! What nvidia-smi and NVML answer, and what makes them answer so.

use crate::triage::messages::Weight::{Against, Suggests, Supports};
use crate::triage::messages::{Message, circumstance, fault};

/// The rows.
pub static ROWS: &[Message] = &[
    // The module cannot be reached. Which of a dozen reasons it is, other lines tell.
    fault(
        "nvidia-smi",
        "smi-no-communication",
        &[
            "nvidia-smi has failed because",
            "couldn't communicate with the nvidia driver",
            "couldn't communicate with nvidia driver",
            "could not communicate with the nvidia driver",
            "unable to communicate with the nvidia driver",
            "can't communicate with the nvidia driver",
        ],
        &[
            ("driver-not-working", Suggests),
            ("kernel-module-not-built-for-kernel", Suggests),
            ("kernel-module-not-loaded", Suggests),
            ("secure-boot-unsigned-module", Suggests),
            ("dkms-build-failed", Suggests),
            ("nouveau-bound", Suggests),
            ("driver-not-installed", Suggests),
            ("scheduler-no-gpu-allocated", Suggests),
            ("gpu-too-old-for-driver-branch", Suggests),
            ("optimus-gpu-powered-off", Suggests),
            ("kernel-module-blacklisted", Suggests),
        ],
    ),
    // NVML found the driver and no GPU that could be started.
    fault(
        "nvidia-smi",
        "smi-no-devices",
        &["no devices were found"],
        &[
            ("gpu-init-failed-gfw-gsp", Suggests),
            ("above-4g-decoding-disabled", Suggests),
            ("pci-bar-not-assigned", Suggests),
            ("blackwell-needs-open-kernel-module", Suggests),
            ("pre-turing-needs-proprietary-module", Suggests),
            ("gpu-fell-off-bus", Suggests),
            ("open-module-unsupported-gpu-flag", Suggests),
            ("wsl-gpu-in-tcc-mode", Suggests),
            ("scheduler-no-gpu-allocated", Suggests),
            ("passthrough-hypervisor-specific", Suggests),
        ],
    ),
    // One GPU gives no handle; symptoms.md, 3.
    fault(
        "nvml",
        "smi-device-handle-unknown",
        &[
            "unable to determine the device handle",
            "unable to determine device handle",
            "unable to get the device handle",
            "failed to get device handle for gpu",
            "failed to get device handle*unknown error",
        ],
        &[
            ("gpu-fell-off-bus", Suggests),
            ("gpu-overheat-shutdown", Suggests),
            ("geforce-in-vm-driver-refuses", Suggests),
            ("wsl-gpu-in-tcc-mode", Suggests),
            ("runtime-d3-resume-failure", Suggests),
            ("passthrough-hypervisor-specific", Suggests),
        ],
    ),
    // NVML 15, and what nvidia-smi writes for a handle that was valid before.
    fault(
        "nvml",
        "gpu-is-lost",
        &[
            "gpu is lost",
            "gpu_is_lost",
            "gpuislost",
            "nvml_error_gpu_is_lost",
            "unable to determine*gpu is lost",
            "reboot the system to recover this gpu",
        ],
        &[
            ("gpu-fell-off-bus", Supports),
            ("egpu-link-unstable", Suggests),
            ("runtime-d3-resume-failure", Suggests),
            ("gpu-overheat-shutdown", Suggests),
        ],
    ),
    // NVML 16.
    fault(
        "nvml",
        "gpu-requires-reset",
        &[
            "gpu requires reset",
            "reset_required",
            "gpu reset required",
            "gpu recovery action : reset",
            "gpu recovery action*reset",
        ],
        &[("gpu-reset-required", Supports)],
    ),
    // Cells of nvidia-smi that the driver could not fill.
    fault(
        "nvml",
        "smi-err-cells",
        &["err!    err!", "err! / err!", "|err!  ", "| err! ", "err! err! err!", "fan  err!"],
        &[
            ("gpu-fell-off-bus", Suggests),
            ("suspected-faulty-gpu", Suggests),
            ("gpu-overheat-shutdown", Suggests),
            ("gsp-firmware-timeout", Suggests),
        ],
    ),
    // NVML 18: the libraries were replaced under a module that runs.
    fault(
        "nvml",
        "nvml-version-mismatch",
        &[
            "driver/library version mismatch",
            "nvml/rm version mismatch",
            "rm has detected an nvml/rm version mismatch",
            "librmversionmismatch",
            "lib_rm_version_mismatch",
            "nvml library version:",
            "client and kernel module versions do not match",
        ],
        &[("driver-library-version-mismatch", Supports)],
    ),
    // What replaced them.
    circumstance(
        "driver-was-upgraded",
        &[
            "unattended-upgrade",
            "unattended upgrade",
            "upgrade: libnvidia",
            "upgrade: nvidia",
            "upgraded nvidia",
            "automatic update of the driver",
        ],
        &[("driver-library-version-mismatch", Supports), ("kernel-module-not-built-for-kernel", Suggests)],
    ),
    // A system that was upgraded.
    circumstance(
        "system-was-upgraded",
        &[
            "apt upgrade",
            "apt-get upgrade",
            "apt full-upgrade",
            "apt-get dist-upgrade",
            "dnf upgrade",
            "dnf update",
            "yum update",
            "pacman -syu",
            "zypper dup",
            "zypper up",
            "needrestart",
        ],
        &[("driver-library-version-mismatch", Suggests), ("kernel-module-not-built-for-kernel", Suggests)],
    ),
    // Both libraries and module of a package system, of two versions.
    fault(
        "nvml",
        "held-or-mixed-driver",
        &[
            "module version*library version",
            "kernel module version*does not match",
            "mismatch between*kernel module",
            "installed driver*differs from*loaded",
        ],
        &[("driver-library-version-mismatch", Supports)],
    ),
    // NVML 9 in words.
    fault(
        "nvml",
        "nvml-driver-not-loaded",
        &[
            "failed to initialize nvml: driver not loaded",
            "nvml: driver not loaded",
            "nvmlerror_drivernotloaded",
            "nvml_error_driver_not_loaded",
            "nvml: n/a",
            "nvidia driver is not loaded",
            "nvidia kernel module is not loaded",
            "nvidia module is not loaded",
            "driver not loaded",
        ],
        &[
            ("kernel-module-not-loaded", Suggests),
            ("kernel-module-not-built-for-kernel", Suggests),
            ("driver-not-working", Suggests),
            ("driver-not-installed", Suggests),
            ("secure-boot-unsigned-module", Suggests),
        ],
    ),
    // libnvidia-ml is nowhere.
    fault(
        "nvml",
        "nvml-library-missing",
        &[
            "nvidia-smi couldn't find libnvidia-ml",
            "nvml shared library not found",
            "nvmlerror_librarynotfound",
            "nvml_error_library_not_found",
            "libnvidia-ml.so*cannot open shared object",
        ],
        &[
            ("driver-not-installed", Suggests),
            ("container-without-gpu-access", Suggests),
            ("driver-not-working", Suggests),
            ("nvidia-smi-missing", Suggests),
        ],
    ),
    // The program is nowhere; the driver may be there all the same.
    fault(
        "nvidia-smi",
        "smi-not-found",
        &[
            "nvidia-smi: command not found",
            "command 'nvidia-smi' not found",
            "nvidia-smi: not found",
            "nvidia-smi not found",
            "nvidia-smi' is not recognized",
            "no such file or directory: 'nvidia-smi'",
            "nvidia-smi: no such file",
            "which: no nvidia-smi",
        ],
        &[
            ("driver-not-installed", Suggests),
            ("container-without-gpu-access", Suggests),
            ("nvidia-smi-missing", Suggests),
            ("wsl-libcuda-not-on-path", Suggests),
            ("k8s-runtimeclass-missing", Suggests),
            ("container-visible-devices-policy", Suggests),
            ("scheduler-no-gpu-allocated", Suggests),
        ],
    ),
    // Ubuntu's shell names the packages that would bring it, where none of them is installed.
    circumstance(
        "smi-can-be-installed",
        &["nvidia-smi*can be installed with", "apt install nvidia-utils-"],
        &[("driver-not-installed", Supports), ("container-without-gpu-access", Against)],
    ),
    // TensorFlow and others look at this file.
    fault(
        "kernel-driver",
        "proc-version-missing",
        &[
            "/proc/driver/nvidia/version does not exist",
            "/proc/driver/nvidia/version: no such file",
            "kernel driver does not appear to be running on this host",
            "kernel driver not installed",
            "no nvidia driver is loaded",
            "nvidia kernel driver*not running",
        ],
        &[
            ("driver-not-working", Suggests),
            ("driver-not-installed", Suggests),
            ("container-without-gpu-access", Suggests),
            ("optimus-gpu-powered-off", Suggests),
            ("kernel-module-not-loaded", Suggests),
            ("kernel-module-not-built-for-kernel", Suggests),
        ],
    ),
    // collect_env asks nvidia-smi, on Windows too.
    circumstance(
        "collect-env-no-driver",
        &["nvidia driver version: could not collect"],
        &[("driver-not-working", Suggests), ("driver-not-installed", Suggests)],
    ),
];
