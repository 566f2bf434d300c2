//! Frameworks whose CUDA runtime refuses the fake libcuda: torch, JAX and CuPy. What their files and their import say is real;
//! what they would say of the GPU is put into the report, which is then judged again, or is played by a few lines in a copy of
//! the environment.

use crate::common::stage::{Seen, part, public_folder};
use crate::machines::{WORKING_L4, in_environment, with_gpu};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

/// A real report in which the framework sees a GPU of this compute capability, and its computation ended so.
fn that_sees_the_gpu(name: &str, framework: &str, change: impl Fn(&mut Vec<Value>), tensor: Value) -> Seen {
    let mut report = with_gpu(name).report.clone();
    let subject = json!({"kind": "framework", "id": format!("{framework}@{}", part(name).display())});
    let facts = report["facts"].as_array_mut().expect("facts");
    let replaced = ["available", "device_count", "message", "tensor", "no_tensor", "library"];
    let replaced = replaced.map(|key| format!("framework.{key}"));
    facts.retain(|fact| fact["subject"] != subject || !replaced.iter().any(|key| fact["key"] == key.as_str()));
    for (key, value) in [("available", json!(true)), ("device_count", json!(1)), ("tensor", tensor)] {
        let key = format!("framework.{key}");
        facts.push(json!({"key": key, "subject": subject, "state": "seen", "value": value, "source": "played"}));
    }
    change(facts);
    Seen::judged(&report)
}

fn computed() -> Value {
    json!({"index": 0, "ok": true, "step": null, "message": null, "code": null})
}

#[test]
fn nothing_in_the_files_of_a_whole_installation_is_held_against_it() {
    for (name, framework) in [("torch-cuda", "torch"), ("torch-cu121-whole", "torch"), ("jax-cuda12-whole", "jax")] {
        let seen = that_sees_the_gpu(name, framework, |_| (), computed());
        assert_eq!((seen.verdict(), seen.code), ("ready", 0), "{name}:\n{}", seen.text);
        assert_eq!(seen.report["root_causes"], json!([]), "{name}:\n{}", seen.text);
    }
}

#[test]
fn a_whole_installation_that_sees_no_gpu_gets_no_name_that_is_not_known() {
    // This is what the real runtimes say of the fake driver; no cause of an installation may claim it.
    for name in ["torch-cuda", "torch-cu121-whole", "jax-cuda12-whole", "cupy", "cupy-pip", "cupy-cuda11"] {
        let seen = with_gpu(name);
        assert_eq!(seen.errors(), [(1, "framework-sees-no-gpu", "possible")], "{name}:\n{}", seen.text);
    }
}

/// Makes every GPU of a report one of this name and compute capability.
fn another_card(facts: &mut [Value], name: &str, capability: &str) {
    for fact in facts {
        match fact["key"].as_str() {
            Some("nvml.compute_capability") => fact["value"] = json!(capability),
            Some("nvml.name") => fact["value"] = json!(name),
            Some("cuda.device") => {
                fact["value"]["compute_capability"] = json!(capability);
                fact["value"]["name"] = json!(name);
            }
            _ => {}
        }
    }
}

#[test]
fn an_older_build_on_a_newer_card_is_told_from_its_own_list() {
    let failed = json!({"index": 0, "ok": false, "step": "compute", "code": 209,
        "message": "CUDA error: no kernel image is available for execution on the device"});
    let card = |facts: &mut Vec<Value>| another_card(facts, "NVIDIA GeForce RTX 5090", "12.0");
    let seen = that_sees_the_gpu("torch-cu121-whole", "torch", card, failed);
    assert_eq!(seen.errors(), [(1, "gpu-arch-too-new-for-build", "certain")], "{}", seen.text);
    // What the real build says of itself, without any table.
    assert!(seen.text.contains("sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90"), "{}", seen.text);
    let commands = seen.commands("gpu-arch-too-new-for-build");
    assert!(commands.iter().any(|command| command.contains("-m pip install")), "{commands:?}");
}

/// A copy of CuPy's environment whose runtime finds the fakes' GPU. Compiling for it is CuPy's own business.
fn cupy_that_finds_the_gpu(name: &str) -> tempfile::TempDir {
    let folder = public_folder();
    // Links where they can be made: only one file is replaced below.
    let copy = |how: &str| Command::new("cp").arg(how).arg(part(name)).arg(folder.path()).output().expect("cp");
    assert!(copy("-aTl").status.success() || copy("-aTf").status.success(), "the copy of {name} failed");
    let file = folder.path().join("lib/python3.11/site-packages/cupy/__init__.py");
    let played = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lab/fakes/cupy_runtime.py");
    let text = [std::fs::read(&file), std::fs::read(played)].map(|text| text.expect("a file")).concat();
    std::fs::remove_file(&file).expect("it is a link");
    std::fs::write(&file, text).expect("write");
    folder
}

#[test]
fn cupy_without_nvrtc_fails_where_it_compiles() {
    let environment = cupy_that_finds_the_gpu("cupy");
    let seen = in_environment(environment.path(), WORKING_L4);
    assert_eq!(seen.fact("framework.available")["value"], true, "{}", seen.text);
    let tensor = &seen.fact("framework.tensor")["value"];
    assert_eq!(tensor["ok"], false, "{tensor}");
    assert!(tensor["message"].as_str().unwrap_or_default().contains("libnvrtc.so.12"), "{tensor}");
    assert_eq!(seen.errors(), [(1, "cupy-cuda-major-mismatch", "certain")], "{}", seen.text);
    let commands = seen.commands("cupy-cuda-major-mismatch");
    assert!(commands.iter().any(|command| command.contains("cupy-cuda1")), "{commands:?}");
}
