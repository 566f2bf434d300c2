//! What each form of a report promises. That others read them is tested with their own programs in tests/readers.
#![allow(clippy::disallowed_methods)]

mod common;

use common::program::{BARE, Got, HEALTHY, NO_DRIVER, doctor, report, run, snapshot};
use common::{hostile, largest};
use gpu_doctor::machine::console::Console;
use gpu_doctor::render::{self, FORMATS, View, json};
use gpu_doctor::report::{Report, Verdict};
use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, Instant};

const THROTTLED: &str = "from healthy\nnvml.clock_reasons gpu 0000:01:00.0 = 8";
const CONSOLE: Console = Console { width: 80, colour: false, unicode: true };

/// The machines, by name, that the readers and examples are tried with as well.
fn machines() -> Vec<(&'static str, Report, Verdict)> {
    vec![
        ("ready", report(HEALTHY), Verdict::Ready),
        ("degraded", report(THROTTLED), Verdict::Degraded),
        ("not-ready", report(NO_DRIVER), Verdict::NotReady),
        ("inconclusive", report(BARE), Verdict::Inconclusive),
        ("hostile", hostile::report(), Verdict::NotReady),
        ("largest", largest::report(), Verdict::Degraded),
    ]
}

fn print(format: &str, from: &Path, flags: &[&str]) -> Got {
    run(doctor().args(["check", "--format", format, "--from"]).arg(from).args(flags))
}

fn rendered(format: &str, report: &Report, strict: bool) -> String {
    let view = View { report, console: &CONSOLE, verbose: false, strict };
    String::from_utf8((render::by_name(format).unwrap().render)(&view).unwrap()).unwrap()
}

#[test]
fn the_machines_have_the_verdict_that_they_stand_for() {
    // tests/readers and tests/examples say where they want them.
    let own = tempfile::tempdir().unwrap();
    let folder = std::env::var_os("GPU_DOCTOR_MACHINES").map_or(own.path().to_path_buf(), Into::into);
    for (name, report, verdict) in machines() {
        assert_eq!(report.verdict, verdict, "{name}");
        std::fs::write(folder.join(format!("{name}.json")), json::document(&report).unwrap()).unwrap();
    }
}

#[test]
fn exit_status_is_that_of_the_contract_but_for_plugins() {
    let verdicts = [THROTTLED, HEALTHY, NO_DRIVER, BARE].map(snapshot);
    for format in FORMATS.iter().map(|format| format.name) {
        let expected = match format {
            // Degraded, ready, not ready, inconclusive; then strictly.
            "nagios" => [[1, 0, 2, 3], [1, 0, 2, 3]],
            "npd" => [[0, 0, 1, 2], [1, 0, 1, 2]],
            _ => [[0, 0, 1, 3], [1, 0, 1, 3]],
        };
        for (flags, expected) in [&[][..], &["--strict"]].into_iter().zip(expected) {
            let got: Vec<i32> = verdicts.iter().map(|file| print(format, file.path(), flags).code).collect();
            assert_eq!(got, expected, "{format} {flags:?}");
        }
    }
}

#[test]
fn a_plugin_says_on_stdout_what_went_wrong_and_its_status_is_unknown() {
    let nagios = [
        (&["check", "--format", "nagios", "--nonsense"][..], "unexpected argument '--nonsense' found"),
        (&["--format=nagios", "--from", "/no/such/file"], "cannot read /no/such/file: no such file"),
        (&["--json", "--format", "nagios"], "the argument '--json' cannot be used with '--format <FORMAT>'"),
        (&["--format", "nagios", "-o", "/no/such/folder/file"], "cannot write /no/such/folder/file"),
        (&["--format", "nagios", "--only", "nvml", "--skip", "nvml"], "--only nvml and --skip nvml contradict"),
    ];
    for (line, words) in nagios {
        let got = run(doctor().args(line));
        assert_eq!(got.code, 3, "{line:?}");
        assert!(got.stdout.starts_with("GPU-DOCTOR UNKNOWN - error: ") && got.stdout.contains(words), "{}", got.stdout);
        assert_eq!(got.stdout.lines().count(), 1);
        assert!(got.stderr.starts_with("error: ") && got.stderr.contains(words), "{}", got.stderr);
        // node-problem-detector reads 80 bytes.
        let line: Vec<String> = line.iter().map(|word| word.replace("nagios", "npd")).collect();
        let got = run(doctor().args(line));
        assert_eq!(got.code, 2);
        assert!(got.stdout.starts_with("gpu-doctor: error: ") && got.stdout.len() <= 80, "{}", got.stdout);
        assert_eq!(got.stdout.lines().count(), 1);
    }
    // What no format is asked for stays as it is.
    let got = run(doctor().args(["check", "--format", "nonsense"]));
    assert_eq!((got.code, got.stdout.as_str()), (2, ""));
    for format in FORMATS.iter().map(|format| format.name) {
        assert!(got.stderr.contains(format), "{format}: {}", got.stderr);
    }
    // Nor is help an error.
    assert_eq!(run(doctor().args(["check", "--format", "nagios", "--help"])).code, 0);
}

#[test]
fn flags_that_contradict_each_other_are_named() {
    for (line, words) in [
        ("--json --format json", &["--json", "--format"][..]),
        ("--json --format text", &["--json", "--format"]),
        ("--verbose --format json", &["--verbose", "--format json"]),
        ("--json --verbose", &["--json", "--verbose"]),
    ] {
        let got = run(doctor().args(line.split(' ')));
        assert_eq!((got.code, got.stdout.as_str()), (2, ""), "{line}");
        assert!(words.iter().all(|word| got.stderr.contains(word)), "{line}: {}", got.stderr);
    }
}

#[test]
fn a_line_is_cut_where_a_character_ends() {
    for n in 0..8 {
        let name = format!("/{}{}", "x".repeat(n), "é→😀".repeat(30));
        let got = run(doctor().args(["--format", "npd", "--from", &name]));
        // `run` would have refused what is no UTF-8.
        assert!(got.stdout.len() <= 80 && got.stdout.len() > 70, "{}", got.stdout.len());
        assert!(got.stdout.ends_with("...\n"), "{}", got.stdout);
    }
}

#[test]
fn a_row_that_was_not_measured_or_is_unknown_is_no_passed_case() {
    // The driver and the framework fail; the bus and the masks are well; the other eight were not measured or cannot be known.
    let xml = rendered("junit", &report(NO_DRIVER), false);
    assert!(
        xml.contains("<testsuite name=\"gpu-doctor\" tests=\"12\" failures=\"2\" errors=\"0\" skipped=\"8\""),
        "{xml}"
    );
    for (id, subject) in [("gpu-present", "GPU 0000:01:00.0"), ("visibility", "machine")] {
        assert!(xml.contains(&format!("<testcase classname=\"gpu-doctor.{id}\" name=\"{subject}\"/>")), "{id}");
    }
    assert!(xml.contains("<skipped type=\"skip\" message=\"not measured: kernel-driver has to work first\"/>"));
    assert!(xml.contains("<skipped type=\"unknown\" message=\"torch is built for CUDA 13.0"));
    assert!(xml.contains("<failure type=\"fail\" message=\"the nvidia module is not loaded\">"));
    assert!(xml.contains("GD201 No NVIDIA driver is installed"));
    // Where what is unknown keeps the answer open, it is an error: the exit status is not 0 either.
    let xml = rendered("junit", &report(BARE), false);
    assert!(xml.contains("errors=\"10\" skipped=\"1\""), "{xml}");
    assert!(xml.contains("<error type=\"unknown\" message=\"cuInit was not called\"/>"));
}

#[test]
fn every_row_is_a_case_of_its_own_name() {
    for (name, report, _) in machines() {
        let xml = rendered("junit", &report, false);
        let cases: Vec<&str> = xml.lines().filter(|line| line.contains("<testcase ")).collect();
        assert_eq!(cases.len(), report.checks.len(), "{name}");
        let names: HashSet<&str> =
            cases.iter().map(|line| line.split("/>").next().unwrap().trim_end_matches('>')).collect();
        assert_eq!(names.len(), cases.len(), "{name}");
    }
}

#[test]
fn a_warning_is_a_failed_case_only_where_it_is_one_for_the_exit_status() {
    assert!(rendered("junit", &report(THROTTLED), false).contains("failures=\"0\" errors=\"0\" skipped=\"0\""));
    assert!(rendered("junit", &report(THROTTLED), true).contains("failures=\"1\" errors=\"0\" skipped=\"0\""));
}

#[test]
fn what_does_not_end_well_is_never_all_green_for_ci() {
    for (name, report, verdict) in machines() {
        let xml = rendered("junit", &report, false);
        let red = xml.contains("<failure") || xml.contains("<error");
        assert!(red || verdict.status(false) == 0, "{name}");
        let annotations = rendered("github", &report, false);
        assert_eq!(annotations.lines().next().unwrap().starts_with("::error"), verdict.status(false) != 0, "{name}");
    }
}

#[test]
fn annotations_name_the_cause_and_the_fix() {
    let text = rendered("github", &report(NO_DRIVER), false);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "::error title=gpu-doctor::Not ready: no GPU can be used. Found: 1 problem.");
    assert!(lines[1].starts_with("::error title=gpu-doctor GD201%3A No NVIDIA driver is installed::"), "{text}");
    assert!(lines[1].contains("%0Asudo reboot%0AMore: gpu-doctor explain GD201"), "{text}");
    assert_eq!(lines.len(), 2);
    assert_eq!(rendered("github", &report(HEALTHY), false), "::notice title=gpu-doctor::Ready: the GPU can be used.\n");
    let strict = rendered("github", &report(THROTTLED), true);
    assert!(strict.starts_with("::error ") && rendered("github", &report(THROTTLED), false).starts_with("::warning "));
}

#[test]
fn the_summary_of_a_job_grows_by_the_markdown() {
    let from = snapshot(NO_DRIVER);
    let folder = tempfile::tempdir().unwrap();
    let summary = folder.path().join("summary.md");
    let annotate = |summary: &Path| {
        let mut command = doctor();
        run(command.env("GITHUB_STEP_SUMMARY", summary).args(["--format", "github", "--from"]).arg(from.path()))
    };
    std::fs::write(&summary, "# Of another step\n").unwrap();
    let plain = print("github", from.path(), &[]);
    let got = annotate(&summary);
    assert_eq!((got.stdout, got.stderr.as_str(), got.code), (plain.stdout, "", 1));
    let markdown = print("markdown", from.path(), &[]).stdout;
    assert_eq!(std::fs::read_to_string(&summary).unwrap(), format!("# Of another step\n{markdown}"));
    // Other formats leave it alone, and an empty name is none.
    run(doctor().env("GITHUB_STEP_SUMMARY", &summary).args(["--format", "markdown", "--from"]).arg(from.path()));
    assert_eq!(std::fs::read_to_string(&summary).unwrap().len(), "# Of another step\n".len() + markdown.len());
    assert_eq!(annotate(Path::new("")).code, 1);
    // Where it cannot be written, the annotations are there all the same.
    let got = annotate(folder.path());
    assert_eq!((got.code, got.stdout.is_empty()), (2, false));
    assert!(got.stderr.starts_with("error: cannot write $GITHUB_STEP_SUMMARY: "), "{}", got.stderr);
}

#[test]
fn triage_has_the_forms_that_fit_a_text() {
    let text = "Traceback (most recent call last):\nAssertionError: Torch not compiled with CUDA enabled\n";
    let triage = |flags: &[&str]| run(doctor().arg("triage").args(flags).write_stdin(text));
    let [plain, json, markdown] = ["text", "json", "markdown"].map(|format| triage(&["--format", format]));
    assert_eq!(plain.stdout, triage(&[]).stdout);
    assert!(json.stdout.starts_with('{') && markdown.stdout.contains("GD501"), "{}", markdown.stdout);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("answer.md");
    let got = triage(&["--format", "markdown", "-o", file.to_str().unwrap()]);
    assert_eq!((got.code, got.stdout.as_str()), (1, ""), "{}", got.stderr);
    // But for the second in which it was made.
    let timeless =
        |text: String| text.lines().filter(|line| !line.starts_with("Seen at ")).collect::<Vec<_>>().join("\n");
    assert_eq!(timeless(std::fs::read_to_string(&file).unwrap()), timeless(markdown.stdout));
    for (flags, words) in [
        (&["--format", "nagios"][..], &["nagios", "markdown"][..]),
        (&["--format", "json", "--json"], &["--json", "--format"]),
        (&["--each", "--format", "markdown"], &["--each", "--format"]),
        (&["--each", "-o", "x"], &["--each", "--output"]),
    ] {
        let got = triage(flags);
        // `--format nagios` names the exit status as well.
        assert_eq!(got.code, if flags.contains(&"nagios") { 3 } else { 2 }, "{flags:?}");
        assert!(words.iter().all(|word| got.stderr.contains(word)), "{flags:?}: {}", got.stderr);
    }
}

#[test]
fn metrics_count_what_the_report_says() {
    let text = rendered("prometheus", &report(NO_DRIVER), false);
    // 2026-01-31 is 20,484 days after 1970-01-01.
    for line in [
        format!("gpu_doctor_last_run_timestamp_seconds {}", 20_484 * 86_400 + 12 * 3600).as_str(),
        "gpu_doctor_verdict{verdict=\"not_ready\"} 1",
        "gpu_doctor_verdict{verdict=\"ready\"} 0",
        "gpu_doctor_check_results{check=\"kernel-driver\",status=\"fail\"} 1",
        "gpu_doctor_check_results{check=\"kernel-driver\",status=\"pass\"} 0",
        "gpu_doctor_check_results{check=\"gpu-present\",status=\"pass\"} 1",
        "gpu_doctor_gpu_failed_checks{gpu=\"0000:01:00.0\"} 0",
        "gpu_doctor_faults{severity=\"error\"} 1",
        "gpu_doctor_faults{severity=\"note\"} 0",
        "gpu_doctor_root_cause{code=\"GD201\",name=\"driver-not-installed\",severity=\"error\"} 1",
    ] {
        assert!(text.lines().any(|l| l == line), "{line}:\n{text}");
    }
}

#[test]
fn series_are_bounded_and_stay_when_all_is_well() {
    let names = |text: &str| -> HashSet<String> {
        let lines = text.lines().filter(|line| !line.starts_with('#') && !line.contains("root_cause{"));
        lines.map(|line| line.rsplit_once(' ').unwrap().0.to_string()).collect()
    };
    let well = names(&rendered("prometheus", &report(HEALTHY), false));
    assert_eq!(well, names(&rendered("prometheus", &report(NO_DRIVER), false)));
    // With sixteen GPUs and twenty environments: fifteen GPUs more, and nothing per environment.
    assert_eq!(names(&rendered("prometheus", &largest::report(), false)).len(), well.len() + 15);
}

#[test]
fn a_plugins_line_says_the_state_the_cause_and_figures() {
    assert_eq!(
        rendered("nagios", &report(NO_DRIVER), false),
        "GPU-DOCTOR CRITICAL - Not ready: no GPU can be used. GD201 No NVIDIA driver is installed: NVIDIA GeForce RTX 4090 \
         (0000:01:00.0) is there, and nothing that drives it. | problems=1;;;0 warnings=0;;;0 passed=2;;;0 failed=2;;;0 \
         unknown=2;;;0\n"
    );
    assert!(rendered("nagios", &report(HEALTHY), false).starts_with("GPU-DOCTOR OK - Ready: the GPU can be used. | "));
    assert!(rendered("nagios", &report(THROTTLED), false).starts_with("GPU-DOCTOR WARNING - Degraded: "));
    assert!(rendered("nagios", &report(BARE), false).starts_with("GPU-DOCTOR UNKNOWN - Inconclusive: "));
    assert_eq!(rendered("npd", &report(HEALTHY), false), "gpu-doctor: ready: the GPU can be used.\n");
    assert_eq!(rendered("npd", &report(NO_DRIVER), false), "gpu-doctor: GD201 No NVIDIA driver is installed\n");
    assert_eq!(rendered("npd", &report(THROTTLED), false), "gpu-doctor: GD804 The clocks of the GPU are held down\n");
}

#[test]
fn hostile_facts_break_no_format() {
    let unsafe_char = |c: char| c != '\n' && gpu_doctor::render::escape::is_unsafe(c);
    for (name, report, _) in machines() {
        for format in FORMATS.iter().map(|format| format.name) {
            let text = rendered(format, &report, false);
            assert!(!text.contains(unsafe_char), "{format} {name}");
            assert!(text.ends_with('\n') && !text.contains("\n\n\n"), "{format} {name}");
            match format {
                "nagios" | "npd" => assert_eq!(text.lines().count(), 1, "{format} {name}: {text}"),
                "github" => {
                    assert_eq!(text.lines().count(), 1 + report.groups().len(), "{name}: {text}");
                    let known = ["::error title=", "::warning title=", "::notice title="];
                    assert!(
                        text.lines().all(|line| known.iter().any(|start| line.starts_with(start))),
                        "{name}: {text}"
                    );
                }
                "prometheus" => {
                    let known = ["# HELP gpu_doctor_", "# TYPE gpu_doctor_", "gpu_doctor_"];
                    assert!(
                        text.lines().all(|line| known.iter().any(|start| line.starts_with(start))),
                        "{name}: {text}"
                    );
                }
                _ => {}
            }
        }
        let nagios = rendered("nagios", &report, false);
        assert_eq!(nagios.contains("::error title=pwned::pwned"), name == "hostile", "{nagios}");
        assert_eq!(nagios.matches('|').count(), 1, "{name}: {nagios}");
        assert!(nagios.len() < 1024, "{name}: {}", nagios.len());
        assert!(rendered("npd", &report, false).len() <= 80, "{name}");
    }
}

#[test]
#[cfg(unix)]
fn metrics_can_be_read_by_the_exporter_whatever_the_umask() {
    use std::os::unix::fs::PermissionsExt;
    let from = snapshot(HEALTHY);
    let folder = tempfile::tempdir().unwrap();
    for (format, mode) in [("prometheus", 0o644), ("junit", 0o600)] {
        let file = folder.path().join(format);
        let script = "umask 077; exec \"$0\" check --format \"$1\" --from \"$2\" -o \"$3\"";
        let program = assert_cmd::cargo::cargo_bin!("gpu-doctor");
        let mut shell = assert_cmd::Command::new("/bin/sh");
        let got = run(shell.args(["-c", script]).arg(program).arg(format).arg(from.path()).arg(&file));
        assert_eq!((got.code, got.stderr.as_str()), (0, ""));
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, mode, "{format}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn what_cannot_be_written_has_the_status_that_the_format_has_for_it() {
    let from = snapshot(HEALTHY);
    let folder = tempfile::tempdir().unwrap();
    let notes = folder.path().join("notes");
    std::fs::write(&notes, "my notes").unwrap();
    for format in FORMATS {
        let broken = i32::from((format.status)(None, false));
        for (path, words) in [
            (notes.as_path(), "it exists and holds something else"),
            (folder.path(), "it is a directory"),
            (Path::new("/dev/full"), "no space left on device"),
            (Path::new("/proc/report"), "/proc/report: "),
        ] {
            let got = print(format.name, from.path(), &["-o", path.to_str().unwrap()]);
            assert_eq!(got.code, broken, "{} {}: {}", format.name, path.display(), got.stderr);
            assert!(got.stderr.contains(words) && got.stderr.lines().count() == 1, "{}: {}", format.name, got.stderr);
            assert_eq!(got.stdout.is_empty(), format.complain.is_none(), "{}: {}", format.name, got.stdout);
        }
        // And a full disk behind stdout.
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = std::process::Command::new(assert_cmd::cargo::cargo_bin!("gpu-doctor"))
            .args(["--format", format.name, "--from"])
            .arg(from.path())
            .stdout(full)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(broken), "{}", format.name);
        assert_eq!(
            String::from_utf8_lossy(&output.stderr),
            "error: cannot write to stdout: no space left on device\n",
            "{}",
            format.name
        );
    }
    assert_eq!(std::fs::read_to_string(&notes).unwrap(), "my notes");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
#[cfg(unix)]
fn a_reader_that_leaves_or_takes_one_line_changes_no_status() {
    let from = snapshot(NO_DRIVER);
    for format in FORMATS.iter().map(|format| format.name) {
        let whole = print(format, from.path(), &[]);
        for reader in ["true", "head -1"] {
            let script = format!("\"$0\" --format {format} --from \"$1\" | {reader}; exit ${{PIPESTATUS[0]}}");
            let mut shell = assert_cmd::Command::new("/bin/bash");
            shell.env("LC_ALL", "C");
            let got =
                run(shell.args(["-c", &script]).arg(assert_cmd::cargo::cargo_bin!("gpu-doctor")).arg(from.path()));
            assert_eq!((got.code, got.stderr.as_str()), (whole.code, ""), "{format} | {reader}");
            let first = whole.stdout.lines().next().unwrap();
            assert!(reader == "true" || got.stdout.trim_end() == first, "{format}: {}", got.stdout);
        }
    }
    let value: serde_json::Value = serde_json::from_str(&print("json", from.path(), &[]).stdout).unwrap();
    assert_eq!(value["verdict"], "not_ready");
}

#[test]
fn every_format_of_the_largest_machine_takes_less_than_20_ms() {
    let report = largest::report();
    for format in FORMATS {
        let view = View { report: &report, console: &CONSOLE, verbose: false, strict: false };
        // The best of several: the machine may be busy. This build is not optimized, which costs a factor of ten or twenty;
        // benches/check.rs measures one that is.
        let best = (0..5)
            .map(|_| {
                let start = Instant::now();
                (format.render)(&view).unwrap();
                start.elapsed()
            })
            .min()
            .unwrap();
        let most = if cfg!(debug_assertions) { 600 } else { 20 };
        assert!(best < Duration::from_millis(most), "{}: {best:?}", format.name);
    }
}

/// Puts a text between a line and another.
#[cfg(unix)]
fn renew(document: &mut String, begin: &str, end: &str, text: &str) {
    let start = document.find(begin).unwrap_or_else(|| panic!("docs/formats.md has no {begin:?}")) + begin.len();
    let end = start + document[start..].find(end).unwrap();
    document.replace_range(start..end, text);
}

#[test]
#[cfg(unix)]
fn the_outputs_in_the_documentation_are_real() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/formats.md");
    let kept = std::fs::read_to_string(&path).unwrap().replace("\r\n", "\n");
    let mut made = kept.clone();
    let mut table =
        "| format | for | exit status: ready, degraded, not ready, inconclusive, error |\n|---|---|---|\n".to_string();
    for format in FORMATS {
        assert!(
            made.contains(&format!("\n## {}\n", format.name)),
            "docs/formats.md says nothing about {}",
            format.name
        );
        let verdicts = [Verdict::Ready, Verdict::Degraded, Verdict::NotReady, Verdict::Inconclusive].map(Some);
        let codes: Vec<String> =
            verdicts.into_iter().chain([None]).map(|verdict| (format.status)(verdict, false).to_string()).collect();
        table += &format!("| `{}` | {} | {} |\n", format.name, format.about, codes.join(", "));
    }
    renew(&mut made, "<!-- formats -->\n", "<!-- end -->", &table);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("not-ready.json"), json::document(&report(NO_DRIVER)).unwrap()).unwrap();
    let outputs = [
        ("junit", "--format junit --from not-ready.json", "sed '/<system-out>/,$d'"),
        ("github", "--format github --from not-ready.json", ""),
        ("prometheus", "--format prometheus --from not-ready.json", "grep -v ' 0$'"),
        ("nagios", "--format nagios --from not-ready.json", ""),
        ("nagios-error", "--format nagios --from no-such.json 2> /dev/null", ""),
        ("npd", "--format npd --from not-ready.json", ""),
    ];
    for (name, flags, filter) in outputs {
        let filter = if filter.is_empty() { String::new() } else { format!(" | {filter}") };
        let script = format!("gpu-doctor check {flags}{filter}; echo \"exit ${{PIPESTATUS[0]}}\"");
        let program = Path::new(assert_cmd::cargo::cargo_bin!("gpu-doctor")).parent().unwrap();
        let mut shell = assert_cmd::Command::new("/bin/bash");
        shell.current_dir(folder.path()).env("PATH", format!("{}:/usr/bin:/bin", program.display()));
        let got = run(shell.env("LC_ALL", "C").env_remove("GITHUB_STEP_SUMMARY").args(["-c", &script]));
        assert_eq!(got.stderr, "", "{name}");
        let (output, code) = got.stdout.rsplit_once("exit ").unwrap();
        let text = format!("$ gpu-doctor check {flags}{filter}\n{output}# exit status {code}");
        renew(&mut made, &format!("<!-- output: {name} -->\n```text\n"), "```\n", &text);
    }
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &made).unwrap();
    } else {
        assert!(made == kept, "docs/formats.md is old: UPDATE_DOCS=1 cargo test --test formats");
    }
}
