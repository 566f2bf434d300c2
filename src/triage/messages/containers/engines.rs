//! Which engine runs, how it was started, and which parts of the driver it passed on.

use crate::triage::Found;
use crate::triage::messages::Weight::{Against, Refutes, Suggests, Supports};
use crate::triage::messages::{Message, circumstance, fault, with};

/// The rows.
pub static ROWS: &[Message] = &[
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
    // Docker names a container by twelve digits of its id, and its shell begins with that name.
    with(container_prompt, circumstance("shell-of-root", &["root@"], &[])),
    circumstance("shell-in-container", &[], &[("container-without-gpu-access", Suggests)]),
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
        ],
        &[("container-without-gpu-access", Against)],
    ),
    with(gpus_flag, circumstance("gpus-flag", &["--gpus all", "--gpus=all"], &[])),
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
        if is_test(&lower) {
            return;
        }
        found.said("docker-run-with-gpus", line, []);
    } else if !lower.trim_end().ends_with(['\\', '`', '^']) {
        found.said("docker-run-without-gpus", line, []);
    }
}

/// The flag in a line that need not begin a command.
fn gpus_flag(line: &str, found: &mut Found) {
    if !is_test(&line.to_lowercase()) {
        found.said("docker-run-with-gpus", line, []);
    }
}

/// `docker run ... nvidia-smi` is a test of the engine: the program that fails was started by another line.
fn is_test(line: &str) -> bool {
    line.trim_end_matches(['`', ' ', '"', '\'']).ends_with("nvidia-smi")
}

/// `root@4728a09607c1:/opt#`.
fn container_prompt(line: &str, found: &mut Found) {
    let name = line.split("root@").nth(1).and_then(|rest| rest.split([':', ' ']).next()).unwrap_or_default();
    let hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    if name.len() == 12 && name.bytes().all(hex) {
        found.said("shell-in-container", line, []);
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
