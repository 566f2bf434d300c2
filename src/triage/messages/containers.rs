//! Messages of container engines: Docker, Podman, containerd, nvidia-container-cli, CDI, Apptainer, snap, Docker Desktop.

use super::Weight::{Against, Decides, Refutes, Suggests, Supports};
use super::{Message, circumstance, fault, with};
use crate::triage::Found;

/// The rows.
pub static ROWS: &[Message] = &[
    // The daemon found nothing that handles a request for GPUs: usually there is no toolkit on the host.
    fault(
        "device-access",
        "docker-cannot-select-driver",
        &["could not select device driver"],
        &[
            ("container-toolkit-missing", Supports),
            ("container-runtime-not-configured", Suggests),
            ("docker-installed-as-snap", Suggests),
            ("docker-desktop-linux-vm", Suggests),
            ("container-without-gpu-access", Refutes),
        ],
    ),
    // The engine knows no runtime of this name: its configuration was not written, or not read again.
    fault(
        "device-access",
        "unknown-runtime-nvidia",
        &[
            "unknown runtime specified nvidia",
            "unknown or invalid runtime name: nvidia",
            "invalid runtime name: nvidia",
            "no runtime for \"nvidia\" is configured",
            "runtime \"nvidia\" not found",
            "runtime handler \"nvidia\"",
            "runtimehandler \"nvidia\" not supported",
            "failed to find runtime handler nvidia",
        ],
        &[
            ("container-runtime-not-configured", Supports),
            ("container-toolkit-missing", Suggests),
            ("docker-installed-as-snap", Suggests),
        ],
    ),
    // A program of the toolkit is not on the host.
    fault(
        "device-access",
        "toolkit-program-missing",
        &[
            "exec: \"nvidia-container-runtime-hook\"*not found",
            "exec: \"nvidia-container-toolkit\"*not found",
            "exec: \"nvidia-container-cli\"*not found",
            "exec: \"nvidia-container-runtime\"*not found",
            "nvidia-container-runtime: no such file",
            "nvidia-container-runtime-hook: no such file",
            "nvidia-container-cli: command not found",
            "nvidia-ctk: command not found",
            "nvidia-docker: command not found",
            "nvidia-container-cli: not found",
        ],
        &[("container-toolkit-missing", Supports), ("docker-installed-as-snap", Suggests)],
    ),
    // Installing the toolkit was the cure.
    circumstance(
        "toolkit-was-installed",
        &[
            "after installing nvidia-container",
            "installed nvidia-container-toolkit",
            "installing nvidia-container-toolkit",
            "install nvidia-container-toolkit",
            "install -y nvidia-container-toolkit",
            "install nvidia-docker2",
            "install -y nvidia-docker2",
        ],
        &[("container-toolkit-missing", Suggests)],
    ),
    circumstance(
        "nvidia-ctk-configure",
        &["nvidia-ctk runtime configure"],
        &[("container-runtime-not-configured", Suggests)],
    ),
    // The hook looks for the driver's library where the daemon runs, and there is none.
    fault(
        "device-access",
        "container-cli-no-libnvidia-ml",
        &["load library failed: libnvidia-ml.so"],
        &[
            ("driver-not-installed", Supports),
            ("docker-desktop-linux-vm", Suggests),
            ("docker-installed-as-snap", Suggests),
        ],
    ),
    // The request was made, and handled.
    circumstance(
        "container-cli-ran",
        &["nvidia-container-cli*error:"],
        &[
            ("container-without-gpu-access", Refutes),
            ("cuda-visible-devices-hides-all", Refutes),
            ("cuda-visible-devices-out-of-range", Refutes),
            ("device-node-permission", Against),
        ],
    ),
    fault(
        "device-access",
        "container-cli-driver-not-loaded",
        &[
            "nvidia-container-cli*nvml error: driver not loaded",
            "nvidia-container-cli*driver error: failed to process request",
            "nvidia-container-cli*failed to initialize nvml: driver not loaded",
            "nvidia-container-cli*driver rpc error",
        ],
        &[("driver-not-working", Supports), ("kernel-module-not-loaded", Suggests), ("driver-not-installed", Suggests)],
    ),
    // CUDA of the host itself finds no device, although NVML answered before.
    fault(
        "cuda-driver",
        "container-cli-cuda-no-device",
        &["nvidia-container-cli*cuda error: no cuda-capable device"],
        &[("nvlink-bridge-fault", Suggests), ("mig-enabled-unintentionally", Suggests), ("gpu-fell-off-bus", Suggests)],
    ),
    fault(
        "cuda-driver",
        "container-cli-cuda-unknown",
        &["nvidia-container-cli*cuda error: unknown error"],
        &[
            ("nvidia-uvm-bad-state", Suggests),
            ("nvidia-uvm-module-not-loaded", Suggests),
            ("suspend-breaks-nvidia-uvm", Suggests),
        ],
    ),
    fault(
        "device-access",
        "container-cli-wsl-no-adapter",
        &["wsl environment detected but no adapters were found"],
        &[
            ("wsl-gpu-in-tcc-mode", Suggests),
            ("wsl-driver-store-libs-missing", Suggests),
            ("driver-not-installed", Suggests),
        ],
    ),
    // Refused before anything of the container starts.
    fault(
        "cuda-runtime",
        "container-requirement-unsatisfied",
        &["requirement error: unsatisfied condition", "unsatisfied condition: cuda", "unsatisfied condition: driver"],
        &[("container-image-needs-newer-driver", Decides)],
    ),
    // An engine that may not write device rules: in an unprivileged container or user namespace.
    fault(
        "device-access",
        "devices-allow-not-permitted",
        &[
            "devices.allow: operation not permitted",
            "failed to add device rules*operation not permitted",
            "bpf_prog_query(bpf_cgroup_device) failed: operation not permitted",
            "unable to find any existing device filters attached to the cgroup",
            "cgroup subsystem devices not found",
        ],
        &[("container-no-cgroups-setting", Supports)],
    ),
    fault(
        "device-access",
        "container-cli-nvml-refused",
        &["nvidia-container-cli*nvml error: insufficient permissions"],
        &[
            ("device-node-permission", Suggests),
            ("selinux-denies-device", Suggests),
            ("container-no-cgroups-setting", Suggests),
        ],
    ),
    // A hook that may not do what it has to, in a rootless engine.
    fault(
        "device-access",
        "hook-failed",
        &["error executing hook*nvidia-container"],
        &[("container-no-cgroups-setting", Suggests), ("cdi-spec-missing", Suggests)],
    ),
    // Docker before 19.03.
    fault("device-access", "gpus-flag-unknown", &["unknown flag: --gpus"], &[("container-toolkit-missing", Supports)]),
    fault(
        "device-access",
        "container-cli-no-capability",
        &["nvidia-container-cli: permission error: capability change failed"],
        &[("container-no-cgroups-setting", Suggests)],
    ),
    // NVML opened no node: EPERM of a device cgroup.
    fault(
        "nvml",
        "nvml-unknown-error-at-init",
        &[
            "failed to initialize nvml: unknown error",
            "failed to initialize nvml: error_unknown",
            "could not initialize nvml: unknown error",
            "nvmlinit*unknown error",
        ],
        &[("container-cgroup-device-access-lost", Supports), ("container-no-cgroups-setting", Suggests)],
    ),
    circumstance(
        "daemon-reload",
        &["daemon-reload", "daemon reload", "systemd: reloading", "systemd[1]: reloading"],
        &[("container-cgroup-device-access-lost", Supports), ("container-no-cgroups-setting", Against)],
    ),
    // The device cgroup's list, read inside a container.
    circumstance(
        "devices-list",
        &[
            "devices/devices.list",
            "c 195:* m",
            "c 195:0 rw",
            "c 195:255 rw",
            "native.cgroupdriver=cgroupfs",
            "create-dev-char-symlinks",
        ],
        &[("container-cgroup-device-access-lost", Supports)],
    ),
    circumstance(
        "no-cgroups-true",
        &["no-cgroups = true", "no-cgroups=true", "no-cgroups true"],
        &[
            ("container-no-cgroups-setting", Supports),
            ("container-cgroup-device-access-lost", Against),
            ("wsl-gpu-in-tcc-mode", Against),
        ],
    ),
    circumstance(
        "unprivileged-container",
        &["user namespace", "unprivileged container", "unprivileged lxc", "lxc.idmap", "unprivileged: 1"],
        &[("container-no-cgroups-setting", Suggests)],
    ),
    // It worked in this container before.
    circumstance(
        "container-lost-gpu-later",
        &[
            "after a while",
            "after some time",
            "after a few hours",
            "after several hours",
            "after a few days",
            "loses access to",
            "lost access to the gpu",
            "loses gpu access",
            "suddenly stops",
            "stops working after",
            "lose the gpu",
            "lost the gpu",
        ],
        &[("container-cgroup-device-access-lost", Suggests), ("container-no-cgroups-setting", Against)],
    ),
    // NVML 4 at the start: a node that may not be opened (EACCES).
    fault(
        "nvml",
        "nvml-insufficient-permissions",
        &["failed to initialize nvml: insufficient permissions", "failed to initialize nvml: error_no_permission"],
        &[("device-node-permission", Supports), ("selinux-denies-device", Suggests)],
    ),
    // Nodes that not everybody may open.
    circumstance("node-modes", &["crw-rw----*nvidia", "crw-------*nvidia"], &[("device-node-permission", Supports)]),
    fault(
        "device-access",
        "selinux-denial",
        &[
            "avc:*denied*nvidia",
            "avc:*denied*container_t*xserver_misc_device_t",
            "avc:*denied*xserver_misc_device_t",
            "selinux is preventing*nvidia",
        ],
        &[("selinux-denies-device", Supports)],
    ),
    circumstance(
        "selinux-at-work",
        &[
            "setenforce 0",
            "container_use_devices",
            "security-opt=label=disable",
            "security-opt label=disable",
            "--security-opt=label:disable",
            "label=type:nvidia_container_t",
            "nvidia_container_t",
            "selinux enforcing",
            "selinux=enforcing",
            "getenforce",
        ],
        &[("selinux-denies-device", Supports)],
    ),
    // No specification defines the device that was asked for.
    fault("device-access", "cdi-unresolvable", &["unresolvable cdi device"], &[("cdi-spec-missing", Decides)]),
    // An engine that takes the name for a path.
    fault(
        "device-access",
        "cdi-name-as-path",
        &["stat nvidia.com/gpu=", "stat nvidia.com/gpu", "nvidia.com/gpu=all: no such file"],
        &[("cdi-spec-missing", Supports)],
    ),
    // On Windows, Docker Desktop is the way to do it.
    circumstance(
        "windows-is-used",
        &["windows 11", "windows 10", "win10", "win11", "windows-10-", "windows-11-", "microsoft windows"],
        &[
            ("docker-desktop-linux-vm", Refutes),
            ("docker-installed-as-snap", Refutes),
            ("selinux-denies-device", Refutes),
        ],
    ),
    // Distributions that enforce SELinux.
    circumstance(
        "selinux-distribution",
        &["fedora", "red hat", "redhat", "rocky linux", "almalinux", "centos"],
        &[("selinux-denies-device", Suggests)],
    ),
    // A specification of another driver: the files it names are gone.
    fault(
        "device-access",
        "cdi-stale",
        &[
            "failed to stat cdi host device",
            "cdi device injection failed",
            "failed to inject cdi devices",
            "found 0 cdi devices",
            "cannot stat*libnvidia-*no such file",
            "cannot stat*_nvidia.so*no such file",
            "cannot stat*libcuda.so*no such file",
            "error stat'ing file*libnvidia",
            "failed to fulfil mount request*libnvidia",
            "failed to fulfil mount request*libcuda",
        ],
        &[("cdi-spec-missing", Supports)],
    ),
    circumstance(
        "cdi-generate",
        &["nvidia-ctk cdi generate", "nvidia-ctk cdi list", "/etc/cdi/nvidia.yaml", "/var/run/cdi/nvidia.yaml"],
        &[("cdi-spec-missing", Suggests)],
    ),
    circumstance(
        "docker-from-snap",
        &[
            "snap services docker",
            "snap list docker",
            "snap install docker",
            "snap remove docker",
            "/snap/docker",
            "/var/snap/docker",
            "/snap/bin/docker",
            "docker.dockerd",
            "snap.docker",
            "docker snap",
            "docker from snap",
            "snap version of docker",
        ],
        &[("docker-installed-as-snap", Supports)],
    ),
    // The engine runs in a virtual machine of its own; on Windows that is as it should be.
    circumstance(
        "docker-desktop",
        &["docker desktop", "docker-desktop", "desktop-linux", "linuxkit", "/.docker/desktop/docker.sock"],
        &[("docker-desktop-linux-vm", Supports)],
    ),
    // The user's and root's docker may be two engines.
    circumstance("sudo-docker", &["sudo docker run", "docker context"], &[("docker-desktop-linux-vm", Suggests)]),
    // Something runs in a container.
    circumstance(
        "docker-is-used",
        &["docker", "podman", "singularity", "apptainer", "container image", "devcontainer"],
        &[("container-without-gpu-access", Suggests)],
    ),
    with(
        docker_run,
        circumstance(
            "docker-run",
            &["docker run", "docker container run", "docker create", "podman run", "podman create", "nerdctl run"],
            &[],
        ),
    ),
    circumstance("docker-run-without-gpus", &[], &[("container-without-gpu-access", Supports)]),
    circumstance("docker-run-with-gpus", &[], &[("container-without-gpu-access", Against)]),
    // Requests of a compose file, a swarm service or a pod.
    circumstance(
        "compose-with-gpus",
        &[
            "runtime: nvidia",
            "driver: nvidia",
            "capabilities: [gpu",
            "capabilities: [\"gpu",
            "gpus: all",
            "nvidia.com/gpu:",
            "--gpus all",
            "--gpus=all",
        ],
        &[("container-without-gpu-access", Against)],
    ),
    with(
        apptainer_run,
        circumstance(
            "apptainer-run",
            &[
                "singularity exec",
                "singularity run",
                "singularity shell",
                "apptainer exec",
                "apptainer run",
                "apptainer shell",
            ],
            &[],
        ),
    ),
    circumstance("apptainer-without-nv", &[], &[("container-without-gpu-access", Supports)]),
    // Contained, so that /dev is a new one.
    circumstance("apptainer-contained", &[], &[("container-without-gpu-access", Supports)]),
    fault(
        "device-access",
        "apptainer-no-nv-files",
        &[
            "could not find any nv files on this host",
            "could not find any nv libraries",
            "could not find any nv binaries",
        ],
        &[("driver-not-installed", Suggests), ("libcuda-not-on-loader-path", Suggests)],
    ),
    fault(
        "device-access",
        "nvidia-nodes-missing",
        &[
            "cannot access '/dev/nvidia",
            "cannot access /dev/nvidia*: no such file",
            "/dev/nvidia0: no such file",
            "/dev/nvidiactl: no such file",
            "/dev/nvidia*: no such file",
            "/dev/nvidia*missing",
            "no /dev/nvidia*devices",
            "/dev/nvidia0 does not exist",
            "no nvidia devices in /dev",
        ],
        &[
            ("container-without-gpu-access", Suggests),
            ("kernel-module-not-loaded", Suggests),
            ("driver-not-installed", Suggests),
        ],
    ),
    // The image says nothing of its own: NVIDIA's base images print this where no driver was injected.
    fault(
        "device-access",
        "ngc-no-driver-in-container",
        &[
            "the nvidia driver was not detected",
            "failed to detect nvidia driver version",
            "warning: the nvidia driver was not detected",
        ],
        &[
            ("container-without-gpu-access", Supports),
            ("container-toolkit-missing", Suggests),
            ("driver-not-installed", Suggests),
        ],
    ),
    fault(
        "device-access",
        "nvidia-smi-not-in-container",
        &["exec: \"nvidia-smi\": executable file not found"],
        &[
            ("container-without-gpu-access", Supports),
            ("k8s-runtimeclass-missing", Suggests),
            ("container-visible-devices-policy", Suggests),
            ("driver-not-installed", Suggests),
        ],
    ),
    // Which parts of the driver were asked for.
    with(driver_capabilities, circumstance("driver-capabilities", &["nvidia_driver_capabilities"], &[])),
    circumstance("driver-capabilities-without-compute", &[], &[("container-driver-capabilities-missing", Supports)]),
    circumstance("driver-capabilities-with-compute", &[], &[("container-driver-capabilities-missing", Refutes)]),
    // How the toolkit accepts lists of devices.
    circumstance(
        "visible-devices-policy",
        &[
            "accept-nvidia-visible-devices-envvar-when-unprivileged = false",
            "accept-nvidia-visible-devices-as-volume-mounts",
            "accept-nvidia-visible-devices-envvar-when-unprivileged=false",
            "device_list_strategy",
            "device-list-strategy",
            "devicelistStrategy=volume-mounts",
            "insufficient privileges to read device list",
        ],
        &[("container-visible-devices-policy", Supports)],
    ),
    fault(
        "device-access",
        "visible-devices-refused",
        &["insufficient privileges to read device list from nvidia_visible_devices"],
        &[("container-visible-devices-policy", Supports)],
    ),
];

/// A command line that starts a container: with a GPU, or without one. One that goes on in the next line says neither.
fn docker_run(line: &str, found: &mut Found) {
    const ASKED: &[&str] = &["--gpus", "--runtime", "nvidia-docker", "--device", "nvidia_visible_devices", "cdi"];
    let lower = line.to_lowercase();
    if lower.contains("device=") && lower.contains("-e cuda_visible_devices") {
        // The same number outside and inside, where counting starts anew.
        found.said("not-renumbered", line, []);
    }
    if ASKED.iter().any(|word| lower.contains(word)) {
        found.said("docker-run-with-gpus", line, []);
    } else if !lower.trim_end().ends_with(['\\', '`', '^']) {
        found.said("docker-run-without-gpus", line, []);
    }
}

/// The same for Apptainer and Singularity, where `--contain` hides /dev from `--nv` in old versions.
fn apptainer_run(line: &str, found: &mut Found) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let nv = words.iter().any(|word| matches!(*word, "--nv" | "--nvccli" | "--rocm"));
    if words.iter().any(|word| matches!(*word, "-c" | "-C" | "--contain" | "--containall")) {
        found.said("apptainer-contained", line, []);
    } else if !nv && !line.trim_end().ends_with('\\') {
        found.said("apptainer-without-nv", line, []);
    }
}

/// Whether the list of parts has the one that CUDA needs.
fn driver_capabilities(line: &str, found: &mut Found) {
    let lower = line.to_lowercase();
    let Some((_, list)) = lower.split_once("nvidia_driver_capabilities") else { return };
    if list.contains("compute") || list.contains("all") {
        found.said("driver-capabilities-with-compute", line, []);
    } else if ["utility", "graphics", "video", "display", "ngx"].iter().any(|part| list.contains(part)) {
        found.said("driver-capabilities-without-compute", line, []);
    }
}
