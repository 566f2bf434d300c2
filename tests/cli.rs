//! What the command line promises, through the real binary.
#![allow(clippy::disallowed_methods)]

mod common;

use assert_cmd::Command;
use common::largest;
use common::program::{HEALTHY, NO_DRIVER, doctor, file, judge, run, snapshot};
use gpu_doctor::render::json;
use std::process::Stdio;

#[test]
fn help_of_everything_is_on_stdout() {
    for line in ["--help", "-h", "check --help", "explain --help", "list --help", "completions --help", "--version"] {
        let got = run(doctor().args(line.split(' ')));
        assert_eq!((got.code, got.stderr.as_str()), (0, ""), "{line}");
        assert!(got.stdout.contains("gpu-doctor"), "{line}");
        assert!(got.stdout.lines().all(|l| l.chars().count() <= 100), "{line}");
        assert!(!got.stdout.contains("__probe"), "{line}");
    }
    let help = run(doctor().arg("check").arg("--help")).stdout;
    let flags = "--json --python --framework --expect-gpus --only --skip --timeout --strict --passive --busy --verbose \
                 --color --save --from --root --root-live";
    for flag in flags.split_whitespace() {
        assert!(help.contains(flag), "{flag}");
    }
    assert!(help.contains("Examples:"));
}

#[test]
fn the_flags_of_check_are_accepted_without_the_word() {
    let file = snapshot(HEALTHY);
    let with = run(doctor().arg("check").arg("--json").arg("--from").arg(file.path()));
    let without = run(doctor().arg("--json").arg("--from").arg(file.path()));
    assert_eq!(with.stdout, without.stdout);
    assert_eq!(with.code, without.code);
    assert!(!with.stdout.is_empty());
}

#[test]
fn wrong_usage_is_said_and_is_2() {
    let cases: &[(&str, &[&str])] = &[
        ("--nonsense", &["--nonsense"]),
        ("nonsense", &["nonsense"]),
        ("check --only nvlm", &["nvlm", "nvml", "gpu-present", "tensor"]),
        ("check --skip everything", &["everything", "gpu-health"]),
        ("check --only nvml --skip nvml", &["--only nvml and --skip nvml"]),
        ("check --framework cobol", &["cobol", "torch"]),
        ("check --timeout 0", &["0", "1..=3600"]),
        ("check --timeout 99999999999999999999", &["99999999999999999999"]),
        ("check --timeout soon", &["soon"]),
        ("check --expect-gpus -1", &["-1"]),
        ("check --expect-gpus 0", &["0"]),
        ("check --color sometimes", &["sometimes", "always"]),
        ("check --passive --busy", &["--passive", "--busy"]),
        ("check --root-live", &["--root"]),
        ("check --root /no/such/folder", &["/no/such/folder", "no such folder"]),
        ("check --root /etc/passwd", &["/etc/passwd", "no such folder"]),
        ("check --from x --passive", &["--from", "--passive"]),
        ("check --from x --python y", &["--from", "--python"]),
        ("check --from x --root /", &["--from", "--root"]),
        ("check --from x --timeout 5", &["--from", "--timeout"]),
        ("check --save -", &["--save", "--json"]),
        ("check --python /no/such/python", &["/no/such/python", "no such file"]),
        ("check --python no-such-python", &["no-such-python", "no such file"]),
        ("check --python /etc", &["/etc", "bin/python"]),
        ("check --python /etc/passwd", &["/etc/passwd", "not an executable"]),
        ("check --root / --python python3", &["--root", "python3"]),
        ("explain", &["CODE|NAME"]),
        ("explain GD000", &["GD000", "gpu-doctor list"]),
        ("explain nvml", &["nvml is a check"]),
        ("completions", &["SHELL"]),
        ("completions cmd", &["cmd", "bash"]),
        ("list --nonsense", &["--nonsense"]),
    ];
    for (line, words) in cases {
        let got = run(doctor().args(line.split(' ')));
        assert_eq!((got.code, got.stdout.as_str()), (2, ""), "{line}: {}", got.stderr);
        for word in *words {
            assert!(got.stderr.contains(word), "{line} should name {word}: {}", got.stderr);
        }
        assert!(got.stderr.starts_with("error: "), "{line}: {}", got.stderr);
    }
}

#[test]
#[cfg(unix)]
fn an_argument_that_is_no_unicode_is_no_panic() {
    use std::os::unix::ffi::OsStrExt;
    let odd = std::ffi::OsStr::from_bytes(b"/no/\xff\xfe");
    for flag in ["--from", "--python", "--root", "--only", "explain"] {
        let got = run(doctor().arg(flag).arg(odd));
        assert_eq!(got.code, 2, "{flag}: {}", got.stderr);
        assert!(!got.stderr.contains("panicked") && !got.stderr.contains("broke"), "{flag}: {}", got.stderr);
    }
}

#[test]
fn list_names_every_check_and_cause() {
    let text = run(doctor().arg("list"));
    let json = run(doctor().args(["list", "--json"]));
    assert_eq!((text.code, json.code), (0, 0));
    let list: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    let ids: Vec<&str> = list["checks"].as_array().unwrap().iter().map(|c| c["id"].as_str().unwrap()).collect();
    let chain = "gpu-present kernel-driver device-access nvidia-smi nvml visibility cuda-driver cuda-runtime cuda-kernel \
                 framework tensor gpu-health program";
    assert_eq!(ids, chain.split_whitespace().collect::<Vec<_>>());
    for check in list["checks"].as_array().unwrap() {
        assert!(text.stdout.contains(check["title"].as_str().unwrap()));
    }
    for cause in list["causes"].as_array().unwrap() {
        for field in ["code", "slug", "title"] {
            assert!(text.stdout.contains(cause[field].as_str().unwrap()), "{cause}");
        }
        let slug = cause["slug"].as_str().unwrap();
        let code = cause["code"].as_str().unwrap().to_lowercase();
        let by_slug = run(doctor().args(["explain", slug]));
        assert_eq!(by_slug.code, 0, "{slug}");
        assert_eq!(by_slug.stdout, run(doctor().args(["explain", &code])).stdout, "{slug}");
        assert!(by_slug.stdout.contains("How to fix"), "{slug}");
        assert!(!by_slug.stdout.contains("```"), "{slug}");
        assert!(!by_slug.stdout.contains("Near miss"), "{slug}");
    }
}

#[test]
fn completions_exist_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let got = run(doctor().args(["completions", shell]));
        assert_eq!((got.code, got.stderr.as_str()), (0, ""), "{shell}");
        assert!(got.stdout.contains("gpu-doctor") && got.stdout.contains("expect-gpus"), "{shell}");
        assert!(!got.stdout.contains("__probe"), "{shell}");
    }
}

#[test]
fn a_reader_that_leaves_is_not_an_error() {
    let file = snapshot(NO_DRIVER);
    let json = ["--json", "--from", file.path().to_str().unwrap()];
    let text = ["--verbose", "--from", file.path().to_str().unwrap()];
    let lines: [(&[&str], i32); 5] =
        [(&json, 1), (&text, 1), (&["list"], 0), (&["completions", "bash"], 0), (&["--help"], 0)];
    for (line, code) in lines {
        let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin!("gpu-doctor"))
            .args(line)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The reader is gone before the first byte.
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{line:?}");
        assert_eq!(output.status.code(), Some(code), "{line:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_said_and_is_2() {
    let file = snapshot(HEALTHY);
    let from = ["--from", file.path().to_str().unwrap()];
    let json = ["--json", "--from", file.path().to_str().unwrap()];
    let lines: [&[&str]; 6] = [&from, &json, &["list"], &["completions", "zsh"], &["--help"], &["check", "--help"]];
    for line in lines {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = std::process::Command::new(assert_cmd::cargo::cargo_bin!("gpu-doctor"))
            .args(line)
            .stdout(full)
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line:?}: {stderr}");
        assert!(stderr.contains("no space left on device"), "{line:?}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{line:?}: {stderr}");
    }
}

#[test]
fn it_runs_with_nothing_in_the_environment_and_from_anywhere() {
    let file = snapshot(NO_DRIVER);
    let usual = judge(file.path(), &[]);
    let bare = |command: &mut Command| run(command.env_clear().arg("--from").arg(file.path()));
    let got = bare(doctor().current_dir("/"));
    assert_eq!((got.code, got.stdout), (usual.code, usual.stdout));
    // And live, with what needs no driver.
    let live = run(doctor().env_clear().current_dir("/").args(["--only", "visibility", "--json"]));
    assert!([0, 1, 3].contains(&live.code), "{}", live.stderr);
    assert_eq!(live.stderr, "");
    serde_json::from_str::<serde_json::Value>(&live.stdout).unwrap();
}

#[test]
#[cfg(target_os = "linux")]
fn it_runs_in_a_folder_that_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let gone = folder.path().join("gone");
    std::fs::create_dir(&gone).unwrap();
    let file = snapshot(HEALTHY);
    let script = format!("cd '{0}' && rmdir '{0}' && exec \"$1\" --from \"$2\"", gone.display());
    let got = run(Command::new("/bin/sh")
        .args(["-c", &script, "sh"])
        .arg(assert_cmd::cargo::cargo_bin!("gpu-doctor"))
        .arg(file.path()));
    assert_eq!((got.code, got.stderr.as_str()), (0, ""));
}

#[test]
fn colour_is_left_out_of_pipes_and_can_be_forced() {
    let file = snapshot(NO_DRIVER);
    let coloured = |command: &mut Command| run(command.arg("--from").arg(file.path())).stdout.contains('\u{1b}');
    assert!(!coloured(&mut doctor()));
    assert!(coloured(doctor().args(["--color", "always"])));
    assert!(coloured(doctor().env("CLICOLOR_FORCE", "1")));
    assert!(!coloured(doctor().env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1")));
    assert!(!coloured(doctor().env("CLICOLOR_FORCE", "1").args(["--color", "never"])));
    // JSON is for programs, whatever the environment says.
    assert!(!coloured(doctor().env("CLICOLOR_FORCE", "1").arg("--json")));
}

#[test]
fn signs_beyond_ascii_only_where_the_locale_has_them() {
    let file = snapshot(HEALTHY);
    let plain = judge(file.path(), &[("LC_ALL", "C")]);
    assert!(plain.stdout.is_ascii());
    assert!(plain.stdout.contains("+ pass"));
    assert!(judge(file.path(), &[("LC_ALL", "C.UTF-8")]).stdout.contains("✓ pass"));
}

#[test]
fn text_is_readable_in_40_and_in_200_columns_with_and_without_signs_and_colour() {
    let largest = file(&json::document(&largest::report()).unwrap());
    for path in [snapshot(HEALTHY).path(), snapshot(NO_DRIVER).path(), largest.path()] {
        for (columns, locale) in [(40, "C"), (40, "C.UTF-8"), (200, "C"), (200, "C.UTF-8")] {
            let got = judge(path, &[("COLUMNS", &columns.to_string()), ("LC_ALL", locale)]);
            assert!(!got.stdout.contains('\u{1b}'), "colours without a terminal");
            assert_eq!(got.stdout.is_ascii(), locale == "C", "{columns} {locale}");
            // Text is hard to read in longer lines, however wide the terminal is.
            let widest = columns.min(100);
            for line in got.stdout.lines().filter(|l| l.chars().count() > widest) {
                // A long path or a command stays in one piece; nothing else is longer.
                let words: Vec<&str> = line.split_whitespace().filter(|w| !matches!(*w, "-" | "[")).collect();
                let command = line.starts_with("      ");
                assert!(command || words.len() <= 2, "{columns} {locale}: {line:?}");
            }
            // Statuses are words, so that neither colours nor signs are needed.
            let rows = got.stdout.lines().take_while(|line| !line.is_empty());
            let starts = rows.filter(|line| !line.starts_with(' '));
            for line in starts {
                let word = line.split_whitespace().nth(1).unwrap_or_default();
                assert!(["pass", "warn", "fail", "unknown", "skipped", "n/a", "left"].contains(&word), "{line:?}");
            }
        }
    }
}

#[test]
fn a_name_that_is_nearly_right_is_suggested() {
    let got = run(doctor().args(["explain", "torch-cpu-only-weel"]));
    assert_eq!((got.code, got.stdout.as_str()), (2, ""));
    assert!(got.stderr.contains("did you mean torch-cpu-only-wheel"), "{}", got.stderr);
    assert_eq!(run(doctor().args(["explain", " gd501 "])).code, 0);
    let far = run(doctor().args(["explain", "xyzzy"]));
    assert!(!far.stderr.contains("did you mean"), "{}", far.stderr);
}
