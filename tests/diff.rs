//! `diff`: what differs between two machines and may matter, in the order of the chain, and nothing else.

#![allow(clippy::disallowed_methods)]

mod common;

use common::program::{doctor, report, run};
use gpu_doctor::render::json;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A snapshot of a machine in the words of the pages' examples.
fn snapshot(folder: &Path, name: &str, machine: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, json::document(&report(machine)).expect("JSON")).expect("written");
    path
}

fn diff(arguments: &[&Path]) -> (String, String, i32) {
    let got = run(doctor().arg("diff").args(arguments));
    (got.stdout, got.stderr, got.code)
}

const KERNEL: &str = "from healthy\nhost.kernel = \"6.1.0-17-amd64\"\nkernel.nvidia.version = \"535.183.01\"";
const UPDATED: &str = "from healthy\nhost.kernel = \"6.1.0-18-amd64\"\nkernel.nvidia.version = \"550.54.15\"\n\
                       nvml.temperature gpu 0000:01:00.0 = {\"now\": 77}";

#[test]
fn what_differs_is_told_by_check_and_the_status_is_one() {
    let folder = TempDir::new().expect("folder");
    let (a, b) = (snapshot(folder.path(), "a.json", KERNEL), snapshot(folder.path(), "b.json", UPDATED));
    let (out, err, status) = diff(&[&a, &b]);
    assert_eq!((status, err.as_str()), (1, ""));
    let after =
        |text: &str, from: &str| text.split_once(from).unwrap_or_else(|| panic!("{from} in {text}")).1.to_string();
    let rest = after(&after(&out, "kernel-driver"), "running kernel");
    let lines: Vec<&str> = rest.lines().map(str::trim).take(3).collect();
    assert_eq!(lines, ["", "A: 6.1.0-17-amd64", "B: 6.1.0-18-amd64"]);
    assert!(after(&rest, "loaded NVIDIA module").contains("A: 535.183.01\n    B: 550.54.15"), "{out}");
    assert!(!out.contains("77"), "a temperature is noise: {out}");
}

#[test]
fn a_machine_is_the_same_as_itself_and_the_status_is_zero() {
    let folder = TempDir::new().expect("folder");
    let a = snapshot(folder.path(), "a.json", KERNEL);
    let (out, _, status) = diff(&[&a, &a]);
    assert_eq!(status, 0);
    assert!(out.ends_with("Nothing differs that may matter.\n"), "{out}");
}

#[test]
fn a_broken_link_is_told_as_the_checks_that_came_out_differently_and_not_as_a_hundred_facts() {
    let folder = TempDir::new().expect("folder");
    let works = snapshot(folder.path(), "works.json", "from healthy");
    let fails = snapshot(folder.path(), "fails.json", "from no-driver");
    let (out, _, status) = diff(&[&works, &fails]);
    assert_eq!(status, 1);
    assert!(out.contains("kernel-driver: pass in A, fail in B"), "{out}");
    assert!(out.contains("Not compared"), "{out}");
    assert!(out.lines().count() < 80, "{} lines: {out}", out.lines().count());
}

#[test]
fn json_says_the_same() {
    let folder = TempDir::new().expect("folder");
    let (a, b) = (snapshot(folder.path(), "a.json", KERNEL), snapshot(folder.path(), "b.json", UPDATED));
    let (out, _, status) = diff(&[Path::new("--json"), &a, &b]);
    assert_eq!(status, 1);
    let value: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(value["same"], false);
    let kernel =
        value["differences"].as_array().expect("list").iter().find(|d| d["key"] == "host.kernel").expect("kernel");
    assert_eq!((&kernel["a"], &kernel["b"]), (&"6.1.0-17-amd64".into(), &"6.1.0-18-amd64".into()));
}

#[test]
fn wrong_input_names_the_file_and_what_to_do_and_the_status_is_two() {
    let folder = TempDir::new().expect("folder");
    let a = snapshot(folder.path(), "a.json", KERNEL);
    let text = folder.path().join("text.json");
    std::fs::write(&text, "no JSON").expect("written");
    for wrong in [&folder.path().join("missing.json"), &text, &folder.path().to_path_buf()] {
        let (out, err, status) = diff(&[&a, wrong]);
        assert_eq!((out.as_str(), status), ("", 2), "{}", wrong.display());
        assert!(err.contains(&wrong.display().to_string()), "{err}");
    }
    let (_, err, status) = diff(&[Path::new("-"), Path::new("-")]);
    assert!(status == 2 && err.contains("stdin"), "{err}");
}

#[test]
fn one_of_the_two_may_come_from_stdin() {
    let folder = TempDir::new().expect("folder");
    let a = snapshot(folder.path(), "a.json", KERNEL);
    let bytes = std::fs::read(&a).expect("read");
    doctor().arg("diff").arg(&a).arg("-").write_stdin(bytes).assert().success();
}

#[test]
fn what_a_snapshot_says_cannot_reach_the_terminal() {
    let folder = TempDir::new().expect("folder");
    let a = snapshot(folder.path(), "a.json", KERNEL);
    let b = snapshot(folder.path(), "b.json", "from healthy\nhost.kernel = \"\\u001b[31mred\\u202e\\nnext\"");
    let (out, _, _) = diff(&[&a, &b]);
    assert!(!out.contains(['\u{1b}', '\u{202e}']) && out.contains("red"), "{out}");
    assert!(!out.contains("\nnext"), "{out}");
}
