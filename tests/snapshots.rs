//! A snapshot is the report: it fits the schema, it is judged as the run was, and what is wrong with one is said.
#![allow(clippy::disallowed_methods)]

mod common;

use common::program::{self, BARE, HEALTHY, NO_DRIVER, assert_valid, doctor, file, judge, run, schema};
use gpu_doctor::causes::{self, example};
use gpu_doctor::machine::console::Console;
use gpu_doctor::render::{json, terminal};
use gpu_doctor::report::Report;
use gpu_doctor::snapshot;
use serde_json::Value;
use std::path::Path;

/// Described machines, the verdict and exit status of each.
const MACHINES: &[(&str, &str, i32)] = &[(HEALTHY, "ready", 0), (NO_DRIVER, "not_ready", 1), (BARE, "inconclusive", 3)];

#[test]
fn reports_of_every_verdict_fit_the_schema_and_have_their_exit_status() {
    let schema = schema();
    for (machine, verdict, code) in MACHINES {
        let file = program::snapshot(machine);
        let got = run(doctor().arg("--json").arg("--from").arg(file.path()));
        let report = assert_valid(&schema, &got.stdout);
        assert_eq!((report["verdict"].as_str(), got.code), (Some(*verdict), *code), "{machine}");
        assert_eq!(judge(file.path(), &[]).code, *code, "{machine}");
    }
}

#[test]
fn every_example_of_every_page_fits_the_schema_and_survives_a_round_trip() {
    let schema = schema();
    let mut count = 0;
    for cause in causes::all() {
        for example in example::examples(cause.page, cause.head().slug) {
            let report = Report::of(example.facts(false).unwrap(), "2026-01-31T12:00:00Z".to_string());
            let document = String::from_utf8(json::document(&report).unwrap()).unwrap();
            assert_valid(&schema, &document);
            let read = snapshot::parse(document.as_bytes()).unwrap();
            let again = json::document(&Report::of(read.facts, read.created_at)).unwrap();
            assert_eq!(String::from_utf8(again).unwrap(), document);
            for width in [30, 100] {
                let console = Console { width, colour: true, unicode: true };
                assert!(terminal::report(&report, &console, true).contains("Facts"));
            }
            count += 1;
        }
    }
    assert!(count > 80, "{count}");
}

#[test]
fn degraded_is_0_and_with_strict_1() {
    let throttled = "from healthy\nnvml.clock_reasons gpu 0000:01:00.0 = 8";
    let file = program::snapshot(throttled);
    let got = run(doctor().arg("--json").arg("--from").arg(file.path()));
    let report = assert_valid(&schema(), &got.stdout);
    assert_eq!((report["verdict"].as_str(), got.code), (Some("degraded"), 0));
    assert_eq!(run(doctor().arg("--strict").arg("--from").arg(file.path())).code, 1);
    assert_eq!(run(doctor().arg("--strict").arg("--from").arg(program::snapshot(HEALTHY).path())).code, 0);
}

#[test]
fn the_schema_refuses_what_is_not_a_report() {
    let schema = schema();
    let file = program::snapshot(HEALTHY);
    let good: Value = serde_json::from_str(&run(doctor().arg("--json").arg("--from").arg(file.path())).stdout).unwrap();
    assert!(schema.is_valid(&good));
    let spoil: [(&str, Value); 5] = [
        ("/verdict", "fine".into()),
        ("/schema_version", 2.into()),
        ("/checks/0/status", "green".into()),
        ("/facts/0/state", "guessed".into()),
        ("/created_at", "yesterday".into()),
    ];
    for (pointer, value) in spoil {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).unwrap() = value;
        assert!(!schema.is_valid(&bad), "{pointer}");
    }
    let mut open = good;
    open["a_new_field"] = 1.into();
    assert!(schema.is_valid(&open));
}

#[test]
fn a_live_report_fits_the_schema_and_its_snapshot_gives_it_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.json");
    let live = run(doctor().args(["--json", "--skip", "framework", "--save"]).arg(&path));
    assert_valid(&schema(), &live.stdout);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), live.stdout);
    let again = run(doctor().arg("--json").arg("--from").arg(&path));
    assert_eq!((again.stdout, again.code), (live.stdout.clone(), live.code));
    // Also from stdin.
    let piped = run(doctor().args(["--json", "--from", "-"]).write_stdin(live.stdout.clone()));
    assert_eq!((piped.stdout, piped.code), (live.stdout, live.code));
}

#[test]
fn what_is_asked_of_a_snapshot_counts() {
    let file = program::snapshot(HEALTHY);
    let ask = |flags: &[&str]| run(doctor().arg("--from").arg(file.path()).args(flags)).code;
    assert_eq!(ask(&[]), 0);
    assert_eq!(ask(&["--framework", "torch"]), 0);
    let eight = run(doctor().arg("--json").arg("--from").arg(file.path()).args(["--expect-gpus", "8"]));
    let report: Value = serde_json::from_str(&eight.stdout).unwrap();
    assert!(report["checks"].to_string().contains("fewer-gpus-than-expected"), "{report}");
    let only = run(doctor().arg("--json").arg("--from").arg(file.path()).args(["--only", "kernel-driver"]));
    let report: Value = serde_json::from_str(&only.stdout).unwrap();
    let statuses: Vec<&str> =
        report["checks"].as_array().unwrap().iter().filter_map(|c| c["status"].as_str()).collect();
    assert_eq!(statuses.iter().filter(|s| **s == "deselected").count(), 10);
}

#[test]
fn a_bad_snapshot_is_named_with_the_place_and_what_to_do() {
    let good = std::fs::read(program::snapshot(HEALTHY).path()).unwrap();
    let text = String::from_utf8(good.clone()).unwrap();
    let line = |needle: &str| text.lines().position(|l| l.contains(needle)).unwrap() + 1;
    let wrong = text.replacen("\"value\": \"linux\"", "\"value\": 7", 1);
    let wrong_line = format!("line {}, column 5: the value of host.os", line("\"key\": \"host.os\"") - 1);
    let cases: Vec<(Vec<u8>, &str)> = vec![
        (good[..good.len() / 2].to_vec(), "ends in the middle, at line"),
        (b"".to_vec(), "is empty"),
        (b"no json at all".to_vec(), "is not JSON: line 1"),
        (b"{\"name\": \"other\"}".to_vec(), "is not a snapshot of gpu-doctor"),
        (b"\x00\x01\x02\xff".to_vec(), "is not text"),
        (text.replace("\"schema_version\": 1", "\"schema_version\": 2").into_bytes(), "has schema_version 2"),
        (wrong.into_bytes(), &wrong_line),
        (text.replace("\"facts\": [", "\"facts\": 5, \"x\": [").into_bytes(), "invalid type: integer `5`"),
        ("[".repeat(1_000_000).into_bytes(), "recursion limit"),
    ];
    for (bytes, sentence) in cases {
        let file = file(&bytes);
        let got = judge(file.path(), &[]);
        assert_eq!((got.code, got.stdout.as_str()), (2, ""), "{sentence}: {}", got.stderr);
        assert!(got.stderr.contains(sentence), "{sentence}: {}", got.stderr);
        assert!(got.stderr.contains(file.path().to_str().unwrap()), "{}", got.stderr);
        assert_eq!(got.stderr.lines().count(), 1, "{}", got.stderr);
    }
    let missing = judge(Path::new("/no/such/file.json"), &[]);
    assert_eq!((missing.code, missing.stderr.as_str()), (2, "error: cannot read /no/such/file.json: no such file\n"));
    let folder = judge(Path::new("/etc"), &[]);
    assert_eq!((folder.code, folder.stderr.as_str()), (2, "error: cannot read /etc: it is a directory\n"));
}

#[test]
#[cfg(target_os = "linux")]
fn a_snapshot_without_end_is_not_read_to_its_end() {
    let got = judge(Path::new("/dev/zero"), &[]);
    assert_eq!((got.code, got.stderr.as_str()), (2, "error: cannot read /dev/zero: it is longer than 64 MiB\n"));
}

#[test]
fn control_characters_of_a_snapshot_do_not_reach_the_terminal() {
    let name = "RTX \\u001b[2J\\u009b31m\\u202e\\u0007 4090";
    let file = program::snapshot(&format!("from healthy\npci.name gpu 0000:01:00.0 = \"{name}\""));
    for flags in [&["--verbose"][..], &["--json"], &[]] {
        let got = run(doctor().env("LC_ALL", "C.UTF-8").arg("--from").arg(file.path()).args(flags));
        let unsafe_char = |c: char| c != '\n' && (c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c));
        assert!(!got.stdout.contains(unsafe_char), "{flags:?}");
        assert!(got.stdout.contains("4090"), "{flags:?}");
    }
    // Nor do those of a name or of what is complained about.
    let got = run(doctor().args(["explain", "\u{1b}[31mred"]));
    assert_eq!(got.code, 2);
    assert!(!got.stderr.contains('\u{1b}'), "{:?}", got.stderr);
}

#[test]
#[cfg(unix)]
fn a_saved_file_is_whole_private_and_never_somebody_elses() {
    use std::os::unix::fs::PermissionsExt;
    let from = program::snapshot(NO_DRIVER);
    let folder = tempfile::tempdir().unwrap();
    let save = |path: &Path| run(doctor().arg("--from").arg(from.path()).arg("--save").arg(path));
    let entries = || std::fs::read_dir(folder.path()).unwrap().count();

    let fresh = folder.path().join("fresh.json");
    assert_eq!(save(&fresh).code, 1);
    assert_eq!(std::fs::metadata(&fresh).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(std::fs::read(&fresh).unwrap(), std::fs::read(from.path()).unwrap());
    // Once more over itself.
    assert_eq!(save(&fresh).code, 1);
    assert_eq!(entries(), 1);

    let notes = folder.path().join("notes.txt");
    std::fs::write(&notes, "dear diary").unwrap();
    let got = save(&notes);
    assert_eq!((got.code, got.stdout.as_str()), (2, ""));
    assert!(got.stderr.contains("notes.txt: it exists and holds something else"), "{}", got.stderr);
    assert_eq!(std::fs::read_to_string(&notes).unwrap(), "dear diary");

    // A link is replaced; what it leads to stays.
    let target = folder.path().join("target.json");
    std::fs::copy(&fresh, &target).unwrap();
    std::fs::write(&target, "{\"schema_version\": 1}").unwrap();
    let link = folder.path().join("link.json");
    std::os::unix::fs::symlink(&target, &link).unwrap();
    assert_eq!(save(&link).code, 1);
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "{\"schema_version\": 1}");
    assert!(!std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(entries(), 4);

    for (path, sentence) in [
        (folder.path().to_path_buf(), "it is a directory"),
        (folder.path().join("no/such.json"), "no such file"),
        (fresh.join("below.json"), "not a folder"),
    ] {
        let got = save(&path);
        assert_eq!((got.code, got.stdout.as_str()), (2, ""), "{}", path.display());
        assert!(got.stderr.contains(sentence), "{sentence}: {}", got.stderr);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn where_saving_fails_at_the_end_the_report_is_not_lost() {
    let from = program::snapshot(HEALTHY);
    for (path, sentence) in
        [("/dev/full", "cannot save /dev/full: no space left on device"), ("/proc/x.json", "cannot save /proc/x.json")]
    {
        let got = run(doctor().arg("--from").arg(from.path()).args(["--save", path]));
        assert_eq!(got.code, 2, "{path}: {}", got.stderr);
        assert!(got.stderr.contains(sentence), "{path}: {}", got.stderr);
        assert_eq!(got.stderr.lines().count(), 1);
    }
    assert!(std::fs::metadata("/dev/full").unwrap().file_type().is_char_device());
    // A stream is written to, not replaced.
    let got = run(doctor().arg("--from").arg(from.path()).args(["--save", "/dev/stderr"]));
    assert_eq!(got.code, 0);
    assert_eq!(got.stderr.as_bytes(), std::fs::read(from.path()).unwrap());
}

#[cfg(target_os = "linux")]
use std::os::unix::fs::FileTypeExt as _;

#[test]
fn the_largest_machine_is_judged_and_told() {
    use common::largest;
    let report = largest::report();
    let gpus = report.facts.subjects(gpu_doctor::subject::Kind::Gpu);
    let environments = report.facts.subjects(gpu_doctor::subject::Kind::Environment);
    assert_eq!((gpus.len(), environments.len()), (16, 20));
    // The ill GPUs and the environments of every kind are told of.
    let slugs: Vec<&str> = report.root_causes.iter().map(|cause| cause.slug).collect();
    for slug in ["gpu-fell-off-bus", "torch-cpu-only-wheel"] {
        assert!(slugs.contains(&slug), "{slugs:?}");
    }
    let document = json::document(&report).unwrap();
    assert!(document.len() > 500_000, "{}", document.len());
    assert_valid(&schema(), &String::from_utf8(document).unwrap());
}
