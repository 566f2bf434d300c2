//! The program on other systems: on Windows through Wine, on aarch64 through qemu. tests/platforms builds it and brings what
//! runs it; the library's own tests run there as well.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods)]

mod common;

use common::program::{Got, assert_valid, doctor, run, schema, snapshot};
use common::tree::Tree;
use gpu_doctor::machine::scratch::Scratch;
use gpu_doctor::probes::python::{Child, Chosen};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

/// Words of Linux that help nobody elsewhere.
const LINUX: &[&str] = &["modprobe", "/dev/", "apt ", "apt-get", "sudo", "lspci", "dmesg", ".so", "lib/modules"];

fn script() -> Command {
    Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/platforms"))
}

/// The program for a system, built once.
fn built(system: &str) -> PathBuf {
    let output = script().args(["--build", system]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    PathBuf::from(String::from_utf8(output.stdout).unwrap().trim())
}

fn aarch64() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| built("aarch64"))
}

/// A folder of Windows with the program in it.
struct Windows {
    folder: tempfile::TempDir,
}

impl Windows {
    fn new() -> Windows {
        static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
        let windows = Windows { folder: tempfile::tempdir().unwrap() };
        std::fs::copy(PROGRAM.get_or_init(|| built("windows")), windows.at("gpu-doctor.exe")).unwrap();
        windows
    }

    /// The same with a driver whose libraries are fakes, and one GPU.
    fn with_driver(scenario: &str) -> Windows {
        let windows = Windows::new();
        let lab = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lab/fakes");
        let mut build = Command::new("sh");
        build.arg(lab.join("build")).arg(windows.folder.path()).arg("windows").env_remove("CC");
        assert!(build.status().unwrap().success());
        std::fs::copy(lab.join("scenarios").join(scenario), windows.at("scenario")).unwrap();
        windows
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn run(&self, arguments: &[&str]) -> Got {
        let mut command = script();
        command.args(["--run", "windows"]).arg(self.at("gpu-doctor.exe")).args(arguments).current_dir(&self.folder);
        got(&mut command)
    }
}

fn got(command: &mut Command) -> Got {
    let output = command.output().unwrap();
    Got {
        code: output.status.code().expect("ended by a signal"),
        stdout: String::from_utf8(output.stdout).expect("stdout is not UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("stderr is not UTF-8"),
    }
}

fn slugs(report: &Value) -> Vec<&str> {
    report["root_causes"].as_array().unwrap().iter().map(|c| c["slug"].as_str().unwrap()).collect()
}

fn fact<'a>(report: &'a Value, key: &str) -> &'a Value {
    report["facts"].as_array().unwrap().iter().find(|f| f["key"] == key).unwrap_or(&Value::Null)
}

fn status<'a>(report: &'a Value, check: &str) -> &'a str {
    let row = report["checks"].as_array().unwrap().iter().find(|row| row["id"] == check);
    row.and_then(|row| row["status"].as_str()).unwrap_or("no such row")
}

#[test]
fn windows_without_a_driver_says_so_in_windows_words() {
    let windows = Windows::new();
    let json = windows.run(&["check", "--json"]);
    let report = assert_valid(&schema(), &json.stdout);
    assert_eq!((json.code, json.stderr.as_str()), (1, ""));
    assert_eq!(report["verdict"], "not_ready");
    assert_eq!(fact(&report, "host.os")["value"], "windows");
    // That no driver is there was seen. Whether a GPU is there was not.
    assert_eq!(slugs(&report), ["driver-not-installed", "no-nvidia-gpu-present"]);
    let [first, second] = [0, 1].map(|i| &report["root_causes"][i]);
    assert_eq!((first["confidence"].as_str(), second["confidence"].as_str()), (Some("likely"), Some("possible")));
    assert_eq!(first["group"], second["group"]);
    assert!(report["unknowns"][0]["ask"].as_str().unwrap().contains("Win32_VideoController"));
    assert_eq!(status(&report, "kernel-driver"), "fail");
    assert_eq!(status(&report, "device-access"), "not_applicable");

    let text = windows.run(&["check"]);
    assert_eq!((text.code, text.stderr.as_str()), (1, ""));
    for word in ["nvcuda.dll", "nvml.dll", "Device Manager", "https://www.nvidia.com/drivers", "nvidia-smi.exe"] {
        assert!(text.stdout.contains(word), "{word}: {}", text.stdout);
    }
    for word in LINUX {
        assert!(!text.stdout.contains(word), "{word}: {}", text.stdout);
    }
}

#[test]
fn windows_with_a_driver_computes_and_its_snapshot_is_judged_the_same_here() {
    let windows = Windows::with_driver("one-gpu");
    let json = windows.run(&["check", "--json", "--save", "kept.json"]);
    let report = assert_valid(&schema(), &json.stdout);
    assert_eq!((json.code, json.stderr.as_str()), (0, ""));
    assert_eq!(report["verdict"], "ready");
    for check in ["gpu-present", "kernel-driver", "nvidia-smi", "nvml", "cuda-driver", "cuda-kernel"] {
        assert_eq!(status(&report, check), "pass", "{check}");
    }
    // The file that was loaded, not only its name.
    let library = fact(&report, "cuda.library")["value"]["path"].as_str().unwrap();
    assert!(library.starts_with("Z:\\") && library.ends_with("\\nvcuda.dll"), "{library}");

    assert_eq!(std::fs::read_to_string(windows.at("kept.json")).unwrap(), json.stdout);
    let here = run(doctor().args(["check", "--json", "--from"]).arg(windows.at("kept.json")));
    assert_eq!((here.code, here.stdout), (0, json.stdout));
    // A snapshot is replaced; another file is not.
    assert_eq!(windows.run(&["check", "--save", "kept.json"]).code, 0);
    let refused = windows.run(&["check", "--save", "scenario"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("holds something else"), "{}", refused.stderr);
}

#[test]
fn a_probe_that_crashes_on_windows_is_a_fact() {
    let windows = Windows::with_driver("one-gpu");
    let scenario = std::fs::read_to_string(windows.at("scenario")).unwrap();
    std::fs::write(windows.at("scenario"), format!("crash_at = cuInit\n{scenario}")).unwrap();
    let json = windows.run(&["check", "--json"]);
    let report = assert_valid(&schema(), &json.stdout);
    assert_eq!(json.code, 1, "{}", json.stdout);
    let end = &fact(&report, "probe.end")["value"];
    assert_eq!(end["stage"], "cuInit", "{end}");
    assert_eq!(status(&report, "nvml"), "pass");
}

#[test]
fn a_hang_on_windows_ends_at_the_limit() {
    let windows = Windows::with_driver("one-gpu");
    let scenario = std::fs::read_to_string(windows.at("scenario")).unwrap();
    std::fs::write(windows.at("scenario"), format!("hang_at = cuInit\n{scenario}")).unwrap();
    let started = std::time::Instant::now();
    let json = windows.run(&["check", "--json", "--timeout", "3"]);
    // Wine itself takes a second or two to start.
    assert!(started.elapsed() < std::time::Duration::from_secs(12), "{:?}", started.elapsed());
    let report = assert_valid(&schema(), &json.stdout);
    let end = &fact(&report, "probe.end")["value"];
    assert_eq!((end["how"].as_str(), end["stage"].as_str()), (Some("timed_out"), Some("cuInit")), "{end}");
}

/// Stands in for a Python of Windows: it says how much of the script reached it.
const PYTHON: &str = r#"
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) {
    printf("{\"stage\":\"interpreter\",\"version\":\"3.12.%d\",\"prefix\":\"C:\\\\venv\",\"bits\":64}\n",
           argc > 3 ? (int)strlen(argv[3]) : 0);
    printf("{\"done\":true}\n");
    return 0;
}
"#;

#[test]
fn a_virtual_environment_of_windows_is_found_and_asked() {
    let windows = Windows::new();
    std::fs::create_dir_all(windows.at(".venv/Scripts")).unwrap();
    std::fs::write(windows.at("python.c"), PYTHON).unwrap();
    let mut compiler = Command::new("x86_64-w64-mingw32-gcc");
    compiler.arg(windows.at("python.c")).arg("-o").arg(windows.at(".venv/Scripts/python.exe"));
    assert!(compiler.status().unwrap().success());
    let report = assert_valid(&schema(), &windows.run(&["check", "--json"]).stdout);
    let interpreter = &fact(&report, "python.interpreter")["value"];
    assert_eq!(interpreter["chosen_by"], ".venv", "{interpreter}");
    assert!(interpreter["path"].as_str().unwrap().ends_with(r"\.venv\Scripts\python.exe"), "{interpreter}");
    // The whole script, quotes and line breaks included.
    let first = Child::first(Chosen::new(Path::new("python.exe"), ".venv"));
    let script = first.spec(Duration::from_secs(1), &Scratch::new()).arguments[2].len();
    assert_eq!(interpreter["version"], format!("3.12.{script}"));
}

#[test]
fn help_list_and_explain_are_the_same_everywhere() {
    let windows = Windows::new();
    for line in [&["--help"][..], &["list"], &["list", "--json"], &["explain", "GD201"], &["completions", "bash"]] {
        let here = run(doctor().args(line));
        assert_eq!(here.code, 0);
        let mut on_arm = script();
        on_arm.args(["--run", "aarch64"]).arg(aarch64()).args(line).env_remove("LANG").env_remove("LC_ALL");
        assert_eq!(got(&mut on_arm).stdout, here.stdout, "{line:?}");
        // Windows' own name of the program has a suffix.
        let there = windows.run(line);
        assert_eq!((there.code, there.stdout.replace("gpu-doctor.exe", "gpu-doctor")), (0, here.stdout), "{line:?}");
    }
    for line in [&["--nonsense"][..], &["explain", "GD000"], &["check", "--python", "C:\\no\\python.exe"]] {
        let there = windows.run(line);
        assert_eq!((there.code, there.stdout.as_str()), (2, ""), "{line:?}");
        assert!(there.stderr.starts_with("error: "), "{}", there.stderr);
    }
}

/// A shell of aarch64, as far as its header goes.
fn aarch64_shell() -> Vec<u8> {
    let mut header = vec![0u8; 64];
    header[..4].copy_from_slice(b"\x7fELF");
    header[18] = 0xb7;
    header
}

#[test]
fn machines_of_aarch64_are_judged_by_aarch64_as_by_any_other() {
    let jetson = Tree::new();
    jetson.jetson().file("bin/sh", aarch64_shell());
    let grace = Tree::new();
    // GH200, whose driver was built for another kernel.
    grace
        .ubuntu()
        .gpu("0009:01:00.0", "0x10de", "0x2342", "0x030200", None)
        .file("bin/sh", aarch64_shell())
        .file("lib/modules/6.1.0-17-arm64/updates/dkms/nvidia.ko", "");
    let empty = Tree::new();
    empty.file("bin/sh", aarch64_shell());
    let machines = [
        (&jetson, None, 3),
        (&grace, Some("kernel-module-not-built-for-kernel"), 1),
        (&empty, Some("no-nvidia-gpu-present"), 1),
    ];
    for (tree, expected, code) in machines {
        let mut there = script();
        there.args(["--run", "aarch64"]).arg(aarch64()).args(["check", "--json", "--root"]).arg(tree.path());
        let there = got(&mut there);
        let mut theirs = assert_valid(&schema(), &there.stdout);
        let here = run(doctor().args(["check", "--json", "--root"]).arg(tree.path()));
        let mut ours = assert_valid(&schema(), &here.stdout);
        for report in [&mut theirs, &mut ours] {
            report["created_at"] = Value::Null;
        }
        assert_eq!(theirs, ours);
        assert_eq!(fact(&theirs, "host.arch")["value"], "aarch64");
        assert_eq!((there.code, slugs(&theirs).first().copied()), (code, expected), "{}", there.stdout);
    }
}

#[test]
fn a_live_check_on_aarch64_is_a_valid_report() {
    let mut command = script();
    command.args(["--run", "aarch64"]).arg(aarch64());
    command.args(["check", "--json", "--skip", "framework", "--skip", "tensor"]);
    let there = got(&mut command);
    let report = assert_valid(&schema(), &there.stdout);
    assert_eq!(fact(&report, "host.arch")["value"], "aarch64");
    // Whatever GPU the tester's machine has.
    assert!([0, 1, 3].contains(&there.code), "{}", there.stderr);
}

#[test]
fn a_mac_is_told_about_macs() {
    let mac = snapshot("host.os = \"macos\"\nhost.arch = \"aarch64\"");
    let got = run(doctor().args(["check", "--from"]).arg(mac.path()));
    assert_eq!(got.code, 1);
    assert!(got.stdout.contains("There is no CUDA for macOS"), "{}", got.stdout);
    for word in LINUX {
        assert!(!got.stdout.contains(word), "{word}: {}", got.stdout);
    }
}
