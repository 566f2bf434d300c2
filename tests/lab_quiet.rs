//! No import of a real framework speaks to the network: with all calls watched, no socket but a local one is connected.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods)]

mod common;

use common::stage::part;
use std::process::Command;

/// The parts of the lab that have a framework which is asked.
const PARTS: [&str; 6] = ["onnxruntime", "onnxruntime-gpu", "jax-cuda12", "cupy", "numba-cuda", "tensorflow"];

#[test]
fn no_import_opens_a_connection() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in PARTS {
        let calls = folder.path().join(name);
        let output = Command::new("strace")
            .args(["-f", "-qq", "-e", "trace=connect,sendto,sendmsg,execve", "-o"])
            .arg(&calls)
            .arg(env!("CARGO_BIN_EXE_gpu-doctor"))
            .args(["check", "--json", "--python"])
            .arg(part(name))
            .env("HOME", folder.path())
            .output()
            .expect("strace");
        let report = String::from_utf8_lossy(&output.stdout);
        assert!(report.contains("\"framework.import\""), "{name}: nothing was imported\n{report}");
        let calls = std::fs::read_to_string(&calls).expect("the calls");
        assert!(calls.contains("execve"), "{name}: nothing was watched");
        let network: Vec<&str> = calls.lines().filter(|line| line.contains("AF_INET")).collect();
        assert!(network.is_empty(), "{name}: {network:#?}");
    }
}
