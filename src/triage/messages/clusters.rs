//! What stands between a program and the GPU of a shared machine: Kubernetes, Slurm, Ray, MPS, virtual GPUs, passthrough, WSL.

use super::About::{Circumstance, Fault};
use super::Weight::{Against, Decides, Refutes, Suggests, Supports};
use super::{Message, Weight};
use crate::facts::host;
use crate::subject::Subject;
use crate::triage::Found;

/// A row about something that a check would have found broken.
const fn fault(
    check: &'static str,
    id: &'static str,
    words: &'static [&'static str],
    causes: &'static [(&'static str, Weight)],
) -> Message {
    Message { id, words, about: Fault(check), causes, facts: None }
}

/// A row about a circumstance.
const fn circumstance(
    id: &'static str,
    words: &'static [&'static str],
    causes: &'static [(&'static str, Weight)],
) -> Message {
    Message { id, words, about: Circumstance, causes, facts: None }
}

/// The same row, which also puts down facts.
const fn with(facts: fn(&str, &mut Found), row: Message) -> Message {
    Message { facts: Some(facts), ..row }
}

/// The rows.
pub static ROWS: &[Message] = &[
    // A pod, or a node of a cluster.
    circumstance(
        "kubernetes-is-used",
        &[
            "kubectl",
            "kubelet",
            "kubernetes",
            "crashloopbackoff",
            "daemonset",
            "helm install",
            "k3s cluster",
            "k3s node",
            "k3s server",
            "k3s agent",
            "k3s.service",
            "k3s kubectl",
            "k3s v1",
            "on k3s",
            "with k3s",
            "k3s version",
            "rke2-server",
            "rke2-agent",
            "rke2 cluster",
            "on rke2",
            "with rke2",
            "microk8s",
            "openshift",
            "gpu operator",
            "gpu-operator",
            "device plugin",
            "device-plugin",
            "minikube",
        ],
        &[
            ("k8s-runtimeclass-missing", Suggests),
            ("container-visible-devices-policy", Suggests),
            ("container-toolkit-missing", Against),
            ("docker-installed-as-snap", Against),
            ("docker-desktop-linux-vm", Against),
        ],
    ),
    circumstance(
        "runtimeclass-named",
        &[
            "runtimeclassname",
            "runtimeclass",
            "runtime class",
            "default-runtime=nvidia",
            "default_runtime_name",
            "default-runtime",
        ],
        &[("k8s-runtimeclass-missing", Supports)],
    ),
    // The runtime class is selected already.
    circumstance("runtimeclass-nvidia", &["runtimeclassname: nvidia"], &[("k8s-runtimeclass-missing", Against)]),
    // vLLM found no library of a GPU maker to ask.
    fault(
        "framework",
        "vllm-no-platform",
        &["no platform detected, vllm is running on unspecifiedplatform", "failed to infer device type"],
        &[
            ("k8s-runtimeclass-missing", Suggests),
            ("container-without-gpu-access", Suggests),
            ("driver-not-installed", Suggests),
        ],
    ),
    // Nothing on the node can be handed out.
    fault(
        "device-access",
        "k8s-insufficient-gpus",
        &["insufficient nvidia.com/gpu", "0/1 nodes are available*nvidia.com/gpu"],
        &[
            ("k8s-runtimeclass-missing", Suggests),
            ("container-runtime-not-configured", Suggests),
            ("driver-not-working", Suggests),
        ],
    ),
    // The device plugin itself runs without the driver's libraries.
    fault(
        "device-access",
        "device-plugin-no-nvml",
        &[
            "could not load nvml library: libnvidia-ml.so",
            "detected non-nvml platform",
            "could not load nvml: libnvidia-ml.so",
            "failed to initialize nvml: could not load nvml library",
            "incompatible platform detected",
            "incompatible strategy detected",
            "if this is a gpu node, did you configure the nvidia container toolkit",
            "no devices found. waiting indefinitely",
            "error starting plugins*nvml",
        ],
        &[
            ("k8s-runtimeclass-missing", Supports),
            ("container-runtime-not-configured", Suggests),
            ("driver-not-installed", Suggests),
        ],
    ),
    // Slurm's word for a job that was granted none.
    fault("visibility", "slurm-nodevfiles", &["nodevfiles"], &[("scheduler-no-gpu-allocated", Decides)]),
    circumstance(
        "slurm-is-used",
        &["sbatch", "srun --", "srun -p", "$ srun", "salloc", "slurm_job", "slurmstepd", "scontrol", "squeue"],
        &[("scheduler-no-gpu-allocated", Suggests)],
    ),
    circumstance(
        "slurm-with-gres",
        &[
            "--gres=gpu",
            "--gres gpu",
            "--gpus-per-node",
            "--gpus-per-task",
            "--gpus-per-node",
            "gres/gpu",
            "#sbatch --gpus",
            "#sbatch -g",
        ],
        &[("scheduler-no-gpu-allocated", Against)],
    ),
    circumstance(
        "slurm-without-gres",
        &[
            "no --gres",
            "without --gres",
            "without gres",
            "did not request a gpu",
            "forgot --gres",
            "no gpu requested",
            "on the login node",
            "login node",
        ],
        &[("scheduler-no-gpu-allocated", Supports)],
    ),
    // Device plugin: nothing was granted to this container.
    fault(
        "visibility",
        "visible-devices-void",
        &["nvidia_visible_devices=void", "nvidia_visible_devices=none", "nvidia_visible_devices: void"],
        &[("scheduler-no-gpu-allocated", Supports), ("container-visible-devices-policy", Suggests)],
    ),
    circumstance(
        "ray-is-used",
        &[
            "ray.remote",
            "@ray.remote",
            "ray.init",
            "ray.get_gpu_ids",
            "ray.cluster_resources",
            "raylet ",
            "rayworker",
            "ray worker",
            "ray actor",
            "ray start",
            "ray::",
            "raytaskerror",
            "(raylet",
            "ray tune",
            "ray.tune",
            "rllib",
        ],
        &[("ray-hides-gpus", Supports)],
    ),
    circumstance(
        "ray-with-gpus",
        &[
            "ray.remote(num_gpus",
            "num_gpus_per_worker",
            "ray_experimental_noset_cuda_visible_devices",
            "ray_accel_env_var_override_on_zero",
        ],
        &[("ray-hides-gpus", Suggests)],
    ),
    fault(
        "visibility",
        "ray-empty-mask",
        &["ray.get_gpu_ids()*[]", "get_gpu_ids(): []"],
        &[("ray-hides-gpus", Supports)],
    ),
    fault(
        "visibility",
        "cuda-visible-devices-empty",
        &[
            "cuda_visible_devices=\"\"",
            "cuda_visible_devices=''",
            "cuda_visible_devices is empty",
            "cuda_visible_devices: \"\"",
            "os.environ[\"cuda_visible_devices\"] = \"\"",
            "os.environ['cuda_visible_devices'] = ''",
            "cuda_visible_devices=-1",
            "os.environ[\"cuda_visible_devices\"] = \"-1\"",
            "os.environ['cuda_visible_devices'] = '-1'",
        ],
        &[
            ("cuda-visible-devices-hides-all", Supports),
            ("ray-hides-gpus", Suggests),
            ("scheduler-no-gpu-allocated", Suggests),
        ],
    ),
    // The host's number, inside where counting starts anew.
    circumstance(
        "not-renumbered",
        &[
            "numbered from 0 inside",
            "renumbered",
            "device=*cuda_visible_devices=",
            "inside the container only",
            "only one gpu inside the container",
        ],
        &[("cvd-not-renumbered-in-container", Supports)],
    ),
    circumstance(
        "mps-daemon-named",
        &[
            "nvidia-cuda-mps-control",
            "nvidia-cuda-mps-server",
            "cuda_mps_pipe_directory",
            "nvidia-mps",
            "mps control daemon",
        ],
        &[("mps-daemon-unreachable", Suggests)],
    ),
    circumstance("mps-in-processes", &["nvidia-cuda-mps-server"], &[("exclusive-compute-mode", Against)]),
    // Devices of a Jetson are for the group video.
    circumstance(
        "jetson-nodes",
        &["jetson", "jetpack", "l4t-base", "l4t-pytorch", "l4t-ml", "l4t-jetpack", "l4t-tensorflow", "tegra"],
        &[
            ("device-node-permission", Suggests),
            ("nvidia-uvm-module-not-loaded", Against),
            ("nvidia-uvm-node-missing", Against),
        ],
    ),
    // A virtual GPU, by the words of its licence.
    fault(
        "cuda-kernel",
        "vgpu-license-state",
        &[
            "license status*unlicensed",
            "license status*expired",
            "unlicensed (unrestricted)",
            "unlicensed (restricted)",
            "failed to acquire license",
            "failed to acquire/renew license",
            "license request failed",
            "valid grid license not found",
            "acquiring license failed",
            "license expired",
            "license has expired",
            "licence expired",
            "license server*unreachable",
            "unable to obtain a license",
        ],
        &[("vgpu-unlicensed", Supports)],
    ),
    circumstance(
        "vgpu-licensed",
        &["license status*: licensed", "license acquired successfully"],
        &[("vgpu-unlicensed", Refutes)],
    ),
    circumstance(
        "vgpu-is-used",
        &[
            "nvidia vgpu",
            "vgpu profile",
            "vgpu driver",
            "vgpu guest",
            "vgpu software",
            "a vgpu",
            "the vgpu",
            "with vgpu",
            "vgpu type",
            "vgpus",
            "nvidia-gridd",
            "gridd.conf",
            "grid a100",
            "grid v100",
            "grid t4",
            "grid p40",
            "grid rtx",
            "license status",
            "nvidia grid",
            "nvidia ai enterprise",
            "delegated license",
            "dls license",
            "client_configuration_token",
        ],
        &[("vgpu-unlicensed", Supports), ("vgpu-profile-without-cuda", Suggests)],
    ),
    circumstance(
        "vgpu-slow-later",
        &["slow after 20 minutes", "slows down after", "degraded performance after", "fast at first"],
        &[("vgpu-unlicensed", Suggests)],
    ),
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
    // Handing a card to a guest: the firmware's console on the host holds its memory.
    fault(
        "kernel-driver",
        "vfio-cannot-reserve",
        &[
            "vfio-pci*can't reserve [mem",
            "vfio-pci*bar*can't reserve",
            "vfio_region_write*failed: device or resource busy",
            "vfio-pci: cannot reserve",
            "bar 1: can't reserve",
            "bar 3: can't reserve",
            "bar 0: can't reserve",
        ],
        &[("passthrough-host-framebuffer-claims-gpu", Supports)],
    ),
    circumstance(
        "host-framebuffer",
        &[
            "efifb:off",
            "vesafb:off",
            "simplefb:off",
            "initcall_blacklist=sysfb_init",
            "efi-framebuffer",
            "bootfb",
            "efifb",
            "unbind*vtcon",
        ],
        &[("passthrough-host-framebuffer-claims-gpu", Supports), ("geforce-in-vm-driver-refuses", Against)],
    ),
    // Windows' word for a device whose driver stopped it; the guest of a passthrough, as a rule.
    fault(
        "kernel-driver",
        "code-43",
        &["code 43", "error 43", "code43", "error code 43"],
        &[
            ("geforce-in-vm-driver-refuses", Suggests),
            ("passthrough-host-framebuffer-claims-gpu", Suggests),
            ("passthrough-hypervisor-specific", Suggests),
            ("pci-bar-not-assigned", Suggests),
        ],
    ),
    circumstance(
        "passthrough-is-used",
        &[
            "passthrough",
            "pass-through",
            "passed through",
            "vfio-pci",
            "proxmox",
            "virt-manager",
            "libvirt",
            "qemu-system",
            "virsh ",
        ],
        &[
            ("passthrough-hypervisor-specific", Suggests),
            ("passthrough-host-framebuffer-claims-gpu", Suggests),
            ("geforce-in-vm-driver-refuses", Suggests),
        ],
    ),
    // The same card works under another hypervisor.
    circumstance(
        "hypervisor-compared",
        &[
            "works under kvm",
            "works on kvm",
            "works with kvm",
            "works in proxmox",
            "works under proxmox",
            "works in vmware",
            "works on esxi",
            "works under esxi",
            "under kvm it works",
            "but not in xen",
            "xen hvm",
            "xcp-ng",
            "xenserver",
            "citrix hypervisor",
            "xen domu",
            "bhyve",
            "xen hypervisor",
            "hypervisor: xen",
            "full virtualization: xen",
            "under xen",
            "with xen",
            "on xen",
        ],
        &[("passthrough-hypervisor-specific", Supports)],
    ),
];

/// WSL 2 has its name in the kernel's; a mention alone is no fact.
fn wsl(line: &str, found: &mut Found) {
    if line.to_lowercase().contains("microsoft-standard") {
        found.seen(&host::WSL, &Subject::machine(), 2);
    }
}
