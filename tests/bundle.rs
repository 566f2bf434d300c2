//! `report --bundle`: one archive with everything, private, the same for the same contents, and with nothing given away.
#![cfg(unix)]
#![allow(clippy::disallowed_methods)]

mod common;

use common::fake::{CU124, Fake};
use common::program::{HEALTHY, NO_DRIVER, doctor, file, report, run, snapshot};
use flate2::read::GzDecoder;
use gpu_doctor::facts::kernel;
use gpu_doctor::render::json;
use gpu_doctor::report::Report;
use gpu_doctor::subject::Subject;
use std::collections::BTreeMap;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// Names and texts of an archive; every entry must be a plain private file of nobody.
fn unpack(path: &Path) -> BTreeMap<String, String> {
    let mut archive = tar::Archive::new(GzDecoder::new(std::fs::File::open(path).unwrap()));
    let mut found = BTreeMap::new();
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let header = entry.header();
        assert_eq!(header.entry_type(), tar::EntryType::Regular);
        assert_eq!((header.uid().unwrap(), header.gid().unwrap(), header.mode().unwrap()), (0, 0, 0o600));
        let name = entry.path().unwrap().to_str().unwrap().strip_prefix("gpu-doctor-report/").unwrap().to_string();
        let mut text = String::new();
        entry.read_to_string(&mut text).unwrap();
        assert!(found.insert(name, text).is_none());
    }
    found
}

const SMI: &str = r#"#!/bin/sh
if [ "$1" = -q ]; then
  echo "    Serial Number                         : 1323021012345"
  echo "    GPU UUID                              : GPU-7a1b2c3d-1111-2222-3333-444455556666"
  echo "    VBIOS Version                         : 95.02.3C.00.91"
  echo "        Process ID                        : 4711"
  echo "            Name                          : /home/annabel/train.py --token hf_abcdefghijklmnopqrstuvwxyz"
  exit 0
fi
echo "NVIDIA-SMI has failed because it could not communicate with the NVIDIA driver."
exit 9
"#;

#[test]
fn a_bundle_of_a_machine_has_the_report_its_snapshot_and_the_texts_behind_it() {
    let machine = Fake::new("one-gpu").driver("550.54.14", 1).torch(CU124).smi_program(SMI);
    // As pip would leave it.
    let folder = Command::new("sh")
        .args(["-c", "echo venv/lib/*/site-packages/torch-*.dist-info"])
        .current_dir(machine.at(""))
        .output();
    let folder = String::from_utf8(folder.unwrap().stdout).unwrap();
    let metadata = machine.at(folder.trim()).join("METADATA");
    std::fs::write(metadata, "Metadata-Version: 2.1\nName: torch\nVersion: 2.6.0+cu124\n").unwrap();
    let path = machine.at("report.tar.gz");
    let got = run(&mut machine.subcommand("report", &["--bundle", path.to_str().unwrap()]));
    assert_eq!(got.stdout, "");
    assert!([0, 1, 3].contains(&got.code), "{}", got.stderr);
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let files = unpack(&path);
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    for name in [
        "README.txt",
        "report.md",
        "report.json",
        "raw/nvidia-smi-q.txt",
        "raw/packages-1.txt",
        "raw/ldconfig-nvidia.txt",
    ] {
        assert!(names.contains(&name), "{names:?}");
        assert!(name == "README.txt" || files["README.txt"].contains(name), "{}", files["README.txt"]);
    }
    // The report is that of its snapshot, and has the exit status of the run.
    let saved = file(files["report.json"].as_bytes());
    let again = run(doctor().args(["report", "--from"]).arg(saved.path()));
    assert_eq!((again.stdout.as_str(), again.code), (files["report.md"].as_str(), got.code));
    // The texts have the same tokens.
    let smi = &files["raw/nvidia-smi-q.txt"];
    for part in [
        "Serial Number                         : <serial-1>",
        "GPU-<uuid-",
        "95.02.3C.00.91",
        "/home/<user-",
        "<secret>",
    ] {
        assert!(smi.contains(part), "{part}: {smi}");
    }
    assert!(files["raw/packages-1.txt"].contains("torch==2.6.0+cu124"), "{}", files["raw/packages-1.txt"]);
    for (name, text) in &files {
        for given_away in ["annabel", "hf_abc", "1323021012345", "7a1b2c3d"] {
            assert!(!text.contains(given_away), "{name} gives away {given_away}: {text}");
        }
    }
    // Without redaction identity is in it, and still no secret.
    let got = run(&mut machine.subcommand("report", &["--no-redact", "--bundle", path.to_str().unwrap()]));
    assert!([0, 1, 3].contains(&got.code), "{}", got.stderr);
    let open = &unpack(&path)["raw/nvidia-smi-q.txt"];
    assert!(open.contains("annabel") && open.contains("1323021012345") && !open.contains("hf_abc"), "{open}");
}

#[test]
fn a_bundle_of_a_snapshot_has_what_it_holds_and_is_the_same_each_time() {
    let mut facts = report(NO_DRIVER).facts;
    facts.seen(&kernel::LOG_LINE, &Subject::machine(), "[    1.0] NVRM: hello".to_string(), "kernel log");
    let saved = file(&json::document(&Report::of(facts, "2026-01-31T12:00:00Z".into())).unwrap());
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (folder.path().join("one.tar.gz"), folder.path().join("two.tar.gz"));
    let markdown = folder.path().join("report.md");
    for path in [&one, &two, &one] {
        let got = run(doctor().args(["report", "--from"]).arg(saved.path()).arg("--bundle").arg(path));
        assert_eq!((got.code, got.stdout.as_str(), got.stderr.as_str()), (1, "", ""));
    }
    assert_eq!(std::fs::read(&one).unwrap(), std::fs::read(&two).unwrap());
    let got =
        run(doctor().args(["report", "--from"]).arg(saved.path()).arg("--bundle").arg(&one).arg("-o").arg(&markdown));
    assert_eq!((got.code, got.stdout.as_str()), (1, ""));
    let files = unpack(&one);
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    assert_eq!(names, ["README.txt", "raw/kernel-log.txt", "report.json", "report.md"]);
    assert!(files["raw/kernel-log.txt"].contains("NVRM: hello"));
    assert_eq!(files["report.md"], std::fs::read_to_string(&markdown).unwrap());
    // Another program reads it as well.
    let listed = Command::new("tar").arg("-tvzf").arg(&one).output().unwrap();
    let text = String::from_utf8_lossy(&listed.stdout);
    assert!(
        listed.status.success() && text.contains("2026-01-31") && text.contains("gpu-doctor-report/report.md"),
        "{text}"
    );
}

#[test]
fn a_bundle_goes_into_no_link_no_device_and_no_file_of_somebody_else() {
    let from = snapshot(HEALTHY);
    let folder = tempfile::tempdir().unwrap();
    let bundle = |path: &Path| run(doctor().args(["report", "--from"]).arg(from.path()).arg("--bundle").arg(path));
    let (target, link, notes) =
        (folder.path().join("target.tar.gz"), folder.path().join("link.tar.gz"), folder.path().join("notes"));
    assert_eq!(bundle(&target).code, 0);
    let before = std::fs::read(&target).unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    std::fs::write(&notes, "my notes").unwrap();
    let dangling = folder.path().join("dangling");
    std::os::unix::fs::symlink(folder.path().join("nothing"), &dangling).unwrap();
    for (path, words) in [
        (link.as_path(), "it is a link"),
        (&dangling, "it is a link"),
        (&notes, "it exists and holds something else"),
        (folder.path(), "it is a directory"),
        (Path::new("/dev/full"), "it is not a file"),
        (Path::new("/dev/stdout"), "it is a link"),
        (Path::new("-"), "needs the name of a file"),
        (&folder.path().join("no/such.tar.gz"), "no such file"),
    ] {
        let got = bundle(path);
        assert_eq!((got.code, got.stdout.as_str()), (2, ""), "{}", path.display());
        assert!(got.stderr.contains(words) && got.stderr.lines().count() == 1, "{}: {}", path.display(), got.stderr);
    }
    assert_eq!(std::fs::read(&target).unwrap(), before);
    assert_eq!(std::fs::read_to_string(&notes).unwrap(), "my notes");
    assert!(!folder.path().join("nothing").exists());
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left.len(), 4, "{left:?}");
}
