//! Many environments and frameworks at once: each is told, whatever the others do, and none leaves anything behind.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods)]

mod common;

use common::program::{copy_program, doctor, run};
use serde_json::Value;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Virtual environments in a folder, with packages of the tester's own text.
struct Machine {
    folder: tempfile::TempDir,
}

impl Machine {
    fn new() -> Machine {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["home", "tmp"] {
            std::fs::create_dir(folder.path().join(name)).expect("create a folder");
        }
        Machine { folder }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// An environment with these packages.
    fn environment(&self, name: &str, packages: &[(&str, &str)]) -> PathBuf {
        let script = "import os, sys; print(os.path.realpath(sys.executable)); print('%d.%d' % sys.version_info[:2])";
        let output = Command::new("python3").args(["-c", script]).output().expect("python3");
        let text = String::from_utf8(output.stdout).expect("its path");
        let (program, version) = text.trim().split_once('\n').expect("two lines");
        let program = Path::new(program);
        let venv = self.at(name);
        std::fs::create_dir_all(venv.join("bin")).expect("create a folder");
        let home = program.parent().expect("a folder").display();
        std::fs::write(venv.join("pyvenv.cfg"), format!("home = {home}\n")).expect("write");
        symlink(program, venv.join("bin/python")).expect("make a link");
        for (package, text) in packages {
            let folder = venv.join(format!("lib/python{version}/site-packages")).join(package);
            std::fs::create_dir_all(&folder).expect("create a folder");
            std::fs::write(folder.join("__init__.py"), text).expect("write");
        }
        venv
    }

    /// The facts of a check of these environments, and how long it took.
    fn check(&self, environments: &[PathBuf], limit: u32) -> (Vec<Value>, Duration) {
        let mut command = doctor();
        command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", self.at("home")).env("TMPDIR", self.at("tmp"));
        command.args(["check", "--json", "--timeout", &limit.to_string()]);
        for path in environments {
            command.arg("--python").arg(path);
        }
        let started = Instant::now();
        let got = run(&mut command);
        let took = started.elapsed();
        let report: Value = serde_json::from_str(&got.stdout).expect("a document");
        (report["facts"].as_array().expect("facts").clone(), took)
    }

    /// Every file and folder, without the tester's own folder for temporary files.
    fn files(&self) -> Vec<PathBuf> {
        fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
            for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
                found.push(entry.path());
                if entry.file_type().expect("a kind").is_dir() {
                    walk(&entry.path(), found);
                }
            }
        }
        let mut found = Vec::new();
        walk(self.folder.path(), &mut found);
        found.sort();
        found
    }
}

/// The rows of the check `program` on a machine with these programs on PATH.
fn programs(machine: &Machine, arguments: &[&str]) -> Vec<Value> {
    let mut command = doctor();
    let path = format!("{}:/usr/bin:/bin", machine.at("bin").display());
    command.env_clear().env("PATH", path).env("HOME", machine.at("home")).env("TMPDIR", machine.at("tmp"));
    // This project builds against libtorch, which would be a program of its own.
    command.current_dir(machine.at("home"));
    command.args(["check", "--json", "--skip", "framework", "--skip", "tensor"]).args(arguments);
    let report: Value = serde_json::from_str(&run(&mut command).stdout).expect("a document");
    let rows = report["checks"].as_array().expect("rows").clone();
    rows.into_iter().filter(|row| row["id"] == "program").collect()
}

fn of<'a>(facts: &'a [Value], key: &str, framework: &str, environment: &Path) -> Option<&'a Value> {
    let id = format!("{framework}@{}", environment.display());
    facts.iter().find(|fact| fact["key"] == key && fact["subject"]["id"] == id.as_str())
}

/// Imports in two seconds of which the processor knows nothing, and then says that there is no GPU.
const SLOW: &str = "import time; time.sleep(2)\n__version__ = '2.6.0'\n";
const HANGING: &str = "import time\nwhile True: time.sleep(60)\n";
const CRASHING: &str = "import os; os.abort()\n";

#[test]
fn six_environments_take_no_longer_than_the_slowest_and_are_all_told() {
    let machine = Machine::new();
    let text = |n: usize| match n {
        0 => HANGING,
        3 => CRASHING,
        _ => SLOW,
    };
    let environments: Vec<PathBuf> =
        (0..6).map(|n| machine.environment(&format!("env{n}"), &[("torch", text(n))])).collect();
    let limit = 7;
    let (facts, took) = machine.check(&environments, limit);
    // Four imports of two seconds would take eight by themselves, one after the other.
    assert!(took < Duration::from_secs(u64::from(limit) + 2), "it took {took:?}");
    for (n, environment) in environments.iter().enumerate() {
        let import = of(&facts, "framework.import", "torch", environment).expect("an import");
        match n {
            0 => assert_eq!(import["state"], "failed", "{import}"),
            3 => assert_eq!((&import["value"]["ok"], &import["value"]["error"]), (&false.into(), &"crashed".into())),
            _ => assert_eq!(import["value"]["ok"], true, "{import}"),
        }
    }
}

#[test]
fn a_hang_or_a_crash_in_one_framework_takes_no_other_with_it() {
    let machine = Machine::new();
    let packages = [("torch", HANGING), ("jax", CRASHING), ("ctranslate2", "def get_cuda_device_count(): return 2\n")];
    let environment = machine.environment("env", &packages);
    let (facts, _) = machine.check(std::slice::from_ref(&environment), 3);
    assert_eq!(of(&facts, "framework.import", "torch", &environment).expect("torch")["state"], "failed");
    assert_eq!(of(&facts, "framework.import", "jax", &environment).expect("jax")["value"]["error"], "crashed");
    assert_eq!(of(&facts, "framework.device_count", "ctranslate2", &environment).expect("a count")["value"], 2);
    // What is not installed is not asked, and nothing is said of it.
    assert!(of(&facts, "framework.import", "tensorflow", &environment).is_none());
}

/// Writes wherever a framework would.
const WRITING: &str = "
import os
for name in ('XDG_CACHE_HOME', 'MPLCONFIGDIR', 'NUMBA_CACHE_DIR', 'CUPY_CACHE_DIR', 'TRITON_CACHE_DIR', 'HF_HOME'):
    folder = os.path.join(os.environ[name], 'x')
    os.makedirs(folder, exist_ok=True)
    open(os.path.join(folder, name), 'w').close()
from . import part
__version__ = '2.6.0'
";

#[test]
fn what_an_import_writes_is_gone_afterwards() {
    let machine = Machine::new();
    let environment = machine.environment("env", &[("torch", WRITING), ("torch/part", "")]);
    let before = machine.files();
    let (facts, _) = machine.check(std::slice::from_ref(&environment), 20);
    let import = of(&facts, "framework.import", "torch", &environment).expect("an import");
    assert_eq!(import["value"]["ok"], true, "{import}");
    assert_eq!(machine.files(), before);
}

#[test]
fn an_interrupted_check_takes_its_folder_with_it() {
    let machine = Machine::new();
    let hanging = format!("{WRITING}\n{HANGING}");
    let environment = machine.environment("env", &[("torch", &hanging), ("torch/part", "")]);
    let before = machine.files();
    let mut child = Command::new(env!("CARGO_BIN_EXE_gpu-doctor"))
        .env_clear()
        .envs([("PATH", "/usr/bin:/bin".as_ref()), ("HOME", machine.at("home").as_os_str())])
        .env("TMPDIR", machine.at("tmp"))
        .args(["check", "--json", "--python"])
        .arg(&environment)
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("the program");
    let wait = |until: &dyn Fn() -> bool| {
        let started = Instant::now();
        while !until() && started.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(until(), "nothing happened");
    };
    wait(&|| machine.files().iter().any(|file| file.ends_with("x/HF_HOME")));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(killed.success());
    child.wait().expect("its end");
    wait(&|| machine.files() == before);
}

#[test]
fn ollama_is_known_by_its_log_and_never_started() {
    let machine = Machine::new();
    let program = machine.at("bin/ollama");
    std::fs::create_dir_all(machine.at("home/.ollama/logs")).expect("create a folder");
    std::fs::create_dir(machine.at("bin")).expect("create a folder");
    copy_program("/bin/sleep", &program);
    let log = "time=2025-01-10T10:00:00Z level=INFO msg=\"Listening on 127.0.0.1:11434 (version 0.5.4)\"\n\
               time=2025-01-10T10:00:01Z level=INFO source=gpu.go:392 msg=\"no compatible GPUs were discovered\"\n";
    std::fs::write(machine.at("home/.ollama/logs/server.log"), log).expect("write");
    // On PATH alone it is no fault that it knows no GPU.
    let rows = programs(&machine, &[]);
    assert_eq!((rows.len(), &rows[0]["status"]), (1, &"not_applicable".into()), "{rows:?}");
    let mut server = Command::new(&program).arg("60").spawn().expect("a server");
    let rows = programs(&machine, &[]);
    server.kill().expect("its end");
    server.wait().expect("its end");
    assert_eq!(rows[0]["status"], "fail", "{rows:?}");
    assert!(rows[0]["summary"].as_str().expect("a text").contains("no compatible GPUs"), "{rows:?}");
}

#[test]
fn llama_cpp_is_asked_for_its_devices() {
    use std::os::unix::fs::PermissionsExt;
    let machine = Machine::new();
    std::fs::create_dir(machine.at("bin")).expect("create a folder");
    let program = machine.at("bin/llama-server");
    let text = "#!/bin/sh\n[ \"$1\" = --list-devices ] || exit 3\necho Available devices:\n\
                echo '  CUDA0: NVIDIA L4 (22563 MiB, 22000 MiB free)'\n";
    std::fs::write(&program, text).expect("write");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("set permissions");
    let ask = |arguments: &[&str]| programs(&machine, arguments)[0].clone();
    // --skip tensor leaves no computation to grant, and what it is asked makes a context.
    assert_eq!(ask(&[])["status"], "deselected");
    let mut command = doctor();
    let path = format!("{}:/usr/bin:/bin", machine.at("bin").display());
    command.env_clear().env("PATH", path).env("HOME", machine.at("home")).env("TMPDIR", machine.at("tmp"));
    command.current_dir(machine.at("home"));
    let report: Value = serde_json::from_str(&run(command.args(["check", "--json"])).stdout).expect("a document");
    let row = report["checks"].as_array().expect("rows").iter().find(|row| row["id"] == "program").expect("a row");
    assert_eq!(row["status"], "pass", "{row}");
    assert!(row["summary"].as_str().expect("a text").contains("CUDA0: NVIDIA L4"), "{row}");
}
