//! A Rust project that uses libtorch: whether its libtorch has a part for the GPU, and whether the linker kept it, are told from
//! files. The programs are linked here by the real linker, with libraries of the names of libtorch's.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods)]

mod common;

use common::program::{doctor, run};
use common::tree::Tree;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

const LOCK: &str = "version = 4\n\n[[package]]\nname = \"tch\"\nversion = \"0.26.0\"\n\n[[package]]\nname = \"torch-sys\"\nversion = \"0.26.0\"\n";

struct Project {
    folder: tempfile::TempDir,
    machine: Tree,
}

impl Project {
    /// A project that was built with a libtorch in `lib` beside it, on a machine with an NVIDIA GPU.
    fn new(version: &str, libraries: &[&str]) -> Project {
        let machine = Tree::new();
        machine.gpu("0000:01:00.0", "0x10de", "0x2684", "0x030000", None);
        let project = Project { folder: tempfile::tempdir().expect("a folder"), machine };
        for folder in ["libtorch/lib", "app/src", "app/target/debug/build/torch-sys-00112233445566aa", "home"] {
            std::fs::create_dir_all(project.at(folder)).expect("create a folder");
        }
        std::fs::write(project.at("libtorch/build-version"), format!("{version}\n")).expect("write");
        std::fs::write(project.at("app/Cargo.lock"), LOCK).expect("write");
        let lib = project.at("libtorch/lib");
        let output = format!("cargo:rustc-link-search=native={0}\ncargo:libtorch_lib={0}\n", lib.display());
        std::fs::write(project.at("app/target/debug/build/torch-sys-00112233445566aa/output"), output).expect("write");
        for library in libraries {
            let source = project.at(&format!("{library}.c"));
            std::fs::write(&source, format!("int {library}_works(void) {{ return 0; }}\n")).expect("write");
            let target = lib.join(format!("lib{library}.so"));
            cc(&["-shared", "-fPIC", "-o"], &[&target, &source]);
        }
        project
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Links a program that calls the CPU part, as torch-sys does.
    fn program(&self, name: &str, flags: &[&str]) {
        let source = self.at("main.c");
        std::fs::write(&source, "int torch_cpu_works(void);\nint main(void) { return torch_cpu_works(); }\n")
            .expect("write");
        let (target, lib) = (self.at("app/target/debug").join(name), self.at("libtorch/lib"));
        let search = format!("-L{}", lib.display());
        let all: Vec<&str> = flags.iter().copied().chain([search.as_str(), "-ltorch_cuda", "-ltorch_cpu"]).collect();
        let mut command = Command::new("cc");
        command.arg("-o").arg(&target).arg(&source).args(all);
        assert!(command.status().expect("cc").success());
    }

    /// The document of a check in a folder of the project.
    fn check(&self, folder: &str) -> Value {
        let mut command = doctor();
        command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", self.at("home")).current_dir(self.at(folder));
        command.args(["check", "--json", "--quick", "--root-live", "--root"]).arg(self.machine.path());
        serde_json::from_str(&run(&mut command).stdout).expect("a document")
    }
}

fn cc(flags: &[&str], paths: &[&Path]) {
    assert!(Command::new("cc").args(flags).args(paths).status().expect("cc").success());
}

fn rows(report: &Value) -> Vec<(String, String)> {
    let rows = report["checks"].as_array().expect("rows").iter().filter(|row| row["id"] == "program");
    let name = |row: &Value| {
        row["subject"]["id"].as_str().and_then(|id| id.rsplit('/').next()).unwrap_or_default().to_string()
    };
    rows.map(|row| (name(row), row["status"].as_str().expect("a status").to_string())).collect()
}

fn causes(report: &Value) -> Vec<&str> {
    let all = report["root_causes"].as_array().expect("root causes").iter();
    all.filter_map(|cause| cause["slug"].as_str()).filter(|slug| slug.starts_with("libtorch")).collect()
}

#[test]
fn a_part_that_the_linker_dropped_is_named_for_its_program_alone() {
    let project = Project::new("2.13.0+cu126", &["torch_cpu", "torch_cuda"]);
    project.program("train", &["-Wl,--as-needed"]);
    project.program("serve", &["-Wl,--no-as-needed"]);
    // From a folder below the project too.
    let report = project.check("app/src");
    let mut rows = rows(&report);
    rows.sort();
    let expected = [("libtorch", "pass"), ("serve", "pass"), ("train", "fail")];
    assert_eq!(rows, expected.map(|(name, status)| (name.to_string(), status.to_string())));
    assert_eq!(causes(&report), ["libtorch-cuda-not-linked"]);
}

#[test]
fn a_cpu_libtorch_is_the_fault_and_not_the_programs() {
    let project = Project::new("2.13.0+cpu", &["torch_cpu"]);
    let report = project.check("app");
    assert_eq!(causes(&report), ["libtorch-cpu-build"], "{report:#}");
    let cause =
        report["root_causes"].as_array().expect("root causes").iter().find(|c| c["slug"] == "libtorch-cpu-build");
    let steps = cause.expect("the cause")["remedy"]["steps"].to_string();
    // The newest build of 2.13 for a machine without a driver, which has code for an RTX 4090.
    assert!(steps.contains("libtorch-shared-with-deps-2.13.0%2Bcu130.zip"), "{steps}");
}

#[test]
fn a_project_without_libtorch_has_no_row() {
    let project = Project::new("2.13.0+cpu", &["torch_cpu"]);
    std::fs::write(project.at("app/Cargo.lock"), "version = 4\n\n[[package]]\nname = \"serde\"\nversion = \"1\"\n")
        .expect("write");
    assert_eq!(rows(&project.check("app")), []);
}
