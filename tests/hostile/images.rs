//! Hostile images of a machine, secrets in them, and little room.

use super::*;
use crate::children::script;
use crate::common::program::{doctor, run};
use gpu_doctor::render::escape::is_unsafe;
use serde_json::Value;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

/// An image with some files; the path of each is without the first slash.
fn image(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, bytes) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    folder
}

const GPU: [(&str, &[u8]); 3] = [
    ("sys/bus/pci/devices/0000:01:00.0/vendor", b"0x10de\n"),
    ("sys/bus/pci/devices/0000:01:00.0/device", b"0x2684\n"),
    ("sys/bus/pci/devices/0000:01:00.0/class", b"0x030000\n"),
];

/// Looks at an image; the run has to end in time, with a report.
fn look(folder: &tempfile::TempDir) -> Value {
    let begun = Instant::now();
    let got = run(doctor().args(["check", "--json", "--root"]).arg(folder.path()));
    assert_eq!((got.code == 1 || got.code == 3, got.stderr.as_str()), (true, ""));
    assert!(begun.elapsed() < Duration::from_secs(30));
    serde_json::from_str(&got.stdout).unwrap()
}

/// A fact of a report.
fn fact<'a>(report: &'a Value, key: &str) -> &'a Value {
    report["facts"].as_array().unwrap().iter().find(|fact| fact["key"] == key).unwrap_or(&Value::Null)
}

#[test]
fn pipes_and_loops_in_an_image_are_no_files() {
    let folder = image(&GPU);
    let files = ["etc/os-release", "proc/modules", "proc/cmdline", "dev/kmsg", "etc/modprobe.d/a.conf", "var/lib/dkms"];
    for name in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, 0o644.into(), 0).unwrap();
    }
    symlink("/lib", folder.path().join("lib")).unwrap();
    symlink("usr/../usr", folder.path().join("usr")).unwrap();
    let report = look(&folder);
    assert_eq!(fact(&report, "kernel.arguments")["state"], "failed");
    assert_eq!(fact(&report, "kernel.log")["state"], "failed");
    assert_eq!(fact(&report, "pci.vendor")["value"], "0x10de");
}

#[test]
fn large_and_meaningless_files_in_an_image_are_read_in_part() {
    let noise: Vec<u8> = (0..3_000_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let device = "sys/bus/pci/devices/0000:01:00.0";
    let mut files: Vec<(String, Vec<u8>)> =
        GPU.iter().map(|(path, bytes)| (path.to_string(), bytes.to_vec())).collect();
    for name in ["resource", "config", "current_link_speed", "max_link_width", "power_state", "power/control", "driver"]
    {
        files.push((format!("{device}/{name}"), noise.clone()));
    }
    for name in ["dev/kmsg", "proc/cmdline", "proc/devices", "proc/sys/kernel/osrelease", "etc/os-release"] {
        files.push((name.to_string(), noise.clone()));
    }
    files.push(("usr/local/cuda/version.json".to_string(), b"[".repeat(100_000)));
    files.push(("etc/ld.so.conf".to_string(), b"include /etc/ld.so.conf\n/x y,z\n".repeat(3_000)));
    files.push(("etc/modprobe.d/a.conf".to_string(), b"blacklist nvidia\n".repeat(60_000)));
    let borrowed: Vec<(&str, &[u8])> = files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())).collect();
    let folder = image(&borrowed);
    let log = std::fs::File::create(folder.path().join("var-log")).unwrap();
    log.set_len(1 << 40).unwrap();
    let log_folder = folder.path().join("var/lib/dkms/nvidia/535.1/build");
    std::fs::create_dir_all(&log_folder).unwrap();
    std::fs::rename(folder.path().join("var-log"), log_folder.join("make.log")).unwrap();
    let report = look(&folder);
    assert_eq!(fact(&report, "kernel.blacklist.nvidia")["value"].as_array().map(Vec::len), Some(50));
    assert!(report.to_string().len() < 1 << 20);
}

#[test]
fn names_in_an_image_cannot_fool_a_terminal() {
    let names = ["a\nb.conf", "nvidia\u{1b}]0;x\u{7}", "cuda-\u{1b}[31m1", "6.1\n\u{1b}[2J", "5\u{202e}1"];
    let folder = image(&GPU);
    for parent in ["dev", "etc/modprobe.d", "usr/local", "lib/modules", "var/lib/dkms/nvidia", "sys/module"] {
        for name in names {
            let path = folder.path().join(parent).join(name);
            std::fs::create_dir_all(&path).unwrap();
            std::fs::write(path.join("version.txt"), "CUDA Version 1.\u{1b}[31m").unwrap();
        }
        let invalid = std::ffi::OsStr::from_bytes(b"\xff\xfe");
        std::fs::create_dir_all(folder.path().join(parent).join(invalid)).unwrap();
    }
    let got = run(doctor().args(["check", "--verbose", "--root"]).arg(folder.path()));
    assert!(!got.stdout.contains(|c: char| is_unsafe(c) && c != '\n'), "{}", got.stdout);
}

#[test]
fn secrets_stay_where_they_are() {
    let folder = image(&[
        ("proc/cmdline", b"root=/dev/sda1 nvidia-drm.modeset=1 rd.luks.key=S3CRET token=S3CRET"),
        ("dev/kmsg", b"[    0.0] Kernel command line: nvidia-drm.modeset=1 token=S3CRET\n[    1.0] NVRM: loading\n"),
    ]);
    let body = "echo 'ImportError: https://ann:S3CRET@pypi.example/simple' >&2; exit 3";
    let python = script("python", body);
    let secret = [
        ("AWS_SECRET_ACCESS_KEY", "S3CRET"),
        ("HF_TOKEN", "S3CRET"),
        ("PIP_INDEX_URL", "https://ann:S3CRET@pypi.example/simple"),
        ("PYTHONPATH", "/opt/a:https://ann:S3CRET@host/x"),
        ("LD_LIBRARY_PATH", "ftp://S3CRET@host/lib"),
    ];
    for more in [vec![], vec!["--root-live"]] {
        let mut command = doctor();
        command.envs(secret).args(["check", "--json", "--root"]).arg(folder.path()).args(&more);
        if !more.is_empty() {
            command.arg("--python").arg(python.path().join("python"));
        }
        let got = run(&mut command);
        assert!(got.code == 1 || got.code == 3, "{}", got.stderr);
        assert!(!got.stdout.contains("S3CRET") && !got.stderr.contains("S3CRET"), "{}", got.stdout);
    }
}

/// The program, started by a shell that first does something to itself.
fn shell(before: &str, arguments: &str) -> common::program::Got {
    let program = assert_cmd::cargo::cargo_bin!("gpu-doctor");
    let mut command = assert_cmd::Command::new("sh");
    run(command.arg("-c").arg(format!("{before}; exec '{}' {arguments}", program.display())))
}

#[test]
fn little_room_is_no_reason_to_break() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.json");
    let checks = "check --skip framework --skip tensor";
    for before in
        ["ulimit -n 8", "ulimit -v 400000", "exec <&- >&- 2>&-", "unset HOME PATH", "mkdir -p x && cd x && rmdir ../x"]
    {
        let got = shell(&format!("cd '{}'; {before}", folder.path().display()), checks);
        assert!((0..=3).contains(&got.code) && got.code != 2, "{before}: {}", got.stderr);
    }
    let got = shell("ulimit -f 1", &format!("{checks} --save '{}'", file.display()));
    assert_eq!((got.code, got.stderr.contains("cannot save")), (2, true), "{}", got.stderr);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "a part of a file stayed");
}

#[test]
fn what_cannot_be_saved_is_said_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    std::fs::write(folder.path().join("file"), "{\"schema_version\": 1}").unwrap();
    let cases = [
        (socket, "it is a socket"),
        (folder.path().join("file/"), "not a directory"),
        (folder.path().join("n".repeat(300)), "name"),
    ];
    for (path, words) in cases {
        let got = run(doctor().args(["check", "--save"]).arg(&path));
        assert_eq!((got.code, got.stdout.as_str()), (2, ""), "{}", path.display());
        assert!(got.stderr.contains(words), "{}", got.stderr);
    }
    let longest = folder.path().join("n".repeat(255));
    let got = run(doctor().args(["check", "--only", "gpu-present", "--save"]).arg(&longest));
    assert!(got.code != 2 && longest.exists(), "{}", got.stderr);
}
