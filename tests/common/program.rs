//! The binary, and snapshots of described machines for it.
#![allow(clippy::disallowed_methods, dead_code)]

use assert_cmd::Command;
use gpu_doctor::causes::example;
use gpu_doctor::render::json;
use gpu_doctor::report::Report;
use serde_json::Value;
use std::path::Path;

/// A machine on which all works.
pub const HEALTHY: &str = "from healthy";
/// One without any part of a driver.
pub const NO_DRIVER: &str = "from no-driver";
/// One of which little is known.
pub const BARE: &str = "from bare";

/// What a run gave.
pub struct Got {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

/// The program, with what the terminal of the tester says taken away.
pub fn doctor() -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("gpu-doctor"));
    for name in ["GITHUB_STEP_SUMMARY", "NO_COLOR", "CLICOLOR_FORCE", "COLUMNS", "LC_ALL", "LC_CTYPE", "LANG"] {
        command.env_remove(name);
    }
    command
}

/// Copies a program that is to be run. Another process writes the copy: a file that this one has open for writing stays so in
/// every child that another test starts at that moment, and cannot be run until then ("text file busy").
pub fn copy_program(from: impl AsRef<Path>, to: impl AsRef<Path>) {
    let (from, to) = (from.as_ref(), to.as_ref());
    if cfg!(unix) {
        let status = std::process::Command::new("cp").arg(from).arg(to).status().expect("cp");
        assert!(status.success(), "{} could not be copied", from.display());
    } else {
        std::fs::copy(from, to).expect("copy the program");
    }
}

/// Runs it. A run that ends by a signal is a failure of the test.
pub fn run(command: &mut Command) -> Got {
    let output = command.output().unwrap();
    Got {
        code: output.status.code().expect("ended by a signal"),
        stdout: String::from_utf8(output.stdout).expect("stdout is not UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("stderr is not UTF-8"),
    }
}

/// The report on a machine that is described as in the examples of pages.
pub fn report(machine: &str) -> Report {
    Report::of(example::facts(machine, false).unwrap(), "2026-01-31T12:00:00Z".to_string())
}

/// Its snapshot in a file.
pub fn snapshot(machine: &str) -> tempfile::NamedTempFile {
    file(&json::document(&report(machine)).unwrap())
}

/// A file with these bytes.
pub fn file(bytes: &[u8]) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    file
}

/// Judges a snapshot with some variables set.
pub fn judge(snapshot: &Path, environment: &[(&str, &str)]) -> Got {
    run(doctor().envs(environment.iter().copied()).arg("check").arg("--from").arg(snapshot))
}

/// The contract of `--json`.
pub fn schema() -> jsonschema::Validator {
    let text = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/report.schema.json")).unwrap();
    let schema: Value = serde_json::from_slice(&text).unwrap();
    jsonschema::meta::validate(&schema).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

/// A report that fits the contract.
pub fn assert_valid(schema: &jsonschema::Validator, document: &str) -> Value {
    let value: Value = serde_json::from_str(document).unwrap();
    let errors: Vec<String> = schema.iter_errors(&value).map(|e| format!("{} at {}", e, e.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    value
}
