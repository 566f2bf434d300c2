//! Extensions of torch that were built for another one: known by the loader's own words, in the interpreter they belong to. The
//! modules are real shared libraries that want a name which nothing has.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods)]

mod common;

use common::program::{doctor, run};
use serde_json::Value;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// An environment with a torch of the tester's own text.
struct Environment {
    folder: tempfile::TempDir,
    packages: PathBuf,
}

const TORCH: &str = "__version__ = '2.6.0+cu124'\nclass version:\n    cuda, hip = '12.4', None\n";

impl Environment {
    fn new() -> Environment {
        let folder = tempfile::tempdir().expect("a folder");
        let script = "import os, sys; print(os.path.realpath(sys.executable)); print('%d.%d' % sys.version_info[:2])";
        let output = Command::new("python3").args(["-c", script]).output().expect("python3");
        let text = String::from_utf8(output.stdout).expect("its path");
        let (program, version) = text.trim().split_once('\n').expect("two lines");
        let program = Path::new(program);
        let venv = folder.path().join("venv");
        let packages = venv.join(format!("lib/python{version}/site-packages"));
        for path in [venv.join("bin"), packages.clone(), folder.path().join("home")] {
            std::fs::create_dir_all(path).expect("create a folder");
        }
        let home = program.parent().expect("a folder").display();
        std::fs::write(venv.join("pyvenv.cfg"), format!("home = {home}\n")).expect("write");
        symlink(program, venv.join("bin/python")).expect("make a link");
        let environment = Environment { folder, packages };
        environment.package("torch", "torch", "2.6.0+cu124", TORCH);
        environment
    }

    /// A package, with what its installer wrote about it.
    fn package(&self, name: &str, module: &str, version: &str, text: &str) {
        let (folder, metadata) =
            (self.packages.join(module), self.packages.join(format!("{module}-{version}.dist-info")));
        for path in [&folder, &metadata] {
            std::fs::create_dir_all(path).expect("create a folder");
        }
        std::fs::write(folder.join("__init__.py"), text).expect("write");
        let lines = format!("Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n");
        std::fs::write(metadata.join("METADATA"), lines).expect("write");
        std::fs::write(metadata.join("RECORD"), format!("{module}/__init__.py,,\n")).expect("write");
        std::fs::write(metadata.join("INSTALLER"), "pip\n").expect("write");
    }

    /// A native module that wants a function which is nowhere.
    fn module(&self, path: &str, symbol: &str) {
        let source = self.folder.path().join("module.c");
        std::fs::write(&source, format!("void {symbol}(void);\nvoid PyInit_x(void) {{ {symbol}(); }}\n"))
            .expect("write");
        let status =
            Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(self.packages.join(path)).arg(&source).status();
        assert!(status.expect("cc").success());
    }

    fn check(&self, arguments: &[&str]) -> Value {
        let mut command = doctor();
        command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", self.folder.path().join("home"));
        command.args(["check", "--json", "--python"]).arg(self.folder.path().join("venv")).args(arguments);
        serde_json::from_str(&run(&mut command).stdout).expect("a document")
    }
}

fn found<'a>(report: &'a Value, slug: &str) -> Option<&'a Value> {
    report["root_causes"].as_array().expect("root causes").iter().find(|cause| cause["slug"] == slug)
}

const SLUG: &str = "extension-built-for-another-torch";

#[test]
fn the_loader_s_words_name_the_extension_and_both_versions() {
    let environment = Environment::new();
    environment.package("flash-attn", "flash_attn", "2.6.3", "import flash_attn_2_cuda\n");
    environment.module("flash_attn_2_cuda.so", "_ZN3c104cuda9SetDeviceEi");
    let report = environment.check(&[]);
    let cause = found(&report, SLUG).unwrap_or_else(|| panic!("{:#}", report["root_causes"]));
    assert_eq!(cause["confidence"], "certain");
    let message = cause["message"].as_str().expect("a message");
    assert!(message.contains("flash-attn") && message.contains("2.6.0+cu124"), "{message}");
    assert!(cause["evidence"].to_string().contains("undefined symbol: _ZN3c104cuda9SetDeviceEi"), "{cause:#}");
}

#[test]
fn a_name_that_is_not_torch_s_is_another_fault() {
    let environment = Environment::new();
    environment.package("flash-attn", "flash_attn", "2.6.3", "import flash_attn_2_cuda\n");
    environment.module("flash_attn_2_cuda.so", "cuTensorMapEncodeTiled");
    let report = environment.check(&[]);
    assert!(found(&report, SLUG).is_none(), "{:#}", report["root_causes"]);
    assert!(found(&report, "framework-import-fails").is_some(), "{:#}", report["root_causes"]);
}

#[test]
fn the_version_of_a_wheel_is_enough_where_nothing_is_imported() {
    let environment = Environment::new();
    environment.package("flash-attn", "flash_attn", "2.6.3+cu123torch2.4cxx11abiFALSE", "");
    let cause = found(&environment.check(&["--quick"]), SLUG).cloned().expect("the cause");
    // There is no GPU here.
    assert_eq!(cause["severity"], "note", "{cause:#}");
    // It is imported without an error: then its version says nothing.
    assert!(found(&environment.check(&[]), SLUG).is_none());
}

#[test]
fn operators_of_vllm_that_do_not_load_are_seen_though_its_import_succeeds() {
    let environment = Environment::new();
    environment.package("vllm", "vllm", "0.7.3", "");
    let platform = "class Platform:\n    device_name = 'cuda'\n    def is_cuda_alike(self): return True\ncurrent_platform = Platform()\n";
    std::fs::write(environment.packages.join("vllm/platforms.py"), platform).expect("write");
    environment.module("vllm/_C.so", "_ZN5torch3jit17parseSchemaOrNameERKSsb");
    let report = environment.check(&[]);
    let facts = report["facts"].as_array().expect("facts");
    let of = |key: &str| {
        let ours =
            |f: &&Value| f["key"] == key && f["subject"]["id"].as_str().is_some_and(|id| id.starts_with("vllm@"));
        facts.iter().find(ours).cloned().unwrap_or_default()
    };
    assert_eq!(of("framework.available")["value"], false, "{report:#}");
    assert!(of("framework.message")["value"].as_str().expect("a message").contains("parseSchemaOrName"));
}
