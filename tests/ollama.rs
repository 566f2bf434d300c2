//! A server of ollama that runs is asked which models lie where: at the loopback address alone, and only where it listens.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods)]

mod common;

use common::program::{copy_program, doctor, run};
use serde_json::Value;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command};

/// What `ollama ps` of release 0.12 prints.
const TABLE: &str = "NAME           ID              SIZE     PROCESSOR          CONTEXT    UNTIL              \n\
                     gpt-oss:20b    aa4295ac10c3    16 GB    48%/52% CPU/GPU    8192       4 minutes from now    \n";

/// A machine with a program `ollama` that writes down the address it was given, and a process of that name.
struct Machine {
    folder: tempfile::TempDir,
    server: Child,
}

impl Machine {
    fn new(answer: &str) -> Machine {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["bin", "home", "tmp", "server"] {
            std::fs::create_dir(folder.path().join(name)).expect("create a folder");
        }
        let at = |path: &str| folder.path().join(path);
        copy_program("/bin/sleep", at("server/ollama"));
        let server = Command::new(at("server/ollama")).arg("60").spawn().expect("a server");
        let machine = Machine { server, folder };
        let asked = machine.at("asked").display().to_string();
        machine.program("ollama", &format!("echo \"$* $OLLAMA_HOST $http_proxy\" >> {asked}\n{answer}\n"));
        machine.program("journalctl", "exit 1");
        machine
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn program(&self, name: &str, script: &str) {
        let path = self.at("bin").join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("write");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("set permissions");
    }

    /// The document of a check, with this OLLAMA_HOST.
    fn check(&self, host: &str) -> Value {
        let mut command = doctor();
        let path = format!("{}:/usr/bin:/bin", self.at("bin").display());
        command.env_clear().env("PATH", path).env("HOME", self.at("home")).env("TMPDIR", self.at("tmp"));
        command.env("OLLAMA_HOST", host).env("http_proxy", "http://proxy.example:3128");
        command.args(["check", "--json", "--skip", "framework", "--skip", "tensor"]);
        serde_json::from_str(&run(&mut command).stdout).expect("a document")
    }

    /// The words and the address that the program was started with, if it was.
    fn asked(&self) -> Option<String> {
        std::fs::read_to_string(self.at("asked")).ok()
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        self.server.kill().expect("its end");
        self.server.wait().expect("its end");
    }
}

fn fact<'a>(report: &'a Value, key: &str) -> &'a Value {
    report["facts"].as_array().expect("facts").iter().find(|fact| fact["key"] == key).unwrap_or(&Value::Null)
}

#[test]
fn a_server_that_listens_is_asked_at_the_loopback_address() {
    let machine = Machine::new(&format!("printf '%s' '{TABLE}'"));
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("its address").port();
    // As the server's own setting, which is no address to connect to.
    let report = machine.check(&format!("0.0.0.0:{port}"));
    assert_eq!(machine.asked().as_deref(), Some(&*format!("ps 127.0.0.1:{port} \n")));
    let models = &fact(&report, "program.models")["value"];
    assert_eq!(models[0]["name"], "gpt-oss:20b", "{report:#}");
    assert_eq!((&models[0]["processor"], &models[0]["gpu_percent"]), (&"48%/52% CPU/GPU".into(), &52.into()));
}

#[test]
fn where_no_server_listens_nothing_is_started() {
    let machine = Machine::new("exit 1");
    let port = {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.local_addr().expect("its address").port()
    };
    let report = machine.check(&format!("127.0.0.1:{port}"));
    assert_eq!(machine.asked(), None);
    let fact = fact(&report, "program.models");
    assert_eq!(
        (&fact["state"], fact["why"].as_str().is_some_and(|why| why.contains(&port.to_string()))),
        (&"failed".into(), true),
        "{fact}"
    );
}

#[test]
fn another_machine_is_never_asked() {
    let machine = Machine::new("exit 1");
    for host in ["gpu-box:11434", "https://ollama.example", "192.0.2.7"] {
        let report = machine.check(host);
        assert_eq!(machine.asked(), None, "{host}");
        let why = fact(&report, "program.models")["why"].as_str().expect("why not").to_string();
        assert!(why.contains("OLLAMA_HOST"), "{why}");
    }
}

#[test]
fn the_journal_is_read_where_there_is_no_file() {
    let machine = Machine::new("exit 1");
    let log = "time=2025-07-01T19:33:43.162Z level=INFO msg=\"Listening on 127.0.0.1:11434 (version 0.9.4)\"\n\
               time=2025-07-01T19:33:43.162Z level=INFO source=types.go:130 msg=\"inference compute\" id=GPU-452cac9f \
               library=cuda variant=v12 compute=6.1 driver=12.7 name=\"NVIDIA GeForce GT 1030\" total=\"3.9 GiB\"";
    machine.program("journalctl", &format!("[ \"$3\" = ollama ] || exit 3\ncat <<'END'\n{log}\nEND"));
    let report = machine.check("");
    assert_eq!(fact(&report, "program.devices")["value"][0], "cuda: NVIDIA GeForce GT 1030", "{report:#}");
}

#[test]
fn a_journal_that_shows_nothing_is_not_taken_for_a_log_without_gpus() {
    let machine = Machine::new("exit 1");
    machine.program("journalctl", "exit 0");
    let report = machine.check("");
    assert_eq!(fact(&report, "program.devices")["state"], "failed", "{report:#}");
    let rows = report["checks"].as_array().expect("rows");
    assert!(rows.iter().any(|row| row["id"] == "program" && row["status"] == "deselected"), "{rows:#?}");
}
