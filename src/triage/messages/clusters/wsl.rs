//! WSL and the driver of Windows.

use crate::facts::host;
use crate::subject::Subject;
use crate::triage::Found;
use crate::triage::messages::Weight::{Against, Refutes, Suggests, Supports};
use crate::triage::messages::{Message, circumstance, fault, with};

/// The rows.
pub static ROWS: &[Message] = &[
    // WSL, by its kernel or its paths.
    with(
        wsl,
        circumstance(
            "wsl-is-used",
            &[
                "microsoft-standard",
                "on wsl2",
                "in wsl2",
                "using wsl2",
                "under wsl2",
                "with wsl2",
                "inside wsl2",
                "wsl2 ubuntu",
                "ubuntu wsl2",
                "wsl2 on windows",
                "windows wsl2",
                "wsl2 kernel",
                "wsl2)",
                "(wsl2",
                "wsl2,",
                "wsl2.",
                "wsl2:",
                "-wsl2",
                "wsl2 nvidia-smi",
                "wsl --",
                "wsl.exe",
                "wsl nvidia-smi",
                "/usr/lib/wsl",
                "inside wsl",
                "in wsl",
                "/dev/dxg",
                "under wsl",
                "wsl 2",
                "windows subsystem for linux",
            ],
            &[
                ("wsl-libcuda-not-on-path", Supports),
                ("wsl-multi-gpu-init-oom", Supports),
                ("wsl-driver-store-libs-missing", Suggests),
                ("wsl-gpu-in-tcc-mode", Suggests),
                ("cuda-compat-on-geforce", Suggests),
                ("gpu-fell-off-bus", Against),
                ("driver-not-installed", Against),
                ("kernel-module-not-loaded", Refutes),
                ("fabric-manager-not-ready", Against),
                ("docker-desktop-linux-vm", Refutes),
                ("nvidia-uvm-module-not-loaded", Refutes),
                ("nvidia-uvm-node-missing", Refutes),
            ],
        ),
    ),
    circumstance(
        "windows-tcc",
        &[
            "tcc mode",
            "tcc wddm",
            "tcc one wddm",
            "tcc/wddm mixed",
            "-dm 1",
            "-fdm 1",
            "driver-model*tcc",
            "one tcc",
            "in tcc",
            "from tcc",
            "wddm mode",
            "tcc and",
            "shows tcc",
            "tcc for the",
            "in tcc",
            "tcc model",
            "tcc instead of wddm",
            "tcc driver",
        ],
        &[("wsl-gpu-in-tcc-mode", Supports)],
    ),
    // NVML 17: the driver of Windows, or the device cgroup, refuses.
    fault(
        "nvml",
        "nvml-blocked-by-os",
        &["gpu access blocked by the operating system"],
        &[
            ("wsl-driver-store-libs-missing", Suggests),
            ("wsl-gpu-in-tcc-mode", Suggests),
            ("container-no-cgroups-setting", Suggests),
        ],
    ),
    // The guest's copies of the Windows driver.
    circumstance(
        "wsl-driver-store",
        &[
            "/usr/lib/wsl/drivers",
            "nvcuda.dll*not found",
            "libdxcore.so*cannot open",
            "libd3d12core.so*cannot open",
            "libnvwgf2umx.so",
            "nvidia-ngx-updater",
            "driver store",
            "driverstore",
            "gpu-pv",
            "gpu-p ",
            "gpu paravirtuali",
            "add-vmgpupartitionadapter",
            "set-vmgpupartitionadapter",
        ],
        &[("wsl-driver-store-libs-missing", Supports)],
    ),
    fault(
        "device-access",
        "wsl-dxcore-failed",
        &[
            "dxgk: dxgkio_query_adapter_info: ioctl failed",
            "dxgkio_is_feature_enabled: ioctl failed",
            "dxgkio_reserve_gpu_va: ioctl failed",
            "libdxcore.so: cannot open shared object",
        ],
        &[("wsl-driver-store-libs-missing", Supports), ("wsl-gpu-in-tcc-mode", Suggests)],
    ),
];

/// WSL 2 has its name in the kernel's; a mention alone is no fact.
fn wsl(line: &str, found: &mut Found) {
    if line.to_lowercase().contains("microsoft-standard") {
        found.seen(&host::WSL, &Subject::machine(), 2);
    }
}
