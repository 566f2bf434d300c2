//! Whether this process runs in a container: two signals, or one that cannot be mistaken.
//!
//! One sign alone proves nothing: virtual machines made from container images keep `/.dockerenv`, live systems have an
//! overlay as their root, and variables are inherited.

use crate::facts::{Facts, host};
use crate::machine::Machine;
use crate::subject::Subject;

/// How much a sign is worth. Two weak ones or one strong one make a container.
const WEAK: u32 = 1;
const STRONG: u32 = 2;

/// Kinds of container, innermost first: what decides where several speak.
const ENGINES: [&str; 7] = ["gvisor", "apptainer", "kubernetes", "podman", "docker", "lxc", "unknown"];

/// A sign of a container.
#[derive(Clone, Debug, PartialEq)]
struct Signal {
    engine: &'static str,
    weight: u32,
    text: String,
}

fn signal(engine: &'static str, weight: u32, text: impl Into<String>) -> Signal {
    Signal { engine, weight, text: text.into() }
}

/// Adds the container, or its absence.
pub fn look(machine: &Machine, facts: &mut Facts) {
    let here = Subject::machine();
    let signals = signals(machine);
    let source = "/.dockerenv, /run/.containerenv, /proc/self/cgroup, /proc/self/mountinfo, environment";
    match judge(&signals) {
        Some(container) => {
            facts.seen(&host::CONTAINER, &here, container, source);
            // A container with a process 1 of its own was started when that was.
            let (stat, uptime) = (machine.text("/proc/1/stat"), machine.text("/proc/uptime"));
            if let Some(age) = stat.ok().zip(uptime.ok()).and_then(|(stat, uptime)| age(&stat, &uptime)) {
                facts.seen(&host::CONTAINER_AGE, &here, age, "/proc/1/stat, /proc/uptime");
            }
        }
        None => facts.absent(&host::CONTAINER, &here, source),
    }
}

/// Whether this is a pod: the variable that every pod gets, and the account that is mounted into it.
pub fn in_kubernetes(machine: &Machine) -> bool {
    machine.variable("KUBERNETES_SERVICE_HOST").is_some()
        && (machine.exists("/var/run/secrets/kubernetes.io") || machine.exists("/run/secrets/kubernetes.io"))
}

/// Seconds since a process was started: field 22 of its `stat` counts hundredths of a second from the start of the machine.
/// Nothing where the two do not fit, as where the container shows an uptime of its own.
fn age(stat: &str, uptime: &str) -> Option<u64> {
    // The name in field 2 may hold blanks and brackets; what follows its last bracket starts with field 3.
    let started: u64 = stat.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()?;
    let up: u64 = uptime.split(['.', ' ']).next()?.parse().ok()?;
    up.checked_sub(started / 100)
}

fn judge(signals: &[Signal]) -> Option<host::Container> {
    let weight: u32 = signals.iter().map(|s| s.weight).sum();
    if weight < STRONG {
        return None;
    }
    let engine = ENGINES.into_iter().find(|engine| signals.iter().any(|s| s.engine == *engine))?;
    Some(host::Container { engine: engine.to_string(), signals: signals.iter().map(|s| s.text.clone()).collect() })
}

fn signals(machine: &Machine) -> Vec<Signal> {
    let mut found = Vec::new();
    if machine.exists("/.dockerenv") {
        found.push(signal("docker", WEAK, "/.dockerenv"));
    }
    if let Ok(text) = machine.text("/run/.containerenv") {
        // Podman writes its name into it where it may; else the file is empty.
        let weight = if text.contains("engine=") { STRONG } else { WEAK };
        found.push(signal("podman", weight, "/run/.containerenv"));
    }
    if let Ok(text) = machine.line("/run/systemd/container") {
        found.push(signal(engine_of_word(&text), STRONG, format!("/run/systemd/container says {text}")));
    }
    if machine.variable("KUBERNETES_SERVICE_HOST").is_some() {
        found.push(signal("kubernetes", WEAK, "environment variable KUBERNETES_SERVICE_HOST"));
    }
    if machine.exists("/var/run/secrets/kubernetes.io") || machine.exists("/run/secrets/kubernetes.io") {
        found.push(signal("kubernetes", WEAK, "/run/secrets/kubernetes.io"));
    }
    if let Some(word) = machine.variable("container").filter(|word| !word.is_empty()) {
        found.push(signal(engine_of_word(&word), WEAK, format!("environment variable container={word}")));
    }
    if let Some(name) = ["APPTAINER_NAME", "SINGULARITY_NAME"].iter().find(|name| machine.variable(name).is_some()) {
        found.push(signal("apptainer", WEAK, format!("environment variable {name}")));
    }
    if machine.exists("/.singularity.d") {
        found.push(signal("apptainer", WEAK, "/.singularity.d"));
    }
    if let Some(node) = ["/dev/lxd", "/dev/incus", "/dev/.lxc"].iter().find(|path| machine.exists(path)) {
        found.push(signal("lxc", WEAK, *node));
    }
    // Only root may read it; that it cannot be read says nothing.
    let first = machine.bytes("/proc/1/environ").unwrap_or_default();
    found.extend(from_environ(&first));
    for path in ["/proc/self/cgroup", "/proc/1/cgroup"] {
        found.extend(from_cgroup(&machine.text(path).unwrap_or_default(), path));
    }
    found.extend(from_mountinfo(&machine.text("/proc/self/mountinfo").unwrap_or_default()));
    found.extend(from_version(&machine.text("/proc/version").unwrap_or_default()));
    found
}

fn engine_of_word(word: &str) -> &'static str {
    match word {
        "docker" => "docker",
        "podman" | "oci" => "podman",
        "lxc" | "lxc-libvirt" | "incus" => "lxc",
        "kube" => "kubernetes",
        _ => "unknown",
    }
}

/// The environment of process 1: its `container=` was set by who made the container.
fn from_environ(environ: &[u8]) -> Option<Signal> {
    let word = environ.split(|byte| *byte == 0).find_map(|entry| entry.strip_prefix(b"container="))?;
    let word = String::from_utf8_lossy(word);
    (!word.is_empty()).then(|| signal(engine_of_word(&word), STRONG, format!("process 1 has container={word}")))
}

/// Control-group paths, where the container has no namespace of its own for them. A path without a container's id
/// (`/system.slice/docker.service`) is a service of the host.
fn from_cgroup(text: &str, source: &str) -> Option<Signal> {
    text.lines().find_map(|line| {
        let path = line.splitn(3, ':').nth(2)?;
        let engine = path.split('/').find_map(|part| {
            let id = part.trim_end_matches(".scope").rsplit('-').next().unwrap_or(part);
            let is_id = id.len() == 64 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
            match part {
                _ if part.starts_with("kubepods") => Some("kubernetes"),
                _ if part.starts_with("lxc.payload") || part.starts_with("lxc.monitor") => Some("lxc"),
                "lxc" => Some("lxc"),
                _ if is_id && path.contains("libpod") => Some("podman"),
                _ if is_id && path.contains("docker") => Some("docker"),
                _ => None,
            }
        })?;
        Some(signal(engine, STRONG, format!("{source} says {path}")))
    })
}

/// What is mounted: a root from a layer store, files of a container engine, lxcfs over /proc.
fn from_mountinfo(text: &str) -> Vec<Signal> {
    let mut found: Vec<Signal> = Vec::new();
    let mut add = |new: Signal| {
        if !found.iter().any(|s| s.engine == new.engine && s.weight == new.weight) {
            found.push(new);
        }
    };
    for line in text.lines() {
        let Some((left, right)) = line.split_once(" - ") else { continue };
        let mut fields = left.split_whitespace();
        let (Some(inner), Some(point)) = (fields.nth(3), fields.next()) else { continue };
        let kind = right.split_whitespace().next().unwrap_or_default();
        if inner.contains("/docker/containers/") && point.starts_with("/etc/") {
            add(signal("docker", STRONG, format!("{point} comes from a Docker container's folder")));
        }
        if (inner.contains("/overlay-containers/") || inner.contains("/containers/storage/"))
            && point.starts_with("/etc/")
        {
            add(signal("podman", STRONG, format!("{point} comes from a Podman container's folder")));
        }
        if inner.contains("/kubelet/pods/") {
            add(signal("kubernetes", STRONG, format!("{point} comes from a pod's folder")));
        }
        if kind == "fuse.lxcfs" && point.starts_with("/proc/") {
            add(signal("lxc", STRONG, format!("lxcfs is mounted on {point}")));
        }
        if point == "/" && (kind == "overlay" || kind == "fuse.fuse-overlayfs") {
            let store = [("/docker/", "docker"), ("/containers/storage/", "podman"), ("containerd", "unknown")];
            match store.iter().find(|(part, _)| right.contains(part)) {
                Some((part, engine)) => add(signal(engine, STRONG, format!("the root is a layer of {part}"))),
                None => add(signal("unknown", WEAK, "the root is an overlay")),
            }
        }
        if point == "/" && kind == "9p" {
            add(signal("unknown", WEAK, "the root is a 9p file system"));
        }
    }
    found
}

/// gVisor reports one fixed kernel, which no Linux of today has: 4.4.0, built on 10 January 2016.
fn from_version(text: &str) -> Option<Signal> {
    if !text.starts_with("Linux version 4.4.0 ") {
        return None;
    }
    let weight = if text.contains("Sun Jan 10 15:06:54 PST 2016") { STRONG } else { WEAK };
    Some(signal("gvisor", weight, "/proc/version is gVisor's"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_age_of_process_1_is_told_from_two_files() {
        let stat = "1 (my (odd) init) S 0 1 1 0 -1 4194560 7 0 0 0 1 2 0 0 20 0 1 0 123450 10 20";
        assert_eq!(age(stat, "1294.51 5000.00\n"), Some(60));
        assert_eq!(age(stat, "12.00 5000.00\n"), None);
        assert_eq!(age("1 (x", "12.00"), None);
    }

    const ID: &str = "3f4e7c9d0b1a2f3e4d5c6b7a8f9e0d1c2b3a4f5e6d7c8b9a0f1e2d3c4b5a6f7e";

    fn engine(signals: &[Signal]) -> Option<String> {
        judge(signals).map(|container| container.engine)
    }

    #[test]
    fn one_weak_sign_is_no_container() {
        assert_eq!(engine(&[signal("docker", WEAK, "/.dockerenv")]), None);
        assert_eq!(engine(&[signal("unknown", WEAK, "the root is an overlay")]), None);
        assert_eq!(engine(&[]), None);
        let two = [signal("docker", WEAK, "/.dockerenv"), signal("unknown", WEAK, "the root is an overlay")];
        assert_eq!(engine(&two).as_deref(), Some("docker"));
    }

    #[test]
    fn a_container_in_a_pod_is_the_pod() {
        let signals = [signal("docker", WEAK, "/.dockerenv"), signal("kubernetes", WEAK, "KUBERNETES_SERVICE_HOST")];
        assert_eq!(engine(&signals).as_deref(), Some("kubernetes"));
    }

    #[test]
    fn control_groups_with_an_id_are_containers_and_services_are_not() {
        let found = |text: &str| from_cgroup(text, "/proc/self/cgroup").map(|s| s.engine);
        assert_eq!(found(&format!("12:devices:/docker/{ID}\n")), Some("docker"));
        assert_eq!(found(&format!("0::/system.slice/docker-{ID}.scope\n")), Some("docker"));
        assert_eq!(found(&format!("0::/user.slice/user-1000.slice/libpod-{ID}.scope\n")), Some("podman"));
        assert_eq!(found("1:cpu:/kubepods/besteffort/pod1234/abc\n"), Some("kubernetes"));
        assert_eq!(found("0::/kubepods.slice/kubepods-pod12.slice\n"), Some("kubernetes"));
        assert_eq!(found("0::/lxc.payload.web/init.scope\n"), Some("lxc"));
        assert_eq!(found("0::/system.slice/docker.service\n"), None);
        assert_eq!(found("0::/user.slice/user-1000.slice/session-3.scope\n"), None);
        assert_eq!(found("0::/\n9:name=systemd:/\n"), None);
        assert_eq!(found("garbage"), None);
    }

    #[test]
    fn mounts_of_an_engine_are_signs() {
        let docker = "1200 1100 254:1 /var/lib/docker/containers/3f4e/resolv.conf /etc/resolv.conf rw - ext4 /dev/vda1 rw\n\
                      1100 900 0:50 / / rw,relatime - overlay overlay rw,lowerdir=/var/lib/docker/overlay2/l/AB\n";
        let found = from_mountinfo(docker);
        assert_eq!(engine(&found).as_deref(), Some("docker"));
        let live = from_mountinfo("30 1 0:25 / / rw - overlay overlay rw,lowerdir=/run/live/rootfs\n");
        assert_eq!(engine(&live), None);
        let lxc = from_mountinfo("90 80 0:40 /proc/cpuinfo /proc/cpuinfo rw - fuse.lxcfs lxcfs rw\n");
        assert_eq!(engine(&lxc).as_deref(), Some("lxc"));
        assert_eq!(from_mountinfo("27 1 254:0 / / rw,relatime - ext4 /dev/vda rw\nbroken\n"), []);
    }

    #[test]
    fn gvisor_has_a_kernel_of_its_own() {
        let text = "Linux version 4.4.0 #1 SMP Sun Jan 10 15:06:54 PST 2016\n";
        assert_eq!(engine(&from_version(text).into_iter().collect::<Vec<_>>()).as_deref(), Some("gvisor"));
        assert_eq!(from_version("Linux version 4.4.0-210-generic (buildd@lgw01)"), None);
    }

    #[test]
    fn the_environment_of_process_1_is_a_strong_sign() {
        assert_eq!(from_environ(b"PATH=/bin\0container=lxc\0").map(|s| s.engine), Some("lxc"));
        assert_eq!(from_environ(b"PATH=/bin\0"), None);
        assert_eq!(from_environ(b""), None);
    }
}
