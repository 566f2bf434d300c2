//! `-o FILE`, for every format: a whole file or none, and a sentence where it cannot be written.
#![allow(clippy::disallowed_methods)]

mod common;

use common::program::{Got, HEALTHY, NO_DRIVER, doctor, run, snapshot};
use gpu_doctor::render::FORMATS;
use std::path::Path;

/// Every format into a file.
fn write(format: &str, from: &Path, file: &Path) -> Got {
    run(doctor().args(["check", "--format", format, "--from"]).arg(from).arg("-o").arg(file))
}

/// What the same run prints.
fn print(format: &str, from: &Path) -> Got {
    run(doctor().args(["check", "--format", format, "--from"]).arg(from))
}

/// Names in a folder.
fn names(folder: &Path) -> Vec<String> {
    std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn a_file_holds_what_stdout_would_and_a_second_run_replaces_it() {
    let (well, ill) = (snapshot(HEALTHY), snapshot(NO_DRIVER));
    for format in FORMATS.iter().map(|format| format.name) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("answer");
        let (first, printed) = (write(format, well.path(), &file), print(format, well.path()));
        assert_eq!((first.stdout.as_str(), first.stderr.as_str()), ("", ""), "{format}");
        assert_eq!(first.code, printed.code, "{format}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), printed.stdout, "{format}");
        let (second, printed) = (write(format, ill.path(), &file), print(format, ill.path()));
        assert_eq!((second.code, second.stderr.as_str()), (printed.code, ""), "{format}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), printed.stdout, "{format}");
        assert_eq!(names(folder.path()), ["answer"], "{format}");
    }
    let dash = run(doctor().args(["check", "-o", "-", "--from"]).arg(well.path()));
    assert_eq!(dash.stdout, print("text", well.path()).stdout);
}

#[test]
#[cfg(unix)]
fn the_file_has_the_usual_mode_and_a_link_is_replaced_not_followed() {
    use std::os::unix::fs::PermissionsExt;
    let from = snapshot(HEALTHY);
    let folder = tempfile::tempdir().unwrap();
    let (file, precious, link) =
        (folder.path().join("report"), folder.path().join("precious"), folder.path().join("link"));
    for (mask, mode) in [("022", 0o644), ("077", 0o600)] {
        let script = format!("umask {mask}; exec \"$0\" check --from \"$1\" -o \"$2\"");
        let program = assert_cmd::cargo::cargo_bin!("gpu-doctor");
        let got =
            run(assert_cmd::Command::new("/bin/sh").args(["-c", &script]).arg(program).arg(from.path()).arg(&file));
        assert_eq!((got.code, got.stderr.as_str()), (0, ""));
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, mode, "umask {mask}");
    }
    std::fs::write(&precious, "gpu-doctor: a report that is only linked").unwrap();
    std::os::unix::fs::symlink(&precious, &link).unwrap();
    assert_eq!(write("text", from.path(), &link).code, 0);
    assert!(!std::fs::symlink_metadata(&link).unwrap().file_type().is_symlink());
    assert_eq!(std::fs::read_to_string(&precious).unwrap(), "gpu-doctor: a report that is only linked");
}

#[test]
fn what_somebody_else_wrote_is_not_overwritten() {
    let from = snapshot(HEALTHY);
    let folder = tempfile::tempdir().unwrap();
    let notes = folder.path().join("notes.txt");
    std::fs::write(&notes, "my notes").unwrap();
    let got = write("text", from.path(), &notes);
    assert_eq!((got.code, got.stdout.as_str()), (2, ""));
    assert!(got.stderr.contains("notes.txt: it exists and holds something else"), "{}", got.stderr);
    assert_eq!(std::fs::read_to_string(&notes).unwrap(), "my notes");
    // An empty file is nobody's.
    std::fs::write(&notes, "").unwrap();
    assert_eq!(write("text", from.path(), &notes).code, 0);
}

#[test]
#[cfg(target_os = "linux")]
fn what_cannot_be_written_is_said_in_one_line_and_is_2() {
    let from = snapshot(HEALTHY);
    let folder = tempfile::tempdir().unwrap();
    let long = folder.path().join("x".repeat(300));
    let cases = [
        (folder.path().to_path_buf(), "it is a directory"),
        (folder.path().join("no/such/report"), "no such file"),
        (long, "file name too long"),
        ("/dev/full".into(), "no space left on device"),
        ("/proc/report".into(), "/proc/report: "),
        ("/sys/report".into(), "/sys/report: "),
    ];
    for (path, words) in cases {
        let got = write("text", from.path(), &path);
        assert_eq!((got.code, got.stdout.as_str()), (2, ""), "{}", path.display());
        assert!(got.stderr.contains(words) && got.stderr.lines().count() == 1, "{}: {}", path.display(), got.stderr);
        assert!(got.stderr.starts_with("error: cannot write "), "{}", got.stderr);
    }
    assert!(names(folder.path()).is_empty());
}

#[test]
#[cfg(target_os = "linux")]
fn a_folder_that_may_not_be_written_to_is_said_before_the_machine_is_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("gpu-doctor");
    common::program::copy_program(assert_cmd::cargo::cargo_bin!("gpu-doctor"), &program);
    let closed = folder.path().join("closed");
    std::fs::create_dir(&closed).unwrap();
    // Root may write anywhere, so another user tries.
    let script = "chmod 755 \"$1\" && chmod 555 \"$1/closed\" && \
                  if [ $(id -u) = 0 ]; then setpriv --reuid 65534 --regid 65534 --clear-groups \"$1/gpu-doctor\" \
                  --timeout 3600 -o \"$1/closed/report\"; else \"$1/gpu-doctor\" -o \"$1/closed/report\"; fi";
    let got = run(assert_cmd::Command::new("/bin/sh").args(["-c", script, "sh"]).arg(folder.path()));
    assert_eq!((got.code, got.stdout.as_str()), (2, ""), "{}", got.stderr);
    assert!(got.stderr.contains("cannot write in the folder") && got.stderr.contains("permission denied"));
    assert!(names(&closed).is_empty());
}

#[test]
#[cfg(target_os = "linux")]
fn a_pipe_is_written_to_and_one_that_nobody_reads_is_no_error() {
    let from = snapshot(NO_DRIVER);
    for format in FORMATS.iter().map(|format| format.name) {
        let printed = print(format, from.path());
        let piped = write(format, from.path(), Path::new("/dev/stdout"));
        assert_eq!((piped.stdout, piped.code), (printed.stdout, printed.code), "{format}");
        let script = "\"$0\" check --format \"$1\" --from \"$2\" -o /dev/stdout | true; exit ${PIPESTATUS[0]}";
        let got = run(assert_cmd::Command::new("/bin/bash")
            .args(["-c", script])
            .arg(assert_cmd::cargo::cargo_bin!("gpu-doctor"))
            .arg(format)
            .arg(from.path()));
        assert_eq!((got.code, got.stderr.as_str()), (printed.code, ""), "{format}");
    }
}

#[test]
fn what_only_speaks_of_this_program_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let from = snapshot(NO_DRIVER);
    let works = [
        "my notes about gpu-doctor\n",
        "#!/bin/sh\ngpu-doctor check --format nagios\n",
        "# How I use gpu-doctor\n\ngpu-present fails\n",
        "{\"name\": \"gpu-doctor\"}\n",
        "- fail: gpu-present is red\n",
    ];
    for (n, text) in works.iter().enumerate() {
        let path = folder.path().join(format!("{n}.txt"));
        std::fs::write(&path, text).unwrap();
        let got = run(doctor().arg("check").arg("--from").arg(from.path()).arg("-o").arg(&path));
        assert_eq!(got.code, 2, "{text}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), *text);
    }
}

/// A pipe without a reader would keep the program waiting, and one with a reader gets the whole document.
#[cfg(unix)]
#[test]
fn a_pipe_is_written_to_only_where_somebody_reads() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let snapshot = common::program::snapshot(common::program::HEALTHY);
    let mut command = common::program::doctor();
    command.args(["check", "--json", "--from"]).arg(snapshot.path()).arg("-o").arg(&pipe);
    let got = common::program::run(command.timeout(std::time::Duration::from_secs(20)));
    assert_eq!(got.code, 2, "{}", got.stderr);
    assert!(got.stderr.contains("nobody reads"), "{}", got.stderr);
    let reader = std::process::Command::new("cat").arg(&pipe).stdout(std::process::Stdio::piped()).spawn().unwrap();
    // The reader may not have opened it yet.
    let code = (0..200).find_map(|_| {
        let got = common::program::run(command.timeout(std::time::Duration::from_secs(20)));
        (got.code != 2).then_some(got.code).or_else(|| {
            std::thread::sleep(std::time::Duration::from_millis(20));
            None
        })
    });
    assert_eq!(code, Some(0));
    let read = reader.wait_with_output().unwrap();
    let document: serde_json::Value = serde_json::from_slice(&read.stdout).unwrap();
    assert_eq!(document["verdict"], "ready");
}

#[cfg(target_os = "linux")]
#[test]
fn a_stdout_that_was_closed_is_said() {
    let snapshot = common::program::snapshot(common::program::HEALTHY);
    let run = |end: &str| {
        let script = format!("exec \"$0\" check --from \"$1\" {end}");
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &script]).arg(assert_cmd::cargo::cargo_bin!("gpu-doctor")).arg(snapshot.path());
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, said) = run(">&-");
    assert_eq!(code, Some(0));
    assert!(said.contains("stdout is closed"), "{said}");
    // Thrown away on purpose.
    assert_eq!(run("> /dev/null"), (Some(0), String::new()));
    assert_eq!(run("1<> /dev/null"), (Some(0), String::new()));
}
