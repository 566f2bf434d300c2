//! Children that lie, hang, flood or ask again, and what is left of them after an interruption.

use super::*;
use crate::common::program::{BARE, doctor, run};
use gpu_doctor::causes::example;
use gpu_doctor::machine::child::{self, End};
use gpu_doctor::probes::{
    self,
    python::{Child, Chosen},
};
use gpu_doctor::tables::frameworks;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// A folder with a program of this name that is a shell script.
pub fn script(name: &str, body: &str) -> tempfile::TempDir {
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
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGUSR1, libc::SIGXCPU, libc::SIGABRT] {
        // A number that is this run's own.
        let seconds = format!("{}{signal:02}", std::process::id());
        let folder = script("python", &format!("sleep {seconds} & wait"));
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("gpu-doctor"));
        command
            .args(["check", "--only", "framework", "--python"])
            .arg(folder.path().join("python"))
            .stdout(Stdio::null());
        // The tests may run under nohup, whose children would ignore SIGHUP.
        // SAFETY: signal may be called between fork and exec.
        unsafe {
            command.pre_exec(move || {
                libc::signal(signal, libc::SIG_DFL);
                Ok(())
            })
        };
        let mut child = command.spawn().unwrap();
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
