//! What the files of an environment show of what is wrong with its packages, on trees made here and through the real binary
//! with `--quick`: each is a fact, and the cause that it stands for.

#![cfg(unix)]
#![allow(clippy::disallowed_methods)]

mod bounds;
#[path = "../common/mod.rs"]
mod common;
mod hidden;
mod packages;

use common::program::{HEALTHY, doctor, file, run, snapshot};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// A home with one environment, in `venv` or in `conda`.
struct Home {
    folder: tempfile::TempDir,
    site: &'static str,
    variables: Vec<(&'static str, String)>,
}

/// What a check found.
struct Found {
    report: Value,
}

const VENV: &str = "venv/lib/python3.11/site-packages";
const CONDA: &str = "conda/lib/python3.11/site-packages";
const USER: &str = ".local/lib/python3.11/site-packages";
const CPU: &str = "__version__ = '2.6.0+cpu'\ncuda: Optional[str] = None\nhip: Optional[str] = None\n";
const CUDA: &str = "__version__ = '2.6.0+cu124'\ncuda: Optional[str] = '12.4'\nhip: Optional[str] = None\n";

impl Home {
    fn venv() -> Home {
        let mut home = Home::new(VENV);
        home.program("venv/bin/python", "#!/bin/sh\nexit 1\n");
        let settings = "home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.11.7\n";
        home.file("venv/pyvenv.cfg", settings);
        home.set("VIRTUAL_ENV", "venv");
        home
    }

    fn conda() -> Home {
        let mut home = Home::new(CONDA);
        home.program("conda/bin/python", "#!/bin/sh\nexit 1\n");
        home.file("conda/conda-meta/history", "").file("conda/conda-meta/python-3.11.7-h1_0_cpython.json", "{}");
        home.set("CONDA_PREFIX", "conda");
        home
    }

    fn new(site: &'static str) -> Home {
        let home = Home { folder: tempfile::tempdir().expect("a folder"), site, variables: Vec::new() };
        std::fs::create_dir_all(home.at(site)).expect("create folders");
        std::fs::create_dir(home.at("work")).expect("create a folder");
        home
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().expect("a path").join(path)
    }

    fn set(&mut self, name: &'static str, path: &str) {
        self.variables.push((name, self.at(path).display().to_string()));
    }

    fn file(&self, path: &str, text: &str) -> &Home {
        let path = self.at(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("create folders");
        std::fs::write(path, text).expect("write a file");
        self
    }

    fn program(&self, path: &str, text: &str) -> &Home {
        self.file(path, text);
        std::fs::set_permissions(self.at(path), std::fs::Permissions::from_mode(0o755)).expect("set permissions");
        self
    }

    /// A package in a folder as pip lays it: files, METADATA, RECORD, INSTALLER.
    fn package_in(&self, folder: &str, name: &str, version: &str, files: &[(&str, &str)]) -> &Home {
        let metadata = format!("{folder}/{}-{version}.dist-info", name.replace('-', "_"));
        let record: Vec<String> =
            files.iter().map(|(path, text)| format!("{path},sha256=x,{}\n", text.len())).collect();
        self.file(&format!("{metadata}/METADATA"), &format!("Name: {name}\nVersion: {version}\n"));
        self.file(&format!("{metadata}/RECORD"), &record.concat()).file(&format!("{metadata}/INSTALLER"), "pip\n");
        for (path, text) in files {
            self.file(&format!("{folder}/{path}"), text);
        }
        self
    }

    fn package(&self, name: &str, version: &str, files: &[(&str, &str)]) -> &Home {
        self.package_in(self.site, name, version, files)
    }

    fn torch_in(&self, folder: &str, version: &str, text: &str) -> &Home {
        self.package_in(folder, "torch", version, &[("torch/__init__.py", ""), ("torch/version.py", text)])
    }

    fn command(&self, arguments: &[&str]) -> assert_cmd::Command {
        let mut command = doctor();
        command.env_clear().env("HOME", self.at("")).env("PATH", "/nowhere").current_dir(self.at("work"));
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.args(["check", "--quick", "--json"]).args(arguments);
        command
    }

    fn check(&self, arguments: &[&str]) -> Found {
        let got = run(&mut self.command(arguments));
        Found { report: serde_json::from_str(&got.stdout).expect("JSON") }
    }
}

impl Found {
    /// What is said of the same environment on a machine with a GPU and a driver that work.
    fn beside_a_gpu(mut self) -> Found {
        let of_python = |fact: &Value| {
            fact["key"].as_str().is_some_and(|key| key.starts_with("python.") || key.starts_with("framework."))
        };
        let machine = snapshot(HEALTHY);
        let mut healthy: Value = serde_json::from_slice(&std::fs::read(machine.path()).expect("read")).expect("JSON");
        let mut facts: Vec<Value> = healthy["facts"].take().as_array().expect("facts").clone();
        facts.retain(|fact| !of_python(fact));
        facts.extend(self.report["facts"].as_array().expect("facts").iter().filter(|fact| of_python(fact)).cloned());
        healthy["facts"] = Value::from(facts);
        let input = file(healthy.to_string().as_bytes());
        let got = run(doctor().args(["check", "--json", "--from"]).arg(input.path()));
        self.report = serde_json::from_str(&got.stdout).expect("JSON");
        self
    }

    fn values(&self, key: &str) -> Vec<&Value> {
        let facts = self.report["facts"].as_array().expect("facts").iter();
        facts.filter(|fact| fact["key"] == key).map(|fact| &fact["value"]).collect()
    }

    #[track_caller]
    fn cause(&self, slug: &str) -> &Value {
        let all = self.report["root_causes"].as_array().expect("root causes");
        let slugs: Vec<&str> = all.iter().filter_map(|cause| cause["slug"].as_str()).collect();
        all.iter().find(|cause| cause["slug"] == slug).unwrap_or_else(|| panic!("{slug} is not in {slugs:?}"))
    }

    fn has(&self, slug: &str) -> bool {
        self.report["root_causes"].as_array().expect("root causes").iter().any(|cause| cause["slug"] == slug)
    }

    /// Every sentence of evidence of a cause.
    fn evidence(&self, slug: &str) -> String {
        let rows = self.cause(slug)["evidence"].as_array().expect("evidence");
        rows.iter().filter_map(|row| row["text"].as_str()).collect::<Vec<_>>().join("; ")
    }
}
