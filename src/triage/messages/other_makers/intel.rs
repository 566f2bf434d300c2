//! Intel's GPUs: XPU, Level Zero, SYCL.

use crate::triage::messages::Weight::{Against, Refutes, Suggests, Supports};
use crate::triage::messages::{Message, circumstance, fault, harmless};

/// The rows.
pub static ROWS: &[Message] = &[
    // torch for Intel: the runtime found no device; the driver is missing, or its nodes do not open.
    fault(
        "framework",
        "xpu-init-failed",
        &[
            "failed to initialize xpu devices",
            "no xpu devices are available",
            "xpu device count is zero",
            "dpcpp device count is zero",
            "sycl device count is zero",
            "dpcppsetdevice: device_id is out of range",
            "xpu device is not available",
            "no device of requested type available",
            "no device of requested type 'info::device_type::gpu' available",
            "pi_error_device_not_found",
            "native api failed*device_not_found",
            "ur_result_error_device_not_found",
            "ze_result_error_uninitialized",
            "ze_result_error_dependency_unavailable",
            "zeinit failed",
            "zeinit*returned",
            "no gpu device found*sycl",
            "no platforms found*sycl",
            "can't find xpu device",
            "cannot find any xpu",
            "no intel gpu",
            "torch.xpu.is_available()*false",
            "xpu.is_available()*false",
            "xpu available: false",
            "xpu not available",
            "no xpu device",
        ],
        &[("intel-driver-not-installed", Suggests), ("intel-xpu-device-permission", Suggests)],
    ),
    // The trace of the SYCL loader is asked for where no device was found. Its Level Zero part is there.
    fault(
        "framework",
        "sycl-trace",
        &["sycl_ur_trace", "sycl_pi_trace", "ze_enable_loader_debug_trace", "ze_loader_debug_trace"],
        &[("intel-xpu-device-permission", Suggests), ("intel-driver-not-installed", Suggests)],
    ),
    circumstance(
        "level-zero-adapter-there",
        &[
            "loaded adapter*libur_adapter_level_zero",
            "[level_zero:gpu",
            "[ext_oneapi_level_zero:gpu",
            "libze_intel_gpu.so.1 (libc6",
        ],
        &[("intel-xpu-device-permission", Suggests), ("intel-driver-not-installed", Against)],
    ),
    // The compute runtime is not there.
    circumstance(
        "level-zero-missing",
        &[
            "libze_intel_gpu.so*cannot open shared object",
            "libze_loader.so*cannot open shared object",
            "libze_intel_gpu.so*not found",
            "libze_loader.so*not found",
            "failed to load driver*libze_intel_gpu",
            "without intel driver",
            "without intel gpu driver",
            "without the intel gpu driver",
            "intel gpu driver is not installed",
            "no intel gpu driver",
            "intel-level-zero-gpu*not installed",
            "libze-intel-gpu1*not installed",
            "installing intel-level-zero-gpu",
            "install intel-level-zero-gpu",
            "install libze-intel-gpu1",
            "intel-opencl-icd",
            "intel-compute-runtime",
            "force_probe",
            "number of platforms*0",
            "dgpu-docs.intel.com",
        ],
        &[("intel-driver-not-installed", Supports), ("intel-xpu-device-permission", Against)],
    ),
    // Rights that come and go with the seat, or that root alone has.
    circumstance(
        "seat-rights",
        &[
            "local login",
            "logged in locally",
            "log in locally",
            "over ssh",
            "via ssh",
            "through ssh",
            "ssh session",
            "desktop session",
            "loginctl",
            "after login",
        ],
        &[("intel-xpu-device-permission", Suggests), ("rocm-device-permission", Suggests)],
    ),
    // A second adapter, which may be what stands in the way: nothing is decided by it.
    circumstance("xpu-other-adapter", &["2.5.1+xpu*works", "integrated amd", "amd igpu", "with igpu"], &[]),
    // The loader of SYCL tries every maker's adapter.
    harmless(
        "sycl-other-makers-adapters",
        &["failed to load adapter 'libur_adapter_cuda", "failed to load adapter 'libur_adapter_hip"],
        &[],
    ),
    // The build has no XPU code: a CPU or CUDA build.
    fault(
        "framework",
        "xpu-not-compiled",
        &[
            "torch.xpu._is_compiled()*false",
            "torch.xpu._is_compiled*false",
            "torch not compiled with xpu enabled",
            "pytorch was compiled without xpu support",
        ],
        &[
            ("torch-cpu-only-wheel", Supports),
            ("intel-driver-not-installed", Refutes),
            ("intel-xpu-device-permission", Refutes),
        ],
    ),
];
