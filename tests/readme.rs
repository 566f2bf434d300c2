//! The outputs in the README are what the program prints. `UPDATE_README=1 cargo test --features lab --test readme` writes
//! them anew.
#![cfg(all(feature = "lab", target_os = "linux"))]
#![allow(clippy::disallowed_methods)]

mod common;

use common::program::{copy_program, doctor, run};
use common::tree::{KERNEL, Module, Tree};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

const GPU: &str = "0000:01:00.0";

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A part of the lab: real drivers, stubs, builds of torch.
fn lab(part: &str) -> String {
    let output = Command::new(repository().join("tests/lab/fetch")).arg(part).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_string()
}

/// The libraries of a GPU that works.
fn fakes() -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("readme-fakes");
    let status = Command::new(repository().join("tests/lab/fakes/build")).arg(&folder).status().unwrap();
    assert!(status.success());
    folder.display().to_string()
}

/// A described machine: its files, its environment, the flags, and what its paths are called in the README.
struct Case {
    tree: Tree,
    environment: Vec<(&'static str, String)>,
    flags: Vec<String>,
    called: Vec<(String, &'static str)>,
}

impl Case {
    fn new(tree: Tree) -> Case {
        Case { tree, environment: Vec::new(), flags: Vec::new(), called: Vec::new() }
    }

    /// A machine with a driver that works.
    fn working() -> Case {
        let tree = Tree::new();
        tree.rtx_4090(GPU, Some("nvidia")).ubuntu().driver_loaded("535.183.01");
        tree.file("dev/nvidiactl", "").file("dev/nvidia0", "").file("dev/nvidia-uvm", "");
        let fakes = fakes();
        let scenario = repository().join("tests/lab/fakes/scenarios/one-gpu").display().to_string();
        let case = Case::new(tree).with("GPU_DOCTOR_SCENARIO", scenario).with("LD_LIBRARY_PATH", fakes.clone());
        case.with("PATH", format!("{fakes}:/usr/bin:/bin"))
            .called(format!("{fakes}/nvidia-smi"), "/usr/bin/nvidia-smi")
            .called(fakes, "/usr/lib/x86_64-linux-gnu")
    }

    fn with(mut self, name: &'static str, value: String) -> Case {
        self.environment.retain(|(n, _)| *n != name);
        self.environment.push((name, value));
        self
    }

    fn called(mut self, path: String, name: &'static str) -> Case {
        self.called.push((path, name));
        self
    }

    fn driver_alone(mut self) -> Case {
        self.flags.extend(["--skip", "framework", "--skip", "tensor"].map(str::to_string));
        self
    }

    fn python(mut self, part: &str) -> Case {
        let folder = lab(part);
        self.flags.extend(["--python".to_string(), format!("{folder}/bin/python")]);
        self.called(folder, "/home/you/venv")
    }

    /// What the program prints, in 80 columns.
    fn output(self) -> String {
        let root = self.tree.path().display().to_string();
        // A copy, so that no helper for libtorch lies beside it.
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("gpu-doctor");
        copy_program(assert_cmd::cargo::cargo_bin!("gpu-doctor"), &program);
        let mut command = assert_cmd::Command::new(&program);
        // This project builds against libtorch, which would be a row of its own.
        command.current_dir(folder.path());
        command.env_clear().env("PATH", "/usr/bin:/bin").envs(self.environment.iter().map(|(n, v)| (n, v)));
        let live = run(command.args(["--json", "--root-live", "--root", &root]).args(&self.flags));
        let mut snapshot = live.stdout.replace(&root, "");
        for (path, name) in &self.called {
            snapshot = snapshot.replace(path, name);
        }
        let judged = run(doctor()
            .env("COLUMNS", "80")
            .env("LC_ALL", "C.UTF-8")
            .args(["--from", "-"])
            .write_stdin(tidy(&snapshot)));
        assert_eq!(judged.code, live.code, "{}{}", live.stderr, judged.stderr);
        judged.stdout
    }
}

/// Without what depends on who runs the tests.
fn tidy(snapshot: &str) -> String {
    let mut report: Value = serde_json::from_str(snapshot).unwrap();
    let user = serde_json::json!({"uid": 1000, "gid": 1000, "groups": []});
    for fact in report["facts"].as_array_mut().unwrap() {
        if fact["key"] == "host.user" {
            fact["value"] = user.clone();
        }
    }
    report.to_string()
}

fn no_gpu() -> Case {
    let tree = Tree::new();
    tree.kvm();
    Case::new(tree).python("torch-cuda")
}

fn new_kernel() -> Case {
    let tree = Tree::new();
    let old = "6.1.0-17-amd64";
    tree.rtx_4090(GPU, None)
        .module_file(old, "updates/dkms/nvidia.ko", &Module::closed("535.261.03"))
        .dkms("nvidia", "535.261.03", &[old])
        .libraries("535.261.03")
        .no_headers(KERNEL);
    let driver = lab("driver-535");
    Case::new(tree)
        .with("LD_LIBRARY_PATH", format!("{driver}/lib"))
        .with("PATH", format!("{driver}/bin:/usr/bin:/bin"))
        .driver_alone()
}

fn stub() -> Case {
    let stubs = format!("{}/lib", lab("stubs"));
    let case = Case::working().with("LD_LIBRARY_PATH", stubs.clone());
    case.called(stubs, "/usr/local/cuda/lib64/stubs").driver_alone()
}

fn hidden() -> Case {
    Case::working().with("CUDA_VISIBLE_DEVICES", String::new()).driver_alone()
}

fn cpu_build() -> Case {
    Case::working().python("torch-cpu")
}

fn both_onnx() -> Case {
    Case::working().python("onnxruntime-both")
}

/// Puts a case's output into its block of the README.
fn renew(readme: &mut String, name: &str, case: Case, code: &str) {
    let output = case.output();
    assert!(output.contains(&format!("error[{code}]")), "{name}: {output}");
    let begin = format!("<!-- output: {name} -->\n```text\n");
    let start = readme.find(&begin).unwrap_or_else(|| panic!("the README has no block for {name}")) + begin.len();
    let end = start + readme[start..].find("```\n").unwrap();
    readme.replace_range(start..end, &output);
}

#[test]
fn the_outputs_in_the_readme_are_real() {
    let path = repository().join("README.md");
    let readme = std::fs::read_to_string(&path).unwrap();
    let mut renewed = readme.clone();
    renew(&mut renewed, "cpu-build", cpu_build(), "GD501");
    renew(&mut renewed, "new-kernel", new_kernel(), "GD205");
    renew(&mut renewed, "stub", stub(), "GD401");
    renew(&mut renewed, "hidden", hidden(), "GD307");
    renew(&mut renewed, "both-onnx", both_onnx(), "GD520");
    renew(&mut renewed, "no-gpu", no_gpu(), "GD101");
    if std::env::var_os("UPDATE_README").is_some() {
        std::fs::write(&path, renewed).unwrap();
    } else {
        assert!(renewed == readme, "the outputs in README.md are not up to date; write them anew with UPDATE_README=1");
    }
}
