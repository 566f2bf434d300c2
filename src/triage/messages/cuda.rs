//! What CUDA answers when it does not start, in the words of the driver, of the runtime and of frameworks, with the numbers of
//! CUDA 10.0 and older beside the present ones.

use super::About::{Circumstance, Fault, Harmless};
use super::Message;
use super::Weight::{Against, Decides, Refutes, Suggests, Supports};
use crate::facts::cuda;
use crate::subject::Subject;
use crate::triage::Found;

/// The rows.
pub static ROWS: &[Message] = &[
    Message {
        // 35. Also where there is no libcuda at all; PyTorch's sentence with a version has one.
        id: "cuda-driver-too-old-found",
        words: &["driver on your system is too old"],
        about: Fault("cuda-runtime"),
        causes: &[("driver-too-old-for-cuda-runtime", Supports)],
        facts: Some(found_version),
    },
    Message {
        id: "cuda-35",
        words: &[
            "cuda driver version is insufficient for cuda runtime version",
            "error 35*insufficient",
            "cudaerrorinsufficientdriver",
            "error=35 :",
            "cuda runtime error (35)",
            "cuda error: 35",
            "cuda failure 35",
            "unsupported display driver version",
        ],
        about: Fault("cuda-runtime"),
        causes: &[
            ("driver-too-old-for-cuda-runtime", Supports),
            ("libcuda-not-on-loader-path", Suggests),
            ("container-without-gpu-access", Suggests),
            ("driver-not-installed", Suggests),
        ],
        facts: None,
    },
    Message {
        // A libcuda before CUDA 12 lacks a call that the program needs.
        id: "libcuda-symbol-missing",
        words: &[
            "undefined symbol: cutensormapencodetiled",
            "undefined symbol: cugetprocaddress",
            "undefined symbol: cumemcreate",
            "undefined symbol: cugetprocaddress_v2",
            "undefined symbol: cudevicegetuuid_v2",
            "undefined symbol: culibraryloaddata",
            "undefined symbol: cukernelgetfunction",
            "undefined symbol: cumulticastcreate",
        ],
        about: Fault("cuda-runtime"),
        causes: &[
            ("driver-too-old-for-cuda-runtime", Supports),
            ("libcuda-stub-loaded", Suggests),
            ("wrong-libcuda-loaded", Suggests),
        ],
        facts: None,
    },
    Message {
        // 222: PTX of a newer toolkit than the driver's compiler.
        id: "cuda-222",
        words: &[
            "provided ptx was compiled with an unsupported toolchain",
            "cuda_error_unsupported_ptx_version",
            "unsupported .version*current version is",
            "ptx was compiled with an unsupported toolchain",
            "cudaerrorunsupportedptxversion",
            "ptx version*not supported by*driver",
            "nvjitlink_error_ptx_compile",
        ],
        about: Fault("cuda-kernel"),
        causes: &[("ptx-newer-than-driver", Supports), ("driver-too-old-for-cuda-runtime", Against)],
        facts: None,
    },
    Message {
        // 221
        id: "cuda-221",
        words: &[
            "cuda_error_jit_compiler_not_found",
            "cudaerrorjitcompilernotfound",
            "ptx jit compiler library not found",
            "ptx jit compiler library was not found",
        ],
        about: Fault("cuda-kernel"),
        causes: &[("ptx-jit-compiler-missing", Supports), ("container-driver-capabilities-missing", Suggests)],
        facts: None,
    },
    Message {
        // A compat libcuda before the driver's own, on a GPU that may not use it.
        id: "cuda-804",
        words: &[
            "forward compatibility was attempted on non supported",
            "error 804",
            "cuda_error_compat_not_supported_on_device",
            "cudaerrorcompatnotsupportedondevice",
        ],
        about: Fault("cuda-driver"),
        causes: &[("cuda-compat-on-geforce", Supports), ("libcuda-kernel-module-mismatch", Suggests)],
        facts: Some(code_804),
    },
    Message {
        id: "cuda-compat-is-there",
        words: &["cuda-compat", "/compat/libcuda", "lib/compat", "vllm_enable_cuda_compatibility", "cuda/compat"],
        about: Circumstance,
        causes: &[("cuda-compat-on-geforce", Supports)],
        facts: None,
    },
    Message {
        // libcuda and module of different drivers.
        id: "cuda-803",
        words: &[
            "unsupported display driver / cuda driver combination",
            "unsupported display driver/cuda driver combination",
            "error 803",
            "cuda_error_system_driver_mismatch",
            "cudaerrorsystemdrivermismatch",
        ],
        about: Fault("cuda-driver"),
        causes: &[
            ("libcuda-kernel-module-mismatch", Supports),
            ("wrong-libcuda-loaded", Suggests),
            ("driver-library-version-mismatch", Suggests),
            ("cuda-compat-on-geforce", Suggests),
        ],
        facts: Some(code_803),
    },
    Message {
        // The driver waits, for the fabric or for confidential computing; where there is neither, for nobody knows what.
        id: "cuda-802",
        words: &[
            "system not yet initialized",
            "error 802",
            "cuda_error_system_not_ready",
            "cudaerrorsystemnotready",
            "returned 802",
        ],
        about: Fault("cuda-driver"),
        causes: &[
            ("fabric-manager-not-ready", Suggests),
            ("confidential-compute-not-ready", Suggests),
            ("uvm-hmm-driver-bug", Suggests),
        ],
        facts: Some(code_802),
    },
    Message {
        // Boards that hang on an NVSwitch fabric.
        id: "nvswitch-machine",
        words: &[
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
        about: Circumstance,
        causes: &[
            ("fabric-manager-not-ready", Supports),
            ("nvlink-failure", Suggests),
            ("benign-fabric-manager-without-nvswitch", Against),
        ],
        facts: None,
    },
    Message {
        id: "fabric-manager-named",
        words: &["fabricmanager", "fabric manager", "nv-fabricmanager"],
        about: Circumstance,
        causes: &[("fabric-manager-not-ready", Supports)],
        facts: None,
    },
    Message {
        id: "fabric-state-waiting",
        words: &[
            "fabric state*in progress",
            "fabric*state*: in progress",
            "fabric state*not started",
            "state*: not started",
        ],
        about: Fault("cuda-driver"),
        causes: &[("fabric-manager-not-ready", Supports)],
        facts: None,
    },
    Message {
        id: "fabric-manager-failed",
        words: &[
            "fabric manager version*doesn't match",
            "fabric manager*does not match",
            "failed to start nvidia fabric manager",
            "nvidia-fabricmanager.service: failed",
            "nvidia-fabricmanager.service*failed with result",
            "fabric manager*failed to initialize",
        ],
        about: Fault("cuda-driver"),
        causes: &[("fabric-manager-not-ready", Supports)],
        facts: None,
    },
    Message {
        // Nothing to manage: there is no switch.
        id: "fabric-manager-nothing-to-do",
        words: &["nv_warn_nothing_to_do"],
        about: Harmless,
        causes: &[("benign-fabric-manager-without-nvswitch", Decides), ("fabric-manager-not-ready", Refutes)],
        facts: None,
    },
    Message {
        id: "confidential-computing",
        words: &[
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
        about: Circumstance,
        causes: &[("confidential-compute-not-ready", Supports)],
        facts: None,
    },
    Message {
        // 34
        id: "cuda-34",
        words: &[
            "cuda driver is a stub library",
            "cuda_error_stub_library",
            "cudaerrorstublibrary",
            "cudaapierror: [34]",
            "error 34: ",
        ],
        about: Fault("cuda-driver"),
        causes: &[("libcuda-stub-loaded", Decides)],
        facts: Some(code_34),
    },
    Message {
        id: "stub-path",
        words: &["/stubs/libcuda.so", "lib64/stubs", "lib/stubs"],
        about: Circumstance,
        causes: &[("libcuda-stub-loaded", Supports)],
        facts: None,
    },
    Message {
        // 3: early and unspecific. A fork after cuInit, or the UVM module.
        id: "cuda-3",
        words: &[
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
        about: Fault("cuda-driver"),
        causes: &[
            ("cuda-initialized-before-fork", Suggests),
            ("uvm-hmm-driver-bug", Suggests),
            ("nvidia-uvm-bad-state", Suggests),
        ],
        facts: Some(code_3),
    },
    Message {
        // A program that does not fork.
        id: "ollama-init-3",
        words: &["cuda driver library init failure: 3"],
        about: Circumstance,
        causes: &[("uvm-hmm-driver-bug", Supports), ("cuda-initialized-before-fork", Against)],
        facts: None,
    },
    Message {
        id: "uvm-hmm",
        words: &["uvm_disable_hmm", "uvm-disable-hmm", "request_free_mem_region", "nokaslr"],
        about: Circumstance,
        causes: &[("uvm-hmm-driver-bug", Supports)],
        facts: None,
    },
    Message {
        // 999, 30 before CUDA 10.1: the UVM module, as a rule. Reloading it, the first candidate's fix, also cures the next two.
        id: "cuda-999",
        words: &[
            "cuda unknown error",
            "cuda_error_unknown",
            "cudaerrorunknown",
            "error 999",
            "cuda error 999",
            "error=30 :",
            "cuda runtime error (30)",
            "cuda driver library init failure: 999",
            "cuda initialization: unknown error",
            "cuinit(0) failed -> cuda_error_unknown",
            "failed call to cuinit: unknown error (999)",
            "cuinit: unknown error",
        ],
        about: Fault("cuda-driver"),
        causes: &[
            ("nvidia-uvm-bad-state", Suggests),
            ("suspend-breaks-nvidia-uvm", Suggests),
            ("nvidia-uvm-module-not-loaded", Suggests),
            ("nvidia-uvm-node-missing", Suggests),
        ],
        facts: Some(code_999),
    },
    Message {
        id: "uvm-node-missing-said",
        words: &[
            "/dev/nvidia-uvm*no such file",
            "/dev/nvidia-uvm*missing",
            "/dev/nvidia-uvm*does not exist",
            "/dev/nvidia-uvm*not found",
            "no /dev/nvidia-uvm",
            "/dev/nvidia-uvm is not",
            "missing /dev/nvidia-uvm",
        ],
        about: Fault("device-access"),
        // With a node that is not there, nothing else needs a reason.
        causes: &[
            ("nvidia-uvm-node-missing", Supports),
            ("nvidia-uvm-module-not-loaded", Suggests),
            ("suspend-breaks-nvidia-uvm", Against),
            ("nvidia-uvm-bad-state", Against),
        ],
        facts: None,
    },
    Message {
        id: "nvidia-modprobe-uvm",
        words: &["nvidia-modprobe -u", "nvidia-modprobe -c", "nvidia-modprobe -c0 -u", "nvidia-modprobe -c=0 -u"],
        about: Circumstance,
        causes: &[("nvidia-uvm-node-missing", Suggests), ("nvidia-uvm-module-not-loaded", Suggests)],
        facts: None,
    },
    Message {
        // 46: a context was refused.
        id: "cuda-46",
        words: &[
            "all cuda-capable devices are busy or unavailable",
            "cuda-capable device(s) is/are busy or unavailable",
            "cudaerrordevicesunavailable",
            "cuda runtime error (46)",
            "error=46 :",
            "(46 vs. 0)",
            "error 46",
        ],
        about: Fault("cuda-kernel"),
        causes: &[
            ("exclusive-compute-mode", Suggests),
            ("vgpu-unlicensed", Suggests),
            ("vgpu-profile-without-cuda", Suggests),
        ],
        facts: None,
    },
    Message {
        // Nobody else holds the GPU.
        id: "gpu-is-idle",
        words: &["0% utilization", "no running processes found", "0 % utilization", "gpu is idle"],
        about: Circumstance,
        causes: &[("exclusive-compute-mode", Against)],
        facts: None,
    },
    Message {
        id: "compute-mode-exclusive",
        words: &["e. process", "exclusive_process", "exclusive process", "exclusive_thread", "e. thread"],
        about: Circumstance,
        causes: &[("exclusive-compute-mode", Supports)],
        facts: None,
    },
    Message {
        // 101, 10 before CUDA 10.1: a number past the end of what is visible.
        id: "cuda-101",
        words: &[
            "invalid device ordinal",
            "cuda_error_invalid_device",
            "cudaerrorinvaliddevice",
            "cuda runtime error (10)",
            "cuda runtime error (101)",
        ],
        about: Fault("framework"),
        causes: &[
            ("more-ranks-than-visible-gpus", Supports),
            ("cuda-visible-devices-out-of-range", Suggests),
            ("cvd-not-renumbered-in-container", Suggests),
        ],
        facts: None,
    },
    Message {
        // 100, 38 before CUDA 10.1: cuInit ran and lists nothing.
        id: "cuda-100",
        words: &[
            "no cuda-capable device is detected",
            "cuda_error_no_device",
            "cudaerrornodevice",
            "cuda runtime error (38)",
            "error=38 :",
            "cuinit: no cuda-capable device",
            "cuda driver library init failure: 100",
        ],
        about: Fault("cuda-driver"),
        causes: &[
            ("cuda-visible-devices-out-of-range", Suggests),
            ("cuda-visible-devices-hides-all", Suggests),
            ("device-node-permission", Suggests),
            ("container-without-gpu-access", Suggests),
            ("gpu-fell-off-bus", Suggests),
            ("nvlink-bridge-fault", Suggests),
            ("mig-enabled-unintentionally", Suggests),
        ],
        facts: Some(code_100),
    },
    Message {
        // PyTorch counts none.
        id: "torch-no-cuda-gpus",
        words: &["no cuda gpus are available"],
        about: Fault("framework"),
        causes: &[
            ("cuda-visible-devices-hides-all", Suggests),
            ("cuda-visible-devices-out-of-range", Suggests),
            ("scheduler-no-gpu-allocated", Suggests),
            ("ray-hides-gpus", Suggests),
            ("container-without-gpu-access", Suggests),
            ("cuda-compat-on-geforce", Suggests),
            ("mig-enabled-unintentionally", Suggests),
        ],
        facts: None,
    },
    Message {
        // 2 while CUDA starts, before the program allocates.
        id: "cuda-2-at-init",
        words: &[
            "cudagetdevicecount()*error 2: out of memory",
            "cuinit*cuda_error_out_of_memory",
            "cuinit: out of memory",
            "cuda driver library init failure: 2",
        ],
        about: Fault("cuda-driver"),
        causes: &[("wsl-multi-gpu-init-oom", Suggests), ("orphan-process-holds-vram", Suggests)],
        facts: Some(code_2),
    },
    Message {
        // 801
        id: "cuda-801",
        words: &[
            "error 801",
            "cudagetdevicecount*operation not supported",
            "cuda_error_not_supported",
            "cudaerrornotsupported",
        ],
        about: Fault("cuda-driver"),
        causes: &[("device-node-permission", Suggests)],
        facts: None,
    },
    Message {
        // 800: the cgroup changed under a process that had started.
        id: "cuda-800",
        words: &["error 800", "cuda_error_not_permitted", "cudaerrornotpermitted"],
        about: Fault("cuda-driver"),
        causes: &[("container-cgroup-device-access-lost", Suggests)],
        facts: None,
    },
    Message {
        // 805
        id: "cuda-805",
        words: &[
            "mps client failed to connect to the mps control daemon",
            "error 805",
            "cuda_error_mps_connection_failed",
            "cudaerrormpsconnectionfailed",
        ],
        about: Fault("cuda-driver"),
        causes: &[("mps-daemon-unreachable", Decides)],
        facts: Some(code_805),
    },
    Message {
        // 806 to 810
        id: "cuda-806",
        words: &[
            "mps server is not ready",
            "cuda_error_mps_server_not_ready",
            "cuda_error_mps_rpc_failure",
            "mps rpc call failed",
            "cudaerrormpsserver",
            "cudaerrormpsrpcfailure",
        ],
        about: Fault("cuda-driver"),
        causes: &[("mps-daemon-unreachable", Supports)],
        facts: None,
    },
    Message {
        // libcuda cannot be found: no driver here, or not in this place.
        id: "no-driver-found",
        words: &[
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
        about: Fault("cuda-driver"),
        causes: &[
            ("driver-not-installed", Suggests),
            ("container-without-gpu-access", Suggests),
            ("driver-not-working", Suggests),
            ("libcuda-not-on-loader-path", Suggests),
            ("wsl-libcuda-not-on-path", Suggests),
            ("container-driver-capabilities-missing", Suggests),
        ],
        facts: None,
    },
    Message {
        // bitsandbytes before 0.42 searches folders of its own.
        id: "bitsandbytes-no-libcuda",
        words: &["libcuda.so not found"],
        about: Fault("cuda-driver"),
        causes: &[
            ("wsl-libcuda-not-on-path", Suggests),
            ("libcuda-not-on-loader-path", Suggests),
            ("driver-not-installed", Suggests),
            ("container-without-gpu-access", Suggests),
        ],
        facts: None,
    },
    Message {
        // The loader's list holds a libcuda, or the file was seen.
        id: "libcuda-exists",
        words: &["libcuda.so.1 (libc6*=>", "libcuda.so.1 => /"],
        about: Circumstance,
        causes: &[
            ("libcuda-not-on-loader-path", Supports),
            ("wsl-libcuda-not-on-path", Suggests),
            ("driver-not-installed", Against),
            ("container-without-gpu-access", Against),
        ],
        facts: None,
    },
    Message {
        // A loader of its own does not read the system's list.
        id: "nix-is-used",
        words: &["nix-shell", "/nix/store", "nix develop", "nixgl", "nixos", "guix shell"],
        about: Circumstance,
        causes: &[("libcuda-not-on-loader-path", Supports)],
        facts: None,
    },
    Message {
        // Several copies of libcuda, or of another architecture.
        id: "libcuda-wrong-class",
        words: &["libcuda.so*wrong elf class", "libcuda.so*file too short", "libcuda.so*invalid elf header"],
        about: Fault("cuda-driver"),
        causes: &[("wrong-libcuda-loaded", Supports)],
        facts: None,
    },
    Message {
        // Copies of libcuda in more than one folder.
        id: "libcuda-copies",
        words: &[
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
        about: Circumstance,
        causes: &[("wrong-libcuda-loaded", Supports), ("libcuda-kernel-module-mismatch", Suggests)],
        facts: None,
    },
    Message {
        // More instances of one GPU than a process can use.
        id: "torch-device-assert",
        words: &[
            "device < num_gpus internal assert failed",
            "device_index < num_devices internal assert failed",
            "device >= 0 && device < num_gpus",
        ],
        about: Fault("framework"),
        causes: &[("mig-single-instance-limit", Suggests), ("cuda-visible-devices-out-of-range", Suggests)],
        facts: None,
    },
    Message {
        // MIG is on, and there is nothing in it.
        id: "mig-without-instances",
        words: &[
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
        about: Circumstance,
        causes: &[("mig-enabled-unintentionally", Supports)],
        facts: None,
    },
    Message {
        id: "mig-instances",
        words: &[
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
        about: Circumstance,
        causes: &[("mig-single-instance-limit", Supports), ("mig-enabled-unintentionally", Against)],
        facts: None,
    },
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
