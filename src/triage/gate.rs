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

/// Words without which some reader has nothing to do in a line: each is looked for once, and not by every reader anew.
const MARKED: &[(&str, Marks)] = &[
    ("torch", Marks::TORCH),
    ("found version ", Marks::FOUND_VERSION),
    ("capabilit", Marks::CAPABILITY),
    ("driver", Marks::DRIVER),
    ("cuda compilation tools", Marks::COMPILER),
    ("linux version ", Marks::LINUX_VERSION),
    ("environ[", Marks::ENVIRON),
    ("/dev/", Marks::DEV),
    (" controller", Marks::CONTROLLER),
    ("accelerators", Marks::CONTROLLER),
    ("libcuda.so.1", Marks::LIBCUDA),
    ("nvidia-smi", Marks::SMI),
    ("integrity", Marks::LOCKDOWN),
    ("/lib/modules/", Marks::MODULES),
    ("module nvidia not found", Marks::MODULES),
    ("nvidia unix", Marks::MODULE_VERSION),
    ("kernel module has the version", Marks::MODULE_VERSION),
];

/// Which of the words that readers ask for stand in a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks(u32);

impl Marks {
    pub const TORCH: Marks = Marks(1);
    pub const FOUND_VERSION: Marks = Marks(1 << 1);
    pub const CAPABILITY: Marks = Marks(1 << 2);
    pub const DRIVER: Marks = Marks(1 << 3);
    pub const COMPILER: Marks = Marks(1 << 4);
    pub const LINUX_VERSION: Marks = Marks(1 << 5);
    pub const ENVIRON: Marks = Marks(1 << 6);
    pub const DEV: Marks = Marks(1 << 7);
    pub const CONTROLLER: Marks = Marks(1 << 8);
    pub const LIBCUDA: Marks = Marks(1 << 9);
    pub const SMI: Marks = Marks(1 << 10);
    pub const LOCKDOWN: Marks = Marks(1 << 11);
    pub const MODULES: Marks = Marks(1 << 12);
    pub const MODULE_VERSION: Marks = Marks(1 << 13);
    /// The line may begin something.
    pub const OPENS: Marks = Marks(1 << 14);

    /// Whether it has this one.
    pub fn has(self, mark: Marks) -> bool {
        self.0 & mark.0 != 0
    }

    /// Those of both.
    pub fn and(self, more: Marks) -> Marks {
        Marks(self.0 | more.0)
    }
}

static INDEX: LazyLock<Finder> =
    LazyLock::new(|| Finder::new(MARKED.iter().map(|(word, _)| *word).chain(WORDS.iter().copied())));

/// What the words of a line are, and whether it may begin something.
pub fn marks(text: &str) -> Marks {
    let first = text.trim_start();
    let begins =
        first.starts_with(['|', '{', 'c']) && (first.starts_with('|') || first == "{" || first.starts_with("crw"));
    let mut marks = if begins { Marks::OPENS } else { Marks::default() };
    INDEX.any(text, |number| {
        marks = marks.and(MARKED.get(number).map_or(Marks::OPENS, |(_, mark)| *mark));
        false
    });
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_stands_for_its_word_and_opens_what_a_gate_would() {
        for (word, mark) in MARKED {
            let marks = marks(&format!("x{}x", word.to_uppercase()));
            assert!(marks.has(*mark), "{word}");
            // Every word that is asked for holds one that opens, or a reader would not see its line.
            assert!(marks.has(Marks::OPENS), "{word}");
        }
        assert_eq!(marks("nothing of that kind"), Marks::default());
    }
}
