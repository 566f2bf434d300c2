//! What comes from a stranger, or from a machine that is ill, breaks nothing: snapshots, images, children, the environment.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods)]

mod common;

use common::program::{BARE, HEALTHY, NO_DRIVER, doctor, run};
use gpu_doctor::causes::example;
use gpu_doctor::facts::{Fact, Facts, State, catalogue};
use gpu_doctor::machine::child::{self, End};
use gpu_doctor::machine::console::Console;
use gpu_doctor::probes::{
    self,
    python::{Child, Chosen},
};
use gpu_doctor::render::escape::is_unsafe;
use gpu_doctor::render::{json, terminal};
use gpu_doctor::report::Report;
use gpu_doctor::symptom::Kind;
use gpu_doctor::tables::frameworks;
use gpu_doctor::{causes, snapshot};
use serde_json::{Value, json};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

const CONSOLE: Console = Console { width: 80, colour: false, unicode: true };
const HOSTILE: [&str; 8] = [
    "",
    "\0",
    "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m",
    "\u{202e}gpj.exe\u{2066}",
    "`x` `y \n\n  ## z",
    "'; touch /tmp/owned; '$(id)`id`\"",
    "{kernel}{python}${x}{{",
    "9999999999999999999.9.-1..",
];

/// Every example of every page, and the described machines.
fn machines() -> Vec<Facts> {
    let described = [HEALTHY, NO_DRIVER, BARE].into_iter().map(|text| example::facts(text, false).unwrap());
    let of_pages = causes::all()
        .flat_map(|cause| example::examples(cause.page, cause.head().slug).into_iter().take(1))
        .filter_map(|example| example::facts(example.text, false).ok());
    described.chain(of_pages).collect()
}

/// Replaces every number or every string inside a value.
fn replace(value: &mut Value, number: Option<&Value>, text: Option<&str>) {
    match value {
        Value::Number(old) => {
            if let Some(new) = number {
                *old = new.as_number().unwrap().clone();
            }
        }
        Value::String(old) => {
            if let Some(new) = text {
                *old = new.to_string();
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|v| replace(v, number, text)),
        Value::Object(map) => map.values_mut().for_each(|v| replace(v, number, text)),
        _ => {}
    }
}

/// The facts with every value changed that may be changed so; what a snapshot would refuse stays.
fn changed(facts: &Facts, number: Option<&Value>, text: Option<&str>, subjects: bool) -> Facts {
    let change = |fact: &Fact| {
        let mut fact = fact.clone();
        if let State::Seen { value } = &mut fact.state {
            let mut new = value.clone();
            replace(&mut new, number, text);
            if catalogue().find(|key| key.name() == fact.key).is_some_and(|key| key.accepts(&new).is_ok()) {
                *value = new;
            }
        }
        if let (true, Some(text)) = (subjects, text) {
            fact.source = text.to_string();
            if fact.subject.kind != gpu_doctor::subject::Kind::Machine {
                fact.subject.id.push_str(text);
            }
        }
        fact
    };
    facts.iter().map(change).collect()
}

/// Judges and shows facts, and says which check or rule broke.
fn judged(facts: Facts) -> Result<String, String> {
    let report = Report::of(facts, "2026-01-31T12:00:00Z".to_string());
    let broke = report
        .checks
        .iter()
        .flat_map(|row| &row.symptoms)
        .find(|s| s.kind == Kind::ProbeEnd && s.code().contains("panicked"));
    if let Some(symptom) = broke {
        return Err(symptom.to_string());
    }
    if let Some(cause) = report.root_causes.iter().find(|cause| cause.message.contains("the rule of ")) {
        return Err(cause.message.clone());
    }
    snapshot::parse(&json::document(&report).unwrap())?;
    Ok(terminal::report(&report, &CONSOLE, true))
}

#[test]
fn no_value_in_a_snapshot_breaks_a_rule_or_fools_a_terminal() {
    let numbers =
        [json!(0), json!(1), json!(-1), json!(255), json!(i32::MIN), json!(u32::MAX), json!(u64::MAX), json!(1e300)];
    for facts in machines() {
        for (number, text) in numbers.iter().zip(HOSTILE) {
            judged(changed(&facts, Some(number), None, false)).unwrap();
            let shown = judged(changed(&facts, None, Some(text), true)).unwrap();
            let fools = |c: char| is_unsafe(c) && c != '\n';
            assert!(!shown.contains(fools), "{text:?} came through");
        }
    }
}

/// A folder with a program of this name that is a shell script.
fn script(name: &str, body: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

/// Whether a process runs whose command line is this.
fn runs(line: &str) -> bool {
    let all =
        std::fs::read_dir("/proc").unwrap().filter_map(|entry| std::fs::read(entry.ok()?.path().join("cmdline")).ok());
    let wanted: Vec<u8> = line.bytes().map(|b| if b == b' ' { 0 } else { b }).chain([0]).collect();
    all.into_iter().any(|found| found == wanted)
}

/// Waits until it is so, for at most ten seconds.
fn until(is_so: impl Fn() -> bool) -> bool {
    (0..1000).any(|_| {
        is_so() || {
            std::thread::sleep(Duration::from_millis(10));
            false
        }
    })
}

#[test]
fn an_interrupted_check_leaves_no_process_behind() {
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGUSR1, libc::SIGXCPU] {
        // A number that is this run's own.
        let seconds = format!("{}{signal:02}", std::process::id());
        let folder = script("python", &format!("sleep {seconds} & wait"));
        let program = assert_cmd::cargo::cargo_bin!("gpu-doctor");
        let mut child = std::process::Command::new(program)
            .args(["check", "--only", "framework", "--python"])
            .arg(folder.path().join("python"))
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let grandchild = format!("sleep {seconds}");
        assert!(until(|| runs(&grandchild)), "the script did not start");
        // SAFETY: a signal for a child that was not waited for.
        unsafe { libc::kill(child.id() as i32, signal) };
        let status = child.wait().unwrap();
        assert_eq!(status.signal(), Some(signal));
        assert!(until(|| !runs(&grandchild)), "{grandchild} is still there after signal {signal}");
    }
}

#[test]
fn what_a_child_says_is_not_believed_for_ever() {
    let cases = [
        ("while :; do echo flood; done", "without end"),
        ("head -c 100000000 /dev/zero", "without end"),
        (r#"echo '{"done":true}'"#, "without an answer"),
        (
            r#"echo '{"stage":"interpreter","prefix":"/x","bits":"many"}'; while echo '{"waiting":"tensor"}'; do read x; done"#,
            "/x",
        ),
        ("kill -SEGV $$", "signal 11"),
        ("kill -STOP $$", "did not answer within 2 s"),
        ("exec sleep 86010", "did not answer within 2 s"),
    ];
    for (body, words) in cases {
        let folder = script("python", body);
        let begun = Instant::now();
        let path = folder.path().join("python");
        let got = run(doctor().args(["check", "--only", "framework", "--timeout", "2", "--python"]).arg(path));
        assert!(got.stdout.contains(words), "{body}: {}", got.stdout);
        assert!(begun.elapsed() < Duration::from_secs(20), "{body}");
        assert_eq!(got.stderr, "", "{body}");
    }
    assert!(!runs("sleep 86010"), "a child is left");
}

#[test]
fn interpreters_that_do_not_come_up_are_started_again_side_by_side() {
    let folders: Vec<_> = (0..3).map(|_| script("python", "exec sleep 86011")).collect();
    let begun = Instant::now();
    let mut command = doctor();
    command.args(["check", "--only", "framework", "--timeout", "3"]);
    for folder in &folders {
        command.arg("--python").arg(folder.path().join("python"));
    }
    let got = run(&mut command);
    assert!(got.stdout.matches("did not answer within 3 s").count() >= 3, "{}", got.stdout);
    // Three seconds for all of them, and three for all of them again; one by one it would be twelve.
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
}

#[test]
fn one_that_asks_to_compute_again_and_again_keeps_nobody_waiting() {
    let asks = r#"{"waiting":"tensor"}"#;
    let folder = script("python", &format!("while echo '{asks}'; do read answer; sleep 1; done"));
    let begun = Instant::now();
    let path = folder.path().join("python");
    let got = run(doctor().args(["check", "--timeout", "5", "--python"]).arg(path).timeout(Duration::from_secs(60)));
    assert!(got.stdout.contains("printed without end"), "{}", got.stdout);
    // Four answers, each with a second of work behind it.
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }

    fn value(&mut self, depth: u32) -> Value {
        match self.roll(if depth == 0 { 10 } else { 13 }) {
            0 => Value::Null,
            1 => json!(true),
            2 => json!(0),
            3 => json!(-1),
            4 => json!(u64::MAX),
            5 => json!(-1e300),
            6 => json!("torch"),
            7 => json!("0000:01:00.0"),
            8 => json!("/x/libcuda.so.1"),
            9 => json!(HOSTILE[self.roll(HOSTILE.len())]),
            10 => json!([self.value(depth - 1), self.value(depth - 1)]),
            _ => self.stage(depth - 1),
        }
    }

    fn stage(&mut self, depth: u32) -> Value {
        let count = self.roll(8);
        let fields = (0..count).map(|_| (FIELDS[self.roll(FIELDS.len())].to_string(), self.value(depth)));
        Value::Object(fields.collect())
    }
}

/// The words with which children speak.
const FIELDS: [&str; 40] = [
    "name",
    "index",
    "code",
    "value",
    "pci",
    "path",
    "result",
    "page",
    "text",
    "error",
    "message",
    "type",
    "ok",
    "step",
    "last",
    "codes",
    "count",
    "version",
    "prefix",
    "bits",
    "managers",
    "distributions",
    "torch",
    "folder",
    "origin",
    "version_py",
    "cuda",
    "location",
    "installer",
    "conda",
    "available",
    "device_count",
    "arch_list",
    "errors",
    "warnings",
    "libraries",
    "memory",
    "compute_capability",
    "missing",
    "integrated",
];
const STAGES: [&str; 22] = [
    "interpreter",
    "packages",
    "import",
    "sees",
    "tensor",
    "tensor-skipped",
    "nvmlInit",
    "system",
    "handle",
    "reading",
    "cuInit",
    "cuDriverGetVersion",
    "cuDeviceGetCount",
    "device",
    "compute",
    "symbols",
    "load",
    "libtorch",
    "dlopen libcuda.so.1",
    "dlopen libnvidia-ml.so.1",
    "read /proc/driver/nvidia/version",
    "open /dev/nvidiactl",
];

#[test]
fn no_lie_of_a_child_breaks_what_reads_it() {
    let mut dice = Dice(7);
    let first = Child::first(Chosen::new(Path::new("/x/bin/python"), "PATH"));
    let others =
        frameworks::ALL.iter().map(|framework| Child { framework, prefix: Some("/x".to_string()), ..first.clone() });
    let children: Vec<Child> = std::iter::once(first.clone()).chain(others).collect();
    for _ in 0..3000 {
        let mut stages = vec![json!({"stage": "interpreter", "prefix": "/x"}), json!({"stage": "nvmlInit", "code": 0})];
        for _ in 0..dice.roll(20) {
            let mut stage = dice.stage(2);
            stage[if dice.roll(4) == 0 { "begin" } else { "stage" }] = json!(STAGES[dice.roll(STAGES.len())]);
            stages.push(stage);
        }
        let ends =
            [End::Exited(0), End::Exited(-1), End::Signaled(99), End::Flooded, End::TimedOut { abandoned: true }];
        let end = ends[dice.roll(ends.len())].clone();
        let report = child::Report { end, stages, done: dice.roll(2) == 0, ..child::Report::not_started("") };
        let mut facts = example::facts(BARE, false).unwrap();
        facts.extend(probes::python::parse(&children[dice.roll(children.len())], &report));
        probes::cuda::parse(&report, &mut facts);
        probes::nvml::parse(&report, &[], &mut facts);
        probes::nodes::parse(&report, &mut facts);
        probes::libtorch::parse(Path::new("/x"), &report, &mut facts);
        if dice.roll(20) == 0 {
            judged(facts).unwrap();
        }
    }
}

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
