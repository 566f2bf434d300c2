//! Six environments at once on two processors: four real ones, one whose import hangs and one whose import crashes.

use crate::common::stage::{part, public_folder};
use serde_json::Value;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// The facts of a check of these environments, each with this limit, and how long it took.
fn check(environments: &[PathBuf], limit: u64) -> (Vec<Value>, Duration) {
    let home = public_folder();
    let mut command = Command::new(env!("CARGO_BIN_EXE_gpu-doctor"));
    command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", home.path()).env("TMPDIR", home.path());
    command.args(["check", "--json", "--timeout", &limit.to_string()]);
    command.args(environments.iter().flat_map(|path| [Path::new("--python"), path]));
    let started = Instant::now();
    let output = command.output().expect("it starts");
    let took = started.elapsed();
    let report: Value = serde_json::from_slice(&output.stdout).expect("a document");
    (report["facts"].as_array().expect("facts").clone(), took)
}

/// An environment with a torch of the test's own text.
fn environment(folder: &Path, torch: &str) -> PathBuf {
    let script = "import os, sys; print(os.path.realpath(sys.executable)); print('%d.%d' % sys.version_info[:2])";
    let output = Command::new("python3").args(["-c", script]).output().expect("python3");
    let text = String::from_utf8(output.stdout).expect("its path");
    let (program, version) = text.trim().split_once('\n').expect("two lines");
    let home = Path::new(program).parent().expect("a folder").display();
    let module = folder.join(format!("lib/python{version}/site-packages/torch"));
    std::fs::create_dir_all(folder.join("bin")).expect("create a folder");
    std::fs::create_dir_all(&module).expect("create a folder");
    std::fs::write(folder.join("pyvenv.cfg"), format!("home = {home}\n")).expect("write");
    symlink(program, folder.join("bin/python")).expect("make a link");
    std::fs::write(module.join("__init__.py"), torch).expect("write");
    folder.to_path_buf()
}

#[test]
fn the_check_takes_what_the_slowest_needs_and_the_rest_side_by_side() {
    let folder = public_folder();
    let hanging = environment(&folder.path().join("hanging"), "import time\nwhile True: time.sleep(60)\n");
    let crashing = environment(&folder.path().join("crashing"), "import os; os.abort()\n");
    let real = ["torch-cuda", "tensorflow", "jax", "onnxruntime"].map(part);
    let mut others: Vec<PathBuf> = real.to_vec();
    others.push(crashing.clone());
    let alone: Vec<Duration> = others.iter().map(|one| check(std::slice::from_ref(one), 60).1).collect();
    let one_by_one: Duration = alone.iter().sum();
    // The one that hangs is to be the slowest, also on a busy machine: two cores have the others done by then.
    let limit = one_by_one.as_secs().max(5);
    let (_, slowest) = check(std::slice::from_ref(&hanging), limit);
    let all: Vec<PathBuf> = [vec![hanging.clone()], others].concat();
    let (facts, took) = check(&all, limit);

    // One after the other, they would take `slowest + one_by_one`.
    let bound = slowest + one_by_one / 2;
    println!("{took:?} for all; {slowest:?} for the slowest, {one_by_one:?} for the others one by one");
    assert!(took <= bound, "{took:?}; the slowest {slowest:?}, the others {one_by_one:?}");

    let import = |framework: &str, environment: &Path| {
        let id = format!("{framework}@{}", environment.display());
        let mut found = facts.iter().filter(|f| f["key"] == "framework.import" && f["subject"]["id"] == id.as_str());
        found.next().unwrap_or_else(|| panic!("{id} is not told")).clone()
    };
    for (framework, environment) in ["torch", "tensorflow", "jax", "onnxruntime"].into_iter().zip(&real) {
        assert_eq!(import(framework, environment)["value"]["ok"], true, "{framework}");
    }
    assert_eq!(import("torch", &hanging)["state"], "failed");
    assert_eq!(import("torch", &crashing)["value"]["error"], "crashed");
}
