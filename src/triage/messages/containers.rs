//! Messages of container engines: Docker, Podman, containerd, nvidia-container-cli, CDI, Apptainer, snap, Docker Desktop.

use super::About::{Circumstance, Fault};
use super::Message;
use super::Weight::{Against, Decides, Refutes, Suggests, Supports};
use crate::triage::Found;

/// The rows.
pub static ROWS: &[Message] = &[
    Message {
        // The daemon found nothing that handles a request for GPUs: usually there is no toolkit on the host.
        id: "docker-cannot-select-driver",
        words: &["could not select device driver"],
        about: Fault("device-access"),
        causes: &[
            ("container-toolkit-missing", Supports),
            ("container-runtime-not-configured", Suggests),
            ("docker-installed-as-snap", Suggests),
            ("docker-desktop-linux-vm", Suggests),
            ("container-without-gpu-access", Refutes),
        ],
        facts: None,
    },
    Message {
        // The engine knows no runtime of this name: its configuration was not written, or not read again.
        id: "unknown-runtime-nvidia",
        words: &[
            "unknown runtime specified nvidia",
            "unknown or invalid runtime name: nvidia",
            "invalid runtime name: nvidia",
            "no runtime for \"nvidia\" is configured",
            "runtime \"nvidia\" not found",
            "runtime handler \"nvidia\"",
            "runtimehandler \"nvidia\" not supported",
            "failed to find runtime handler nvidia",
        ],
        about: Fault("device-access"),
        causes: &[
            ("container-runtime-not-configured", Supports),
            ("container-toolkit-missing", Suggests),
            ("docker-installed-as-snap", Suggests),
        ],
        facts: None,
    },
    Message {
        // A program of the toolkit is not on the host.
        id: "toolkit-program-missing",
        words: &[
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
        about: Fault("device-access"),
        causes: &[("container-toolkit-missing", Supports), ("docker-installed-as-snap", Suggests)],
        facts: None,
    },
    Message {
        // Installing the toolkit was the cure.
        id: "toolkit-was-installed",
        words: &[
            "after installing nvidia-container",
            "installed nvidia-container-toolkit",
            "installing nvidia-container-toolkit",
            "install nvidia-container-toolkit",
            "install -y nvidia-container-toolkit",
            "install nvidia-docker2",
            "install -y nvidia-docker2",
        ],
        about: Circumstance,
        causes: &[("container-toolkit-missing", Suggests)],
        facts: None,
    },
    Message {
        id: "nvidia-ctk-configure",
        words: &["nvidia-ctk runtime configure"],
        about: Circumstance,
        causes: &[("container-runtime-not-configured", Suggests)],
        facts: None,
    },
    Message {
        // The hook looks for the driver's library where the daemon runs, and there is none.
        id: "container-cli-no-libnvidia-ml",
        words: &["load library failed: libnvidia-ml.so"],
        about: Fault("device-access"),
        causes: &[
            ("driver-not-installed", Supports),
            ("docker-desktop-linux-vm", Suggests),
            ("docker-installed-as-snap", Suggests),
        ],
        facts: None,
    },
    Message {
        // The request was made, and handled.
        id: "container-cli-ran",
        words: &["nvidia-container-cli:"],
        about: Circumstance,
        causes: &[
            ("container-without-gpu-access", Refutes),
            ("cuda-visible-devices-hides-all", Refutes),
            ("cuda-visible-devices-out-of-range", Refutes),
            ("device-node-permission", Against),
        ],
        facts: None,
    },
    Message {
        id: "container-cli-driver-not-loaded",
        words: &[
            "nvidia-container-cli*nvml error: driver not loaded",
            "nvidia-container-cli*driver error: failed to process request",
            "nvidia-container-cli*failed to initialize nvml: driver not loaded",
            "failed to initialize nvml: driver not loaded",
            "failed to initialize nvml: error_driver_not_loaded",
        ],
        about: Fault("device-access"),
        causes: &[
            ("driver-not-working", Supports),
            ("kernel-module-not-loaded", Suggests),
            ("driver-not-installed", Suggests),
        ],
        facts: None,
    },
    Message {
        // CUDA of the host itself finds no device, although NVML answered before.
        id: "container-cli-cuda-no-device",
        words: &["nvidia-container-cli*cuda error: no cuda-capable device"],
        about: Fault("cuda-driver"),
        causes: &[
            ("nvlink-bridge-fault", Suggests),
            ("mig-enabled-unintentionally", Suggests),
            ("gpu-fell-off-bus", Suggests),
        ],
        facts: None,
    },
    Message {
        id: "container-cli-cuda-unknown",
        words: &["nvidia-container-cli*cuda error: unknown error"],
        about: Fault("cuda-driver"),
        causes: &[
            ("nvidia-uvm-bad-state", Suggests),
            ("nvidia-uvm-module-not-loaded", Suggests),
            ("suspend-breaks-nvidia-uvm", Suggests),
        ],
        facts: None,
    },
    Message {
        id: "container-cli-wsl-no-adapter",
        words: &["wsl environment detected but no adapters were found"],
        about: Fault("device-access"),
        causes: &[
            ("wsl-gpu-in-tcc-mode", Suggests),
            ("wsl-driver-store-libs-missing", Suggests),
            ("driver-not-installed", Suggests),
        ],
        facts: None,
    },
    Message {
        // Refused before anything of the container starts.
        id: "container-requirement-unsatisfied",
        words: &[
            "requirement error: unsatisfied condition",
            "unsatisfied condition: cuda",
            "unsatisfied condition: driver",
        ],
        about: Fault("cuda-runtime"),
        causes: &[("container-image-needs-newer-driver", Decides)],
        facts: None,
    },
    Message {
        // An engine that may not write device rules: in an unprivileged container or user namespace.
        id: "devices-allow-not-permitted",
        words: &[
            "devices.allow: operation not permitted",
            "failed to add device rules*operation not permitted",
            "bpf_prog_query(bpf_cgroup_device) failed: operation not permitted",
            "unable to find any existing device filters attached to the cgroup",
            "cgroup subsystem devices not found",
        ],
        about: Fault("device-access"),
        causes: &[("container-no-cgroups-setting", Supports)],
        facts: None,
    },
    Message {
        id: "container-cli-no-capability",
        words: &["nvidia-container-cli: permission error: capability change failed"],
        about: Fault("device-access"),
        causes: &[("container-no-cgroups-setting", Suggests)],
        facts: None,
    },
    Message {
        // NVML opened no node: EPERM of a device cgroup.
        id: "nvml-unknown-error-at-init",
        words: &[
            "failed to initialize nvml: unknown error",
            "failed to initialize nvml: error_unknown",
            "could not initialize nvml: unknown error",
            "nvmlinit*unknown error",
        ],
        about: Fault("nvml"),
        causes: &[("container-cgroup-device-access-lost", Supports), ("container-no-cgroups-setting", Suggests)],
        facts: None,
    },
    Message {
        id: "daemon-reload",
        words: &["daemon-reload", "daemon reload", "systemd: reloading", "systemd[1]: reloading"],
        about: Circumstance,
        causes: &[("container-cgroup-device-access-lost", Supports), ("container-no-cgroups-setting", Against)],
        facts: None,
    },
    Message {
        // The device cgroup's list, read inside a container.
        id: "devices-list",
        words: &[
            "devices/devices.list",
            "c 195:* m",
            "c 195:0 rw",
            "c 195:255 rw",
            "native.cgroupdriver=cgroupfs",
            "create-dev-char-symlinks",
        ],
        about: Circumstance,
        causes: &[("container-cgroup-device-access-lost", Supports)],
        facts: None,
    },
    Message {
        id: "no-cgroups-true",
        words: &["no-cgroups = true", "no-cgroups=true", "no-cgroups true"],
        about: Circumstance,
        causes: &[
            ("container-no-cgroups-setting", Supports),
            ("container-cgroup-device-access-lost", Against),
            ("wsl-gpu-in-tcc-mode", Against),
        ],
        facts: None,
    },
    Message {
        id: "unprivileged-container",
        words: &["user namespace", "unprivileged container", "unprivileged lxc", "lxc.idmap", "unprivileged: 1"],
        about: Circumstance,
        causes: &[("container-no-cgroups-setting", Suggests)],
        facts: None,
    },
    Message {
        // It worked in this container before.
        id: "container-lost-gpu-later",
        words: &[
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
        about: Circumstance,
        causes: &[("container-cgroup-device-access-lost", Suggests), ("container-no-cgroups-setting", Against)],
        facts: None,
    },
    Message {
        // NVML 4 at the start: a node that may not be opened (EACCES).
        id: "nvml-insufficient-permissions",
        words: &[
            "failed to initialize nvml: insufficient permissions",
            "failed to initialize nvml: error_no_permission",
        ],
        about: Fault("nvml"),
        causes: &[("device-node-permission", Supports), ("selinux-denies-device", Suggests)],
        facts: None,
    },
    Message {
        id: "selinux-denial",
        words: &[
            "avc:*denied*nvidia",
            "avc:*denied*container_t*xserver_misc_device_t",
            "avc:*denied*xserver_misc_device_t",
            "selinux is preventing*nvidia",
        ],
        about: Fault("device-access"),
        causes: &[("selinux-denies-device", Supports)],
        facts: None,
    },
    Message {
        id: "selinux-at-work",
        words: &[
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
        about: Circumstance,
        causes: &[("selinux-denies-device", Supports)],
        facts: None,
    },
    Message {
        // No specification defines the device that was asked for.
        id: "cdi-unresolvable",
        words: &["unresolvable cdi device"],
        about: Fault("device-access"),
        causes: &[("cdi-spec-missing", Decides)],
        facts: None,
    },
    Message {
        // A specification of another driver: the files it names are gone.
        id: "cdi-stale",
        words: &[
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
        about: Fault("device-access"),
        causes: &[("cdi-spec-missing", Supports)],
        facts: None,
    },
    Message {
        id: "cdi-generate",
        words: &["nvidia-ctk cdi generate", "nvidia-ctk cdi list", "/etc/cdi/nvidia.yaml", "/var/run/cdi/nvidia.yaml"],
        about: Circumstance,
        causes: &[("cdi-spec-missing", Suggests)],
        facts: None,
    },
    Message {
        id: "docker-from-snap",
        words: &[
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
        about: Circumstance,
        causes: &[("docker-installed-as-snap", Supports)],
        facts: None,
    },
    Message {
        // The engine runs in a virtual machine of its own; on Windows that is as it should be.
        id: "docker-desktop",
        words: &["docker desktop", "docker-desktop", "desktop-linux", "linuxkit", "/.docker/desktop/docker.sock"],
        about: Circumstance,
        causes: &[("docker-desktop-linux-vm", Supports)],
        facts: None,
    },
    Message {
        // The user's and root's docker may be two engines.
        id: "sudo-docker",
        words: &["sudo docker run", "docker context"],
        about: Circumstance,
        causes: &[("docker-desktop-linux-vm", Suggests)],
        facts: None,
    },
    Message {
        // Something runs in a container.
        id: "docker-is-used",
        words: &["docker", "podman", "singularity", "apptainer", "container image", "devcontainer"],
        about: Circumstance,
        causes: &[("container-without-gpu-access", Suggests)],
        facts: None,
    },
    Message {
        id: "docker-run",
        words: &["docker run", "docker container run", "docker create", "podman run", "podman create", "nerdctl run"],
        about: Circumstance,
        causes: &[],
        facts: Some(docker_run),
    },
    Message {
        id: "docker-run-without-gpus",
        words: &[],
        about: Circumstance,
        causes: &[("container-without-gpu-access", Supports)],
        facts: None,
    },
    Message {
        id: "docker-run-with-gpus",
        words: &[],
        about: Circumstance,
        causes: &[("container-without-gpu-access", Against)],
        facts: None,
    },
    Message {
        // Requests of a compose file, a swarm service or a pod.
        id: "compose-with-gpus",
        words: &[
            "runtime: nvidia",
            "driver: nvidia",
            "capabilities: [gpu",
            "capabilities: [\"gpu",
            "gpus: all",
            "nvidia.com/gpu:",
            "--gpus all",
            "--gpus=all",
        ],
        about: Circumstance,
        causes: &[("container-without-gpu-access", Against)],
        facts: None,
    },
    Message {
        id: "apptainer-run",
        words: &[
            "singularity exec",
            "singularity run",
            "singularity shell",
            "apptainer exec",
            "apptainer run",
            "apptainer shell",
        ],
        about: Circumstance,
        causes: &[],
        facts: Some(apptainer_run),
    },
    Message {
        id: "apptainer-without-nv",
        words: &[],
        about: Circumstance,
        causes: &[("container-without-gpu-access", Supports)],
        facts: None,
    },
    Message {
        // Contained, so that /dev is a new one.
        id: "apptainer-contained",
        words: &[],
        about: Circumstance,
        causes: &[("container-without-gpu-access", Supports)],
        facts: None,
    },
    Message {
        id: "apptainer-no-nv-files",
        words: &[
            "could not find any nv files on this host",
            "could not find any nv libraries",
            "could not find any nv binaries",
        ],
        about: Fault("device-access"),
        causes: &[("driver-not-installed", Suggests), ("libcuda-not-on-loader-path", Suggests)],
        facts: None,
    },
    Message {
        id: "nvidia-nodes-missing",
        words: &[
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
        about: Fault("device-access"),
        causes: &[
            ("container-without-gpu-access", Suggests),
            ("kernel-module-not-loaded", Suggests),
            ("driver-not-installed", Suggests),
        ],
        facts: None,
    },
    Message {
        // The image says nothing of its own: NVIDIA's base images print this where no driver was injected.
        id: "ngc-no-driver-in-container",
        words: &[
            "the nvidia driver was not detected",
            "failed to detect nvidia driver version",
            "warning: the nvidia driver was not detected",
        ],
        about: Fault("device-access"),
        causes: &[
            ("container-without-gpu-access", Supports),
            ("container-toolkit-missing", Suggests),
            ("driver-not-installed", Suggests),
        ],
        facts: None,
    },
    Message {
        id: "nvidia-smi-not-in-container",
        words: &["exec: \"nvidia-smi\": executable file not found"],
        about: Fault("device-access"),
        causes: &[
            ("container-without-gpu-access", Supports),
            ("k8s-runtimeclass-missing", Suggests),
            ("container-visible-devices-policy", Suggests),
            ("driver-not-installed", Suggests),
        ],
        facts: None,
    },
    Message {
        // Which parts of the driver were asked for.
        id: "driver-capabilities",
        words: &["nvidia_driver_capabilities"],
        about: Circumstance,
        causes: &[],
        facts: Some(driver_capabilities),
    },
    Message {
        id: "driver-capabilities-without-compute",
        words: &[],
        about: Circumstance,
        causes: &[("container-driver-capabilities-missing", Supports)],
        facts: None,
    },
    Message {
        id: "driver-capabilities-with-compute",
        words: &[],
        about: Circumstance,
        causes: &[("container-driver-capabilities-missing", Refutes)],
        facts: None,
    },
    Message {
        // How the toolkit accepts lists of devices.
        id: "visible-devices-policy",
        words: &[
            "accept-nvidia-visible-devices-envvar-when-unprivileged = false",
            "accept-nvidia-visible-devices-as-volume-mounts",
            "accept-nvidia-visible-devices-envvar-when-unprivileged=false",
            "device_list_strategy",
            "device-list-strategy",
            "devicelistStrategy=volume-mounts",
            "insufficient privileges to read device list",
        ],
        about: Circumstance,
        causes: &[("container-visible-devices-policy", Supports)],
        facts: None,
    },
    Message {
        id: "visible-devices-refused",
        words: &["insufficient privileges to read device list from nvidia_visible_devices"],
        about: Fault("device-access"),
        causes: &[("container-visible-devices-policy", Supports)],
        facts: None,
    },
];

/// A command line that starts a container: with a GPU, or without one. One that goes on in the next line says neither.
fn docker_run(line: &str, found: &mut Found) {
    const ASKED: &[&str] = &["--gpus", "--runtime", "nvidia-docker", "--device", "nvidia_visible_devices", "cdi"];
    let lower = line.to_lowercase();
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
