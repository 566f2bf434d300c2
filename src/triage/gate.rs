//! Which lines the readers look at. Most lines of a log concern nobody here, and one pass over each tells so: a line goes to
//! all readers where it holds one of these words, and else only to those that wait for it.

use super::finder::Finder;
use std::sync::LazyLock;

/// Words without which no reader begins anything, in any case of letters.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    // Makers, drivers, programs.
    "torch", "cuda", "nvidia", "nvrm", "nvml", "gpu", "nvsmi", "driver", "rocm", "hip", "xpu", "amdgpu", "kfd", "nouveau", "vfio",
    "i915", "nova_core", "tegra", "jax", "tensorflow", "tf-nightly", "onnx", "cupy", "numba", "llvmlite", "bitsandbytes",
    "ctranslate2", "whisper", "llama", "vllm", "flash", "xformers", "triton", "accelerate", "transformers", "deepspeed",
    "intel-extension", "intel_extension", "dpcpp", "tensorrt", "pynvml", "apex", "mxnet", "paddle", "ray", "ultralytics",
    "detectron2", "lightning", "nccl", "libcu", "libnv", "cpuonly", "gptq", "autoawq", "sglang", "cudnn", "keras", "amd",
    // collect_env and its kin.
    "collecting environment", "os:", "os  ", "operating system", "python version", "python platform", "platform",
    "architecture", "machine:", "hypervisor vendor", "kernel", "linux", "distro", "distribution", "is debug build", "[pip", "[conda]",
    // The list of nvidia-smi -q.
    "volatile", "aggregate", "fabric", "remapped rows", "remapping", "ecc mode", "mig", "link width", "pcie generation", "clocks",
    "compute mode", "persistence mode", "product name", "uncorrectable", "sw power cap", "hw slowdown",
    // Listings.
    "controller", "accelerators", "/dev/", "/lib/modules/", "module", "secureboot", "integrity", "filename:", "license:",
    "signer:", "version:", "header type", "libcuda", "prime-select query",
    // The kernel log.
    "pcie bus error", "aer:", "lockdown", "secure boot", "pkcs#7", "no space for", "failed to assign", "bar 1", "bar 15", "bar 0",
    "power state", "link is down", "card not present", "slot(", "free_mem_region", "vgaarb", "xe 0000:", "sxid",
    // The host.
    "version_id", "version_codename", "pretty_name", "id=", "id_like", "uname", "echo $", "environ[", "visible_devices",
    "ld_library_path", "ld_preload", "device_order", "device_ordinal", "override_gfx", "slurm_", "pythonpath", "conda_prefix",
    "virtual_env", "pythonnousersite", "device_selector", "affinity_mask", "driver_capabilities",
    // Containers.
    "docker", "podman", "nerdctl", "image:",
    // Lists of packages.
    "package", "# name", "name  ", "name = \"", "version = \"", "==", "successfully installed",
    // Answers that stand alone.
    "tensor(", "found version", "capabilit", "\"schema_version\"",
];

static INDEX: LazyLock<Finder> = LazyLock::new(|| Finder::new(WORDS));

/// Whether a line may begin something.
pub fn opens(text: &str) -> bool {
    let first = text.trim_start();
    first.starts_with(['|', '{', 'c']) && (first.starts_with('|') || first == "{" || first.starts_with("crw"))
        || INDEX.is_in(text)
}
