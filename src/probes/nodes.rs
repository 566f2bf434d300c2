//! Device nodes, and the driver's own pages under `/proc/driver/nvidia`.
//!
//! stat(2) is done here. open(2) and reading the pages can block in the driver (opening `/dev/nvidiaN` starts the device),
//! so a child does that, each in a thread of its own: one that blocks keeps no other waiting. This comes before any NVIDIA
//! library is loaded, because those make missing nodes.

// The part that runs in a child opens the nodes; see clippy.toml.
#![allow(clippy::disallowed_methods)]

use super::child::Channel;
use super::proc_pages;
use crate::facts::kernel::{self, Node};
use crate::facts::{Facts, pci};
use crate::machine::child::{End, Report, Spec};
use crate::machine::{FileKind, Machine};
use crate::subject::{Kind, Subject};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Name of the probe.
pub const NAME: &str = "nodes";

/// Nodes `/dev/nvidiaN` that are looked at.
const MOST: usize = 1024;
/// Nodes of a Jetson, where the GPU is no PCI device.
const JETSON: &[&str] = &[
    "/dev/nvmap",
    "/dev/nvhost-gpu",
    "/dev/nvhost-ctrl-gpu",
    "/dev/nvhost-as-gpu",
    "/dev/nvgpu/igpu0/ctrl",
    "/dev/nvgpu/igpu0/as",
    "/dev/nvgpu/igpu0/channel",
];

/// The nodes that matter here, and what stat(2) says of each. Gives back those that exist, to be opened.
pub fn look(machine: &Machine, nvidia_driver: bool, facts: &mut Facts) -> Vec<String> {
    let mut found = Vec::new();
    for path in wanted(machine, nvidia_driver, facts) {
        let subject = Subject::file(&path);
        match machine.stat(&path) {
            Ok(entry) => {
                let kind = match entry.kind {
                    FileKind::CharDevice => "char",
                    FileKind::File => "file",
                    FileKind::Folder => "dir",
                    FileKind::Link => "link",
                    FileKind::Other => "other",
                };
                let node = Node {
                    kind: kind.to_string(),
                    major: entry.major,
                    minor: entry.minor,
                    mode: format!("{:o}", entry.mode),
                    uid: entry.uid,
                    gid: entry.gid,
                    group: group(machine, entry.gid),
                };
                facts.seen(&kernel::NODE, &subject, node, format!("stat {path}"));
                found.push(path);
            }
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                facts.absent(&kernel::NODE, &subject, format!("stat {path}"));
                facts.absent(&kernel::NODE_OPEN, &subject, format!("stat {path}"));
            }
            Err(e) => facts.failed(&kernel::NODE, &subject, e.to_string(), format!("stat {path}")),
        }
    }
    found
}

/// The child that opens these nodes and reads the pages.
pub fn spec(machine: &Machine, base: Spec, nodes: &[String]) -> Spec {
    base.arguments(["__probe", NAME]).arguments([machine.place(Path::new("/"))]).arguments(nodes)
}

/// The paths to look at: those that exist, and those that should.
fn wanted(machine: &Machine, nvidia_driver: bool, facts: &Facts) -> Vec<String> {
    if !(machine.is_moved() || cfg!(target_os = "linux")) {
        return Vec::new();
    }
    let names = machine.list("/dev").unwrap_or_default();
    let vendor = |id: &str| facts.all(&pci::VENDOR).filter(|(v, _)| v == id).count();
    let mut paths = Vec::new();
    let numbered = |name: &str| name.strip_prefix("nvidia").is_some_and(|n| n.parse::<u32>().is_ok());
    if nvidia_driver || names.iter().any(|name| name == "nvidiactl" || numbered(name)) {
        paths.push("/dev/nvidiactl".to_string());
        let mut minors: Vec<u32> = names.iter().filter_map(|name| name.strip_prefix("nvidia")?.parse().ok()).collect();
        minors.extend(0..vendor("0x10de") as u32);
        minors.sort_unstable();
        minors.dedup();
        minors.truncate(MOST);
        paths.extend(minors.iter().map(|minor| format!("/dev/nvidia{minor}")));
        paths.extend(["/dev/nvidia-uvm", "/dev/nvidia-uvm-tools"].map(str::to_string));
        paths.extend(names.iter().filter(|name| *name == "nvidia-modeset").map(|name| format!("/dev/{name}")));
        let caps = machine.list("/dev/nvidia-caps").unwrap_or_default();
        paths.extend(caps.iter().map(|name| format!("/dev/nvidia-caps/{name}")));
    }
    paths.extend(names.iter().filter(|name| *name == "dxg").map(|name| format!("/dev/{name}")));
    paths.extend(JETSON.iter().filter(|path| machine.exists(path)).map(|path| path.to_string()));
    // AMD and Intel compute through these.
    let (amd, intel) = (vendor("0x1002") > 0, vendor("0x8086") > 0);
    if amd || names.iter().any(|name| name == "kfd") {
        paths.push("/dev/kfd".to_string());
    }
    if amd || intel {
        let nodes = machine.list("/dev/dri").unwrap_or_default();
        let render: Vec<_> = nodes.iter().filter(|name| name.starts_with("renderD")).collect();
        paths.extend(render.iter().map(|name| format!("/dev/dri/{name}")));
        // The first one's name, so that its absence is a fact.
        paths.extend(render.is_empty().then(|| "/dev/dri/renderD128".to_string()));
    }
    paths
}

/// The name of a group, from `/etc/group`.
fn group(machine: &Machine, gid: u32) -> Option<String> {
    let text = machine.text("/etc/group").ok()?;
    text.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)?.parse() == Ok(gid)).then(|| name.to_string())
    })
}

/// The part that runs in a child: `ROOT NODE...`.
pub fn child(channel: &Channel, arguments: &[String]) {
    let Some((root, nodes)) = arguments.split_first() else { return };
    let place = |path: &str| Path::new(root).join(path.trim_start_matches('/'));
    std::thread::scope(|scope| {
        let pages = || proc_pages::child(channel, &place("/proc/driver/nvidia"));
        let alone = std::thread::Builder::new().spawn_scoped(scope, pages).is_err();
        for path in nodes {
            let real: PathBuf = place(path);
            let look = move || {
                channel.begin(&format!("open {path}"));
                channel.stage(&format!("open {path}"), json!({ "path": path, "result": open(&real, path) }));
            };
            // Where no more threads can be had, one after the other has to do.
            if std::thread::Builder::new().spawn_scoped(scope, look.clone()).is_err() {
                look();
            }
        }
        if alone {
            pages();
        }
    });
}

/// Opens a node as the libraries do, and gives the name of the errno.
#[cfg(unix)]
fn open(real: &Path, path: &str) -> String {
    use rustix::fs::{Mode, OFlags};
    // Capabilities are read-only files of the driver; everything else is opened for both.
    let access = if path.contains("/nvidia-caps/") { OFlags::RDONLY } else { OFlags::RDWR };
    match rustix::fs::open(real, access | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty()) {
        Ok(_) => "ok".to_string(),
        Err(errno) => errno_name(errno.raw_os_error()),
    }
}

#[cfg(not(unix))]
fn open(_real: &Path, _path: &str) -> String {
    "ENOSYS".to_string()
}

/// The name of an errno.
#[cfg(unix)]
fn errno_name(errno: i32) -> String {
    let names = [
        (libc::EPERM, "EPERM"),
        (libc::ENOENT, "ENOENT"),
        (libc::EINTR, "EINTR"),
        (libc::EIO, "EIO"),
        (libc::ENXIO, "ENXIO"),
        (libc::EAGAIN, "EAGAIN"),
        (libc::ENOMEM, "ENOMEM"),
        (libc::EACCES, "EACCES"),
        (libc::EBUSY, "EBUSY"),
        (libc::EEXIST, "EEXIST"),
        (libc::ENODEV, "ENODEV"),
        (libc::ENOTDIR, "ENOTDIR"),
        (libc::EISDIR, "EISDIR"),
        (libc::EINVAL, "EINVAL"),
        (libc::ENFILE, "ENFILE"),
        (libc::EMFILE, "EMFILE"),
        (libc::ETXTBSY, "ETXTBSY"),
        (libc::ENOSPC, "ENOSPC"),
        (libc::EROFS, "EROFS"),
        (libc::ELOOP, "ELOOP"),
        (libc::ETIMEDOUT, "ETIMEDOUT"),
        (libc::EOPNOTSUPP, "EOPNOTSUPP"),
    ];
    match names.iter().find(|(number, _)| *number == errno) {
        Some((_, name)) => name.to_string(),
        None => format!("errno {errno}"),
    }
}

/// What the child said, as facts.
pub fn parse(report: &Report, facts: &mut Facts) {
    // Each node was opened in a thread of its own: the order of the answers is chance.
    let known = facts.subjects_with(&kernel::NODE);
    let answers = report.stages.iter().filter_map(|stage| Some((stage["path"].as_str()?, stage["result"].as_str()?)));
    let mut answers: Vec<(&str, &str)> = answers.collect();
    answers.sort_by_key(|(path, _)| known.iter().position(|node| node.id == *path));
    for (path, result) in answers {
        let subject = Subject::file(path);
        match result {
            // It was there a moment ago, when stat saw it.
            "ENOENT" => facts.absent(&kernel::NODE_OPEN, &subject, format!("open {path}")),
            result => facts.seen(&kernel::NODE_OPEN, &subject, result.to_string(), format!("open {path}")),
        }
    }
    for stage in report.unfinished() {
        let Some(path) = stage.strip_prefix("open ") else { continue };
        let why = match report.end {
            End::TimedOut { .. } => format!("open(2) did not come back within {} s", report.limit.as_secs().max(1)),
            _ => "the process ended in open(2)".to_string(),
        };
        facts.failed(&kernel::NODE_OPEN, &Subject::new(Kind::File, path), why, format!("open {path}"));
    }
    proc_pages::parse(report, facts);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probes::child::test::report;

    #[test]
    fn each_node_says_how_it_opened_and_a_blocked_one_that_it_blocked() {
        let mut said = report(
            r#"{"begin":"open /dev/nvidiactl"}
            {"begin":"open /dev/nvidia0"}
            {"stage":"open /dev/nvidiactl","path":"/dev/nvidiactl","result":"EACCES"}"#,
        );
        said.end = End::TimedOut { abandoned: true };
        said.limit = std::time::Duration::from_secs(60);
        let mut facts = Facts::new();
        parse(&said, &mut facts);
        let open = |path: &str| facts.look(&kernel::NODE_OPEN, &Subject::file(path));
        assert_eq!(open("/dev/nvidiactl").seen().as_deref(), Some("EACCES"));
        assert_eq!(open("/dev/nvidia0").why_failed(), Some("open(2) did not come back within 60 s"));
    }
}
