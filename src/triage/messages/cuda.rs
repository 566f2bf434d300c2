//! What CUDA answers when it does not start, in the words of the driver, of the runtime and of frameworks, with the numbers of
//! CUDA 10.0 and older beside the present ones.

use super::About::Harmless;
use super::Weight::{Against, Decides, Refutes, Suggests, Supports};
use super::{Message, circumstance, fault, with};
use crate::facts::cuda;
use crate::subject::Subject;
use crate::triage::Found;

/// The rows.
pub static ROWS: &[Message] = &[
    // 35. Also where there is no libcuda at all; PyTorch's sentence with a version has one.
    with(
        found_version,
        fault(
            "cuda-runtime",
            "cuda-driver-too-old-found",
            &["driver on your system is too old"],
            &[("driver-too-old-for-cuda-runtime", Supports)],
        ),
    ),
    fault(
        "cuda-runtime",
        "cuda-35",
        &[
            "cuda driver version is insufficient for cuda runtime version",
            "error 35*insufficient",
            "cudaerrorinsufficientdriver",
            "error=35 :",
            "cuda runtime error (35)",
            "cuda error: 35",
            "cuda failure 35",
            "unsupported display driver version",
        ],
        &[
            ("driver-too-old-for-cuda-runtime", Supports),
            ("libcuda-not-on-loader-path", Suggests),
            ("container-without-gpu-access", Suggests),
            ("driver-not-installed", Suggests),
        ],
    ),
    // A libcuda before CUDA 12 lacks a call that the program needs.
    fault(
        "cuda-runtime",
        "libcuda-symbol-missing",
        &[
            "undefined symbol: cutensormapencodetiled",
            "undefined symbol: cugetprocaddress",
            "undefined symbol: cumemcreate",
            "undefined symbol: cugetprocaddress_v2",
            "undefined symbol: cudevicegetuuid_v2",
            "undefined symbol: culibraryloaddata",
            "undefined symbol: cukernelgetfunction",
            "undefined symbol: cumulticastcreate",
        ],
        &[
            ("driver-too-old-for-cuda-runtime", Supports),
            ("libcuda-stub-loaded", Suggests),
            ("wrong-libcuda-loaded", Suggests),
        ],
    ),
    // 222: PTX of a newer toolkit than the driver's compiler.
    fault(
        "cuda-kernel",
        "cuda-222",
        &[
            "provided ptx was compiled with an unsupported toolchain",
            "cuda_error_unsupported_ptx_version",
            "unsupported .version*current version is",
            "ptx was compiled with an unsupported toolchain",
            "cudaerrorunsupportedptxversion",
            "ptx version*not supported by*driver",
            "nvjitlink_error_ptx_compile",
        ],
        &[("ptx-newer-than-driver", Supports), ("driver-too-old-for-cuda-runtime", Against)],
    ),
    // 200: also code that is compressed in a way that drivers before 550 do not know, as in llama.cpp and Ollama.
    fault(
        "cuda-kernel",
        "cuda-200",
        &["device kernel image is invalid", "cuda_error_invalid_image", "cudaerrorinvalidkernelimage"],
        &[
            ("driver-too-old-for-cuda-runtime", Suggests),
            ("ptx-newer-than-driver", Suggests),
            ("gpu-arch-missing-in-build", Suggests),
        ],
    ),
    // 218
    fault(
        "cuda-kernel",
        "cuda-218",
        &["a ptx jit compilation failed", "cuda_error_invalid_ptx", "cudaerrorinvalidptx"],
        &[("ptx-newer-than-driver", Suggests), ("gpu-arch-missing-in-build", Suggests)],
    ),
    // 221
    fault(
        "cuda-kernel",
        "cuda-221",
        &[
            "cuda_error_jit_compiler_not_found",
            "cudaerrorjitcompilernotfound",
            "ptx jit compiler library not found",
            "ptx jit compiler library was not found",
        ],
        &[("ptx-jit-compiler-missing", Supports), ("container-driver-capabilities-missing", Suggests)],
    ),
    // A compat libcuda before the driver's own, on a GPU that may not use it.
    with(
        code_804,
        fault(
            "cuda-driver",
            "cuda-804",
            &[
                "forward compatibility was attempted on non supported",
                "error 804",
                "cuda_error_compat_not_supported_on_device",
                "cudaerrorcompatnotsupportedondevice",
            ],
            &[("cuda-compat-on-geforce", Supports), ("libcuda-kernel-module-mismatch", Suggests)],
        ),
    ),
    circumstance(
        "cuda-compat-is-there",
        &["cuda-compat", "/compat/libcuda", "lib/compat", "vllm_enable_cuda_compatibility", "cuda/compat"],
        &[("cuda-compat-on-geforce", Supports)],
    ),
    // libcuda and module of different drivers.
    with(
        code_803,
        fault(
            "cuda-driver",
            "cuda-803",
            &[
                "unsupported display driver / cuda driver combination",
                "unsupported display driver/cuda driver combination",
                "error 803",
                "cuda_error_system_driver_mismatch",
                "cudaerrorsystemdrivermismatch",
            ],
            &[
                ("libcuda-kernel-module-mismatch", Supports),
                ("wrong-libcuda-loaded", Suggests),
                ("driver-library-version-mismatch", Suggests),
                ("cuda-compat-on-geforce", Suggests),
            ],
        ),
    ),
    // TensorFlow compares the two.
    fault(
        "cuda-driver",
        "tf-dso-version",
        &["does not match dso version"],
        &[
            ("libcuda-kernel-module-mismatch", Supports),
            ("driver-library-version-mismatch", Supports),
            ("wrong-libcuda-loaded", Suggests),
        ],
    ),
    // The driver waits, for the fabric or for confidential computing; where there is neither, for nobody knows what.
    with(
        code_802,
        fault(
            "cuda-driver",
            "cuda-802",
            &[
                "system not yet initialized",
                "error 802",
                "cuda_error_system_not_ready",
                "cudaerrorsystemnotready",
                "returned 802",
            ],
            &[
                ("fabric-manager-not-ready", Suggests),
                ("confidential-compute-not-ready", Suggests),
                ("uvm-hmm-driver-bug", Suggests),
            ],
        ),
    ),
    // Boards that hang on an NVSwitch fabric.
    circumstance(
        "nvswitch-machine",
        &[
            "nvswitch",
            "nvidia hgx",
            "hgx a100",
            "hgx h100",
            "hgx h200",
            "hgx h20",
            "hgx b200",
            "dgx a100",
            "dgx h100",
            "dgx h200",
            "dgx b200",
            "80gb hbm3",
            "a100-sxm",
            "a800-sxm",
            "h100-sxm",
            "h100 sxm",
            "h800 sxm",
            "nvidia h20",
            "nvidia b200",
            "nvidia b300",
            "-b200",
            "gb200",
            "gb300",
            "p4d.24xlarge",
            "p4de.24xlarge",
            "p5.48xlarge",
            "p5en.48xlarge",
            "a3-highgpu-8g",
            "a3-megagpu",
            "standard_nd96",
        ],
        &[
            ("fabric-manager-not-ready", Supports),
            ("nvlink-failure", Suggests),
            ("benign-fabric-manager-without-nvswitch", Against),
        ],
    ),
    circumstance(
        "fabric-manager-named",
        &["fabricmanager", "fabric manager", "nv-fabricmanager"],
        &[("fabric-manager-not-ready", Supports)],
    ),
    fault(
        "cuda-driver",
        "fabric-state-waiting",
        &["fabric state*in progress", "fabric*state*: in progress", "fabric state*not started", "state*: not started"],
        &[("fabric-manager-not-ready", Supports)],
    ),
    fault(
        "cuda-driver",
        "fabric-manager-failed",
        &[
            "fabric manager version*doesn't match",
            "fabric manager*does not match",
            "failed to start nvidia fabric manager",
            "nvidia-fabricmanager.service: failed",
            "aborting fabric manager",
            "driver interface version*match with driver version",
            "nvidia-fabricmanager.service*failed with result",
            "fabric manager*failed to initialize",
        ],
        &[("fabric-manager-not-ready", Supports)],
    ),
    // Nothing to manage: there is no switch.
    Message {
        id: "fabric-manager-nothing-to-do",
        words: &["nv_warn_nothing_to_do"],
        about: Harmless,
        causes: &[("benign-fabric-manager-without-nvswitch", Decides), ("fabric-manager-not-ready", Refutes)],
        facts: None,
    },
    circumstance(
        "confidential-computing",
        &[
            "confidential comput",
            "conf-compute",
            "intel tdx",
            "tdx guest",
            "td guest",
            "sev-snp",
            "cc mode",
            "cc feature",
            "nvtrust",
            "cc status",
            "confidential vm",
        ],
        &[("confidential-compute-not-ready", Supports)],
    ),
    // 34
    with(
        code_34,
        fault(
            "cuda-driver",
            "cuda-34",
            &[
                "cuda driver is a stub library",
                "cuda_error_stub_library",
                "cudaerrorstublibrary",
                "cudaapierror: [34]",
                "error 34: ",
            ],
            &[("libcuda-stub-loaded", Decides)],
        ),
    ),
    circumstance("stub-path", &["/stubs/libcuda.so", "lib64/stubs", "lib/stubs"], &[("libcuda-stub-loaded", Supports)]),
    // 3: early and unspecific. A fork after cuInit, or the UVM module.
    with(
        code_3,
        fault(
            "cuda-driver",
            "cuda-3",
            &[
                "cuda driver initialization failed",
                "cuda driver library init failure: 3",
                "cuda_error_not_initialized",
                "cudaerrorinitializationerror",
                "cuda error: initialization error",
                "error 3: initialization error",
                "cuda runtime error (3)",
                "error=3 :",
                "cuinit err: 3",
                "cuinit(0) returned 3",
            ],
            &[
                ("cuda-initialized-before-fork", Suggests),
                ("uvm-hmm-driver-bug", Suggests),
                ("nvidia-uvm-bad-state", Suggests),
                ("motherboard-hardware-fault", Suggests),
            ],
        ),
    ),
    // A program that does not fork.
    circumstance(
        "ollama-init-3",
        &["cuda driver library init failure: 3"],
        &[("uvm-hmm-driver-bug", Supports), ("cuda-initialized-before-fork", Against)],
    ),
    circumstance(
        "uvm-hmm",
        &["uvm_disable_hmm", "uvm-disable-hmm", "request_free_mem_region", "nokaslr"],
        &[("uvm-hmm-driver-bug", Supports)],
    ),
    // 999, 30 before CUDA 10.1: the UVM module, as a rule. Reloading it, the first candidate's fix, also cures the next two.
    with(
        code_999,
        fault(
            "cuda-driver",
            "cuda-999",
            &[
                "cuda unknown error",
                "cuda_error_unknown",
                "cudaerrorunknown",
                "error 999",
                "cuda error 999",
                "error=30 :",
                "cuda runtime error (30)",
                "cuda driver library init failure: 999",
                "failed to get device context 999",
                "cuda initialization: unknown error",
                "cuinit(0) failed -> cuda_error_unknown",
                "failed call to cuinit: unknown error (999)",
                "cuinit: unknown error",
            ],
            &[
                ("nvidia-uvm-bad-state", Suggests),
                ("suspend-breaks-nvidia-uvm", Suggests),
                ("nvidia-uvm-module-not-loaded", Suggests),
                ("nvidia-uvm-node-missing", Suggests),
            ],
        ),
    ),
    fault(
        "device-access",
        "uvm-node-missing-said",
        &[
            "/dev/nvidia-uvm*no such file",
            "/dev/nvidia-uvm*missing",
            "/dev/nvidia-uvm*does not exist",
            "/dev/nvidia-uvm*not found",
            "no /dev/nvidia-uvm",
            "/dev/nvidia-uvm is not",
            "missing /dev/nvidia-uvm",
        ],
        &[
            ("nvidia-uvm-node-missing", Supports),
            ("nvidia-uvm-module-not-loaded", Suggests),
            ("suspend-breaks-nvidia-uvm", Refutes),
            ("nvidia-uvm-bad-state", Refutes),
        ],
    ),
    circumstance(
        "nvidia-modprobe-uvm",
        &["nvidia-modprobe -u", "nvidia-modprobe -c", "nvidia-modprobe -c0 -u", "nvidia-modprobe -c=0 -u"],
        &[("nvidia-uvm-node-missing", Suggests), ("nvidia-uvm-module-not-loaded", Suggests)],
    ),
    // 46: a context was refused.
    fault(
        "cuda-kernel",
        "cuda-46",
        &[
            "all cuda-capable devices are busy or unavailable",
            "cuda-capable device(s) is/are busy or unavailable",
            "cudaerrordevicesunavailable",
            "cuda runtime error (46)",
            "error=46 :",
            "failed to get device context 46",
            "(46 vs. 0)",
            "error 46",
        ],
        &[("exclusive-compute-mode", Suggests), ("vgpu-unlicensed", Suggests), ("vgpu-profile-without-cuda", Suggests)],
    ),
    // Nobody else holds the GPU.
    circumstance(
        "gpu-is-idle",
        &["0% utilization", "no running processes found", "0 % utilization", "gpu is idle"],
        &[("exclusive-compute-mode", Against)],
    ),
    circumstance(
        "compute-mode-exclusive",
        &["e. process", "exclusive_process", "exclusive process", "exclusive_thread", "e. thread"],
        &[("exclusive-compute-mode", Supports)],
    ),
    // 101, 10 before CUDA 10.1: a number past the end of what is visible.
    fault(
        "framework",
        "cuda-101",
        &[
            "invalid device ordinal",
            "cuda_error_invalid_device",
            "cudaerrorinvaliddevice",
            "cuda runtime error (10)",
            "cuda runtime error (101)",
        ],
        &[
            ("more-ranks-than-visible-gpus", Supports),
            ("cuda-visible-devices-out-of-range", Suggests),
            ("cvd-not-renumbered-in-container", Suggests),
            ("mig-single-instance-limit", Suggests),
        ],
    ),
    // 100, 38 before CUDA 10.1: cuInit ran and lists nothing.
    with(
        code_100,
        fault(
            "cuda-driver",
            "cuda-100",
            &[
                "no cuda-capable device is detected",
                "cuda_error_no_device",
                "cudaerrornodevice",
                "cuda runtime error (38)",
                "error=38 :",
                "cuinit: no cuda-capable device",
                "cuda driver library init failure: 100",
                "no nvidia devices detected by library",
            ],
            &[
                ("cuda-visible-devices-out-of-range", Suggests),
                ("cuda-visible-devices-hides-all", Suggests),
                ("device-node-permission", Suggests),
                ("container-without-gpu-access", Suggests),
                ("gpu-fell-off-bus", Suggests),
                ("nvlink-bridge-fault", Suggests),
                ("mig-enabled-unintentionally", Suggests),
            ],
        ),
    ),
    // What Stable Diffusion's web interface says at its start.
    fault(
        "framework",
        "webui-no-gpu",
        &["torch is not able to use gpu"],
        &[
            ("torch-cpu-only-wheel", Suggests),
            ("driver-not-working", Suggests),
            ("amd-gpu-with-cuda-torch", Suggests),
            ("device-node-permission", Suggests),
            ("driver-too-old-for-cuda-runtime", Suggests),
        ],
    ),
    // PyTorch counts none.
    with(
        counts_none,
        fault(
            "framework",
            "torch-no-cuda-gpus",
            &["no cuda gpus are available"],
            &[
                ("cuda-visible-devices-hides-all", Suggests),
                ("cuda-visible-devices-out-of-range", Suggests),
                ("scheduler-no-gpu-allocated", Suggests),
                ("ray-hides-gpus", Suggests),
                ("container-without-gpu-access", Suggests),
                ("cuda-compat-on-geforce", Suggests),
                ("mig-enabled-unintentionally", Suggests),
                ("cvd-not-renumbered-in-container", Suggests),
            ],
        ),
    ),
    // A mask that names GPUs, whether or not they are there.
    with(mask, circumstance("mask-is-set", &["cuda_visible_devices"], &[])),
    circumstance(
        "mask-names-gpus",
        &[],
        &[
            ("cuda-visible-devices-hides-all", Refutes),
            ("ray-hides-gpus", Against),
            ("scheduler-no-gpu-allocated", Against),
            ("cuda-visible-devices-out-of-range", Suggests),
            ("cvd-not-renumbered-in-container", Suggests),
        ],
    ),
    // 2 while CUDA starts, before the program allocates.
    with(
        code_2,
        fault(
            "cuda-driver",
            "cuda-2-at-init",
            &[
                "cudagetdevicecount()*error 2: out of memory",
                "cuinit*cuda_error_out_of_memory",
                "cuinit: out of memory",
                "cuda driver library init failure: 2",
            ],
            &[("wsl-multi-gpu-init-oom", Suggests), ("orphan-process-holds-vram", Suggests)],
        ),
    ),
    // 801
    fault(
        "cuda-driver",
        "cuda-801",
        &[
            "error 801",
            "cudagetdevicecount*operation not supported",
            "cuda_error_not_supported",
            "cudaerrornotsupported",
        ],
        &[("device-node-permission", Suggests)],
    ),
    // A virtual GPU that gives no context.
    fault(
        "cuda-kernel",
        "ollama-context-801",
        &["failed to get device context 801"],
        &[("vgpu-profile-without-cuda", Suggests), ("vgpu-unlicensed", Suggests)],
    ),
    // 800: the cgroup changed under a process that had started.
    fault(
        "cuda-driver",
        "cuda-800",
        &["error 800", "failed to get device context 800", "cuda_error_not_permitted", "cudaerrornotpermitted"],
        &[("container-cgroup-device-access-lost", Suggests)],
    ),
    // 805
    with(
        code_805,
        fault(
            "cuda-driver",
            "cuda-805",
            &[
                "mps client failed to connect to the mps control daemon",
                "error 805",
                "cuda_error_mps_connection_failed",
                "cudaerrormpsconnectionfailed",
            ],
            &[("mps-daemon-unreachable", Decides)],
        ),
    ),
    // 806 to 810
    fault(
        "cuda-driver",
        "cuda-806",
        &[
            "mps server is not ready",
            "cuda_error_mps_server_not_ready",
            "cuda_error_mps_rpc_failure",
            "mps rpc call failed",
            "cudaerrormpsserver",
            "cudaerrormpsrpcfailure",
        ],
        &[("mps-daemon-unreachable", Supports)],
    ),
    // libcuda cannot be found: no driver here, or not in this place.
    fault(
        "cuda-driver",
        "no-driver-found",
        &[
            "found no nvidia driver on your system",
            "libcuda.so.1: cannot open shared object file",
            "libcuda.so: cannot open shared object file",
            "could not load dynamic library 'libcuda.so",
            "unknown error (303)",
            "cuda driver library cannot be found",
            "libcuda.so.1 not found",
            "libcuda.so.1 => not found",
            "unable to find libcuda.so",
            "cannot find libcuda",
            "failed to dlopen libcuda",
            "could not find cuda drivers on your machine",
            "failed to load libcuda",
        ],
        &[
            ("driver-not-installed", Suggests),
            ("container-without-gpu-access", Suggests),
            ("driver-not-working", Suggests),
            ("libcuda-not-on-loader-path", Suggests),
            ("wsl-libcuda-not-on-path", Suggests),
            ("container-driver-capabilities-missing", Suggests),
            ("k8s-runtimeclass-missing", Suggests),
            ("scheduler-no-gpu-allocated", Suggests),
        ],
    ),
    // bitsandbytes before 0.42 searches folders of its own.
    fault(
        "cuda-driver",
        "bitsandbytes-no-libcuda",
        &["libcuda.so not found"],
        &[
            ("wsl-libcuda-not-on-path", Suggests),
            ("libcuda-not-on-loader-path", Suggests),
            ("driver-not-installed", Suggests),
            ("container-without-gpu-access", Suggests),
        ],
    ),
    // The loader's list holds a libcuda, or the file was seen.
    circumstance(
        "libcuda-exists",
        &["libcuda.so.1 (libc6*=>", "libcuda.so.1 => /"],
        &[
            ("libcuda-not-on-loader-path", Supports),
            ("wsl-libcuda-not-on-path", Suggests),
            ("driver-not-installed", Against),
            ("container-without-gpu-access", Against),
        ],
    ),
    // A loader of its own does not read the system's list.
    circumstance(
        "nix-is-used",
        &["nix-shell", "/nix/store", "nix develop", "nixgl", "nixos", "guix shell"],
        &[("libcuda-not-on-loader-path", Supports)],
    ),
    // Several copies of libcuda, or of another architecture.
    fault(
        "cuda-driver",
        "libcuda-wrong-class",
        &["libcuda.so*wrong elf class", "libcuda.so*file too short", "libcuda.so*invalid elf header"],
        &[("wrong-libcuda-loaded", Supports)],
    ),
    // Copies of libcuda in more than one folder.
    circumstance(
        "libcuda-copies",
        &[
            "found duplicate ['libcuda.so",
            "found multiple libcuda",
            "multiple libcuda",
            "two libcuda",
            "another libcuda",
            "old libcuda",
            "stale libcuda",
            "wrong libcuda",
            "leftover libcuda",
        ],
        &[("wrong-libcuda-loaded", Supports), ("libcuda-kernel-module-mismatch", Suggests)],
    ),
    // More instances of one GPU than a process can use.
    fault(
        "framework",
        "torch-device-assert",
        &[
            "device < num_gpus internal assert failed",
            "device_index < num_devices internal assert failed",
            "device >= 0 && device < num_gpus",
        ],
        &[("mig-single-instance-limit", Suggests), ("cuda-visible-devices-out-of-range", Suggests)],
    ),
    // MIG is on, and there is nothing in it.
    circumstance(
        "mig-without-instances",
        &[
            "no mig devices found",
            "no mig-enabled devices found",
            "no mig instances",
            "mig mode was enabled",
            "mig mode is enabled",
            "mig was enabled",
            "accidentally enabled mig",
            "mig is enabled but",
            "nvidia-smi -mig 0",
            "mig -cgi",
        ],
        &[("mig-enabled-unintentionally", Supports)],
    ),
    circumstance(
        "mig-instances",
        &[
            "-mig-1g",
            "-mig-2g",
            "-mig-3g",
            "-mig-4g",
            "-mig-7g",
            "mig-gpu-",
            "mig 1g.",
            "mig 2g.",
            "mig 3g.",
            "mig 4g.",
            "mig 7g.",
            "mig slice",
            "mig instance",
            "mig devices:",
            "mig partition",
        ],
        &[("mig-single-instance-limit", Supports), ("mig-enabled-unintentionally", Against)],
    ),
];

/// `found version 11040`: what the libcuda offers that was loaded.
fn found_version(line: &str, found: &mut Found) {
    let lower = line.to_lowercase();
    let Some((_, rest)) = lower.split_once("found version") else { return };
    let digits: String = rest.trim_start().chars().take_while(char::is_ascii_digit).collect();
    if let Ok(version @ 1000..100_000) = digits.parse::<i32>() {
        found.seen(&cuda::DRIVER_VERSION, &Subject::machine(), version);
    }
}

/// PyTorch asked CUDA and got zero.
fn counts_none(_: &str, found: &mut Found) {
    found.seen(&cuda::COUNT, &Subject::machine(), 0);
}

/// `CUDA_VISIBLE_DEVICES=2,3`, with a number or a UUID behind the sign.
fn mask(line: &str, found: &mut Found) {
    let lower = line.to_lowercase();
    let Some((_, rest)) = lower.split_once("cuda_visible_devices") else { return };
    let rest = rest.trim_start_matches([' ', '"', '\'', ']', ')']);
    let Some(value) = rest.strip_prefix(['=', ':']) else { return };
    let value = value.trim_start_matches([' ', '"', '\'', '=']);
    if value.starts_with(|c: char| c.is_ascii_digit()) || value.starts_with("gpu-") || value.starts_with("mig-") {
        found.said("mask-names-gpus", line, []);
    }
}

/// Whether a line speaks of the start of CUDA, and not of a later call.
fn of_start(line: &str) -> bool {
    const STARTS: &[&str] =
        &["cuinit", "cudagetdevicecount", "cuda initialization", "init failure", "device count", "unknown error -"];
    let lower = line.to_lowercase();
    STARTS.iter().any(|word| lower.contains(word))
}

fn code_34(_: &str, found: &mut Found) {
    found.seen(&cuda::INIT, &Subject::machine(), 34);
}

fn code_3(line: &str, found: &mut Found) {
    if of_start(line) {
        found.seen(&cuda::INIT, &Subject::machine(), 3);
    }
}

fn code_999(line: &str, found: &mut Found) {
    if of_start(line) {
        found.seen(&cuda::INIT, &Subject::machine(), 999);
    }
}

fn code_100(_: &str, found: &mut Found) {
    found.seen(&cuda::INIT, &Subject::machine(), 100);
}

fn code_2(line: &str, found: &mut Found) {
    if of_start(line) {
        found.seen(&cuda::INIT, &Subject::machine(), 2);
    }
}

fn code_805(_: &str, found: &mut Found) {
    found.seen(&cuda::INIT, &Subject::machine(), 805);
}

fn code_802(_: &str, found: &mut Found) {
    found.seen(&cuda::INIT, &Subject::machine(), 802);
}

fn code_803(_: &str, found: &mut Found) {
    found.seen(&cuda::INIT, &Subject::machine(), 803);
}

fn code_804(_: &str, found: &mut Found) {
    found.seen(&cuda::INIT, &Subject::machine(), 804);
}
