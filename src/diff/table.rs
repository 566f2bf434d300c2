//! Which facts are compared, how people call them, and to which check they belong.

/// How the facts of a key are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// As a whole, field by field where the value has fields; the named fields are noise.
    Fields(&'static [&'static str]),
    /// Several facts of one subject, told apart by this field of the value.
    By(&'static str),
    /// The values alone, each once: the names before them are addresses of this machine.
    Values,
    /// Not at all: it changes from minute to minute, tells who and not what, or says how the doctor was asked.
    Noise,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The key.
    pub key: &'static str,
    /// The check that judges it; its place in the chain orders the differences.
    pub check: &'static str,
    /// What it is, in words.
    pub label: &'static str,
    /// How it is compared.
    pub how: How,
}

const fn row(check: &'static str, key: &'static str, label: &'static str) -> Row {
    Row { key, check, label, how: How::Fields(&[]) }
}

const fn but(check: &'static str, key: &'static str, label: &'static str, noise: &'static [&'static str]) -> Row {
    Row { key, check, label, how: How::Fields(noise) }
}

const fn by(check: &'static str, key: &'static str, label: &'static str, field: &'static str) -> Row {
    Row { key, check, label, how: How::By(field) }
}

const fn values(check: &'static str, key: &'static str, label: &'static str) -> Row {
    Row { key, check, label, how: How::Values }
}

const fn noise(key: &'static str) -> Row {
    Row { key, check: "", label: "", how: How::Noise }
}

/// The row of a key; nothing for one of a later version.
pub fn of(key: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.key == key)
}

/// Every key there is; within a check the most telling first.
pub static ROWS: &[Row] = &[
    row("gpu-present", "host.os", "operating system"),
    row("gpu-present", "host.arch", "processor architecture"),
    row("gpu-present", "host.product", "machine"),
    row("gpu-present", "host.virtualization", "virtualization"),
    row("gpu-present", "host.wsl", "WSL version"),
    row("gpu-present", "host.jetson", "Jetson"),
    row("gpu-present", "pci.name", "GPU on the bus"),
    row("gpu-present", "pci.vendor", "maker on the bus"),
    row("gpu-present", "pci.device", "PCI device id"),
    row("gpu-present", "pci.class", "PCI class"),
    row("gpu-present", "pci.architecture", "architecture"),
    row("gpu-present", "pci.nvswitches", "NVSwitches"),
    row("gpu-present", "pci.config_all_ones", "configuration space reads as ones only"),
    but("gpu-present", "pci.windows", "memory windows", &["start"]),
    row("gpu-present", "pci.removable", "removable"),
    row("gpu-present", "pci.virtual_function", "virtual function"),
    row("gpu-present", "pci.iommu", "IOMMU group type"),
    values("gpu-present", "gpu.topology", "way to other GPUs"),
    but("gpu-present", "pci.acs", "access control of bridges", &["bridge"]),
    row("gpu-present", "host.gpu_switch", "switch between graphics chips"),
    noise("pci.devices"),
    row("kernel-driver", "host.distro", "distribution"),
    row("kernel-driver", "host.package_manager", "package manager"),
    row("kernel-driver", "host.kernel", "running kernel"),
    row("kernel-driver", "pci.driver", "kernel driver bound to the GPU"),
    row("kernel-driver", "kernel.modules", "loaded modules"),
    row("kernel-driver", "kernel.nvidia.version", "loaded NVIDIA module"),
    row("kernel-driver", "kernel.nvidia.flavour", "flavour of the NVIDIA module"),
    row("kernel-driver", "kernel.nvidia.params", "parameters of the NVIDIA module"),
    but("kernel-driver", "kernel.nvidia.gpu", "the module's own word on the GPU", &["minor"]),
    row("kernel-driver", "kernel.nvidia.file", "file of the NVIDIA module"),
    row("kernel-driver", "kernel.nvidia.other_kernels", "kernels with an NVIDIA module"),
    row("kernel-driver", "kernel.nvidia.modinfo", "module file"),
    by("kernel-driver", "kernel.dkms", "DKMS", "module"),
    row("kernel-driver", "kernel.headers", "headers of the running kernel"),
    row("kernel-driver", "kernel.blacklist.nvidia", "files that keep nvidia from loading"),
    row("kernel-driver", "kernel.blacklist.nouveau", "files that keep nouveau from loading"),
    row("kernel-driver", "kernel.arguments", "kernel command line"),
    row("kernel-driver", "kernel.secure_boot", "Secure Boot"),
    row("kernel-driver", "kernel.lockdown", "kernel lockdown"),
    row("kernel-driver", "kernel.uvm_disable_hmm", "HMM switched off in nvidia-uvm"),
    row("kernel-driver", "library.count", "driver libraries"),
    by("kernel-driver", "library.file", "driver library", "name"),
    row("kernel-driver", "kfd.nodes", "AMD compute nodes"),
    row("device-access", "host.container", "container"),
    row("device-access", "container.run", "command that started the container"),
    row("device-access", "host.device_mounts", "devices mounted into the container"),
    row("device-access", "host.job", "job of a scheduler"),
    but("device-access", "host.user", "user and groups", &["uid", "gid"]),
    row("device-access", "host.selinux", "SELinux"),
    row("device-access", "host.selinux_label", "SELinux label of this process"),
    but("device-access", "node.file", "device node", &["minor"]),
    row("device-access", "node.open", "opening it"),
    row("device-access", "kernel.nvidia_modprobe", "nvidia-modprobe"),
    row("device-access", "kernel.uvm_major", "device number of nvidia-uvm"),
    row("nvidia-smi", "smi.found", "nvidia-smi"),
    but("nvidia-smi", "smi.run", "nvidia-smi", &["message"]),
    noise("smi.cells"),
    row("nvml", "nvml.library", "NVML library"),
    row("nvml", "nvml.init", "nvmlInit"),
    row("nvml", "nvml.driver_version", "driver"),
    row("nvml", "nvml.cuda_version", "CUDA version of the driver"),
    row("nvml", "nvml.count", "GPUs in NVML"),
    row("nvml", "nvml.handle", "NVML handle"),
    row("nvml", "nvml.name", "GPU"),
    row("nvml", "nvml.compute_capability", "compute capability"),
    but("nvml", "nvml.memory", "memory", &["free", "used"]),
    row("nvml", "nvml.fabric", "NVLink fabric"),
    by("nvml", "nvml.nvlinks", "NVLink", "link"),
    values("nvml", "nvml.p2p", "peer access to other GPUs"),
    row("nvml", "nvml.conf_compute", "confidential computing"),
    row("nvml", "nvml.vgpu_licensed", "vGPU licence"),
    row("nvml", "nvml.virtualization_mode", "virtualization mode"),
    row("nvml", "nvml.recovery_action", "recovery action"),
    row("nvml", "nvml.persistence", "persistence mode"),
    noise("nvml.minor"),
    noise("nvml.uuid"),
    row("visibility", "host.variable", "variable"),
    but("visibility", "nvml.mig", "MIG", &["instances"]),
    row("visibility", "nvml.compute_mode", "compute mode"),
    row("cuda-driver", "cuda.library", "libcuda"),
    row("cuda-driver", "cuda.driver_version", "CUDA version of libcuda"),
    row("cuda-driver", "cuda.init", "cuInit"),
    row("cuda-driver", "cuda.count", "GPUs in CUDA"),
    row("cuda-driver", "cuda.device", "CUDA device"),
    row("cuda-driver", "library.libcuda_elsewhere", "other libcuda files"),
    row("cuda-driver", "library.ptxjitcompiler", "PTX JIT compiler"),
    row("cuda-driver", "level_zero.runtime", "Level Zero runtime"),
    row("cuda-runtime", "toolkit.folder", "CUDA toolkit"),
    row("cuda-runtime", "toolkit.nvcc", "nvcc"),
    row("cuda-runtime", "runtime.cudart", "CUDA runtime"),
    row("cuda-kernel", "cuda.compute", "computing on it"),
    row("cuda-kernel", "cuda.no_context", "no context was made"),
    but("framework", "python.interpreter", "interpreter", &["path", "prefix", "base_prefix", "chosen_by"]),
    but("framework", "python.environment", "environment", &["path", "names", "project", "in_use"]),
    row("framework", "python.broken", "interpreter cannot be asked"),
    but("framework", "python.trouble", "trouble of the interpreter", &["detail", "file"]),
    row("framework", "python.none_found", "no Python"),
    row("framework", "python.shadowed_by", "package hidden by"),
    but("framework", "framework.distribution", "installed", &["location"]),
    but("framework", "framework.hidden", "another copy, not imported", &["location"]),
    but("framework", "framework.origin", "came from", &["requested"]),
    row("framework", "framework.build", "build"),
    but("framework", "framework.import", "import", &["file", "message"]),
    row("framework", "framework.architectures", "architectures in the build"),
    row("framework", "framework.available", "sees a GPU"),
    row("framework", "framework.device_count", "GPUs that it counts"),
    row("framework", "framework.backends", "back ends"),
    row("framework", "framework.message", "message"),
    by("framework", "framework.library", "library", "name"),
    by("framework", "python.package", "package", "name"),
    row("framework", "python.leftover", "leftover of an installer"),
    row("framework", "python.overlap", "packages that overwrite each other"),
    but("framework", "python.damage", "damaged package", &["path"]),
    noise("python.unsearched"),
    noise("framework.mapped"),
    by("tensor", "framework.tensor", "tensor on device", "index"),
    row("tensor", "framework.no_tensor", "no tensor was tried"),
    but("tensor", "libtorch.helper", "libtorch", &["folder"]),
    by("tensor", "libtorch.tensor", "libtorch: tensor on device", "index"),
    row("gpu-health", "nvml.ecc", "ECC"),
    but("gpu-health", "nvml.power", "power in W", &["now"]),
    but("gpu-health", "nvml.temperature", "temperature limits in °C", &["now"]),
    but("gpu-health", "nvml.pcie", "PCIe link", &["generation"]),
    but("gpu-health", "pci.link", "PCIe link", &["speed_now"]),
    but("gpu-health", "pci.power", "power management", &["status", "state"]),
    noise("nvml.clock_reasons"),
    noise("nvml.processes"),
    noise("kernel.log"),
    // The lines carry times and numbers; what they mean is in the causes, which are compared as well.
    noise("kernel.log.line"),
    noise("host.container_age_s"),
    noise("host.suspends"),
    // Whose machine it is says nothing about it.
    noise("host.name"),
    noise("host.user_name"),
    noise("host.home"),
    but("program", "probe.end", "a probe of the doctor ended early", &["detail"]),
    row("program", "program.found", "program"),
    row("program", "program.devices", "devices that it can use"),
    row("program", "program.offload", "layers on the GPU"),
    row("program", "program.back_ends", "GPU back ends beside it"),
    row("program", "rust.torch_sys", "torch-sys"),
    row("program", "libtorch.build", "libtorch for Rust"),
    row("program", "libtorch.linked", "loads libtorch's part for the GPU"),
    noise("program.models"),
    noise("program.log"),
    noise("said.message"),
    noise("said.lines"),
    noise("asked.expect_gpus"),
    noise("asked.framework"),
    noise("asked.deselected"),
    noise("asked.passive"),
    noise("asked.quick"),
    noise("asked.busy"),
    noise("asked.timeout_s"),
    noise("asked.image"),
    noise("asked.command"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::CHAIN;
    use crate::facts::catalogue;

    #[test]
    fn every_key_has_one_row_and_every_row_a_key_and_a_check() {
        for key in catalogue() {
            let rows = ROWS.iter().filter(|row| row.key == key.name()).count();
            assert_eq!(rows, 1, "{}: say in this table how it is compared, or that it is noise", key.name());
        }
        for row in ROWS {
            assert!(catalogue().any(|key| key.name() == row.key), "{} is no key", row.key);
            assert!(row.how == How::Noise || CHAIN.iter().any(|check| check.id == row.check), "{}", row.key);
        }
    }
}
