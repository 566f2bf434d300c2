//! What `triage` promises, through the real binary: whatever a ticket holds, an answer with its lines, or the question that
//! would settle it.
#![allow(clippy::disallowed_methods)]

mod common;

use common::program::{HEALTHY, doctor, file, report, run};
use gpu_doctor::causes;
use gpu_doctor::diagnosis;
use gpu_doctor::render::json;
use gpu_doctor::triage::read_str;
use serde_json::Value;

/// A report of a CPU build on Windows with a GPU, as collect_env prints it.
const CPU_BUILD: &str = "\
Collecting environment information...
PyTorch version: 2.4.1
Is debug build: False
CUDA used to build PyTorch: Could not collect
ROCM used to build PyTorch: N/A

OS: Microsoft Windows 11 Pro
Python version: 3.11.9 (tags/v3.11.9:de54cf5, Apr  2 2024, 10:12:12) [MSC v.1938 64 bit (AMD64)] (64-bit runtime)
Python platform: Windows-10-10.0.22631-SP0
Is CUDA available: False
CUDA runtime version: 12.4.131
GPU models and configuration: GPU 0: NVIDIA GeForce RTX 4070
Nvidia driver version: 560.94
";

fn triage(text: &[u8], flags: &[&str]) -> common::program::Got {
    run(doctor().arg("triage").args(flags).write_stdin(text))
}

fn first(stdout: &str) -> (String, String, Value) {
    let report: Value = serde_json::from_str(stdout).unwrap();
    let cause = report["root_causes"][0].clone();
    let word = |name: &str| cause[name].as_str().unwrap_or_default().to_string();
    (word("slug"), word("confidence"), cause)
}

#[test]
fn an_answer_has_its_lines_and_the_way_out() {
    let got = triage(CPU_BUILD.as_bytes(), &["--json"]);
    assert_eq!((got.code, got.stderr.as_str()), (1, ""));
    let (slug, confidence, cause) = first(&got.stdout);
    assert_eq!((slug.as_str(), confidence.as_str()), ("torch-cpu-only-wheel", "certain"));
    let sources: Vec<&str> =
        cause["evidence"].as_array().unwrap().iter().filter_map(|e| e["source"].as_str()).collect();
    assert!(sources.contains(&"-:4"), "{sources:?}");
    let text = triage(CPU_BUILD.as_bytes(), &[]).stdout;
    for part in ["[-:4]", "GD501", "python -m pip", "Then check"] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    // Rows that nothing in the text speaks of are not shown.
    for row in ["cuda-kernel", "device-access", "skipped"] {
        assert!(!text.contains(row), "{row} is in\n{text}");
    }
}

#[test]
fn what_a_text_went_through_does_not_matter() {
    let quoted: String = CPU_BUILD.lines().map(|line| format!("> {line}\r\n")).collect();
    let indented: String = CPU_BUILD.lines().map(|line| format!("    {line}\n")).collect();
    let fenced = format!("Hello,\nit does not work.\n```\n{CPU_BUILD}```\nthanks");
    let coloured: String = CPU_BUILD.lines().map(|line| format!("\u{1b}[32m{line}\u{1b}[0m\n")).collect();
    let wide: Vec<u8> = format!("\u{feff}{CPU_BUILD}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let cut = &CPU_BUILD[..CPU_BUILD.find("GPU models").unwrap()];
    let all: [&[u8]; 6] =
        [quoted.as_bytes(), indented.as_bytes(), fenced.as_bytes(), coloured.as_bytes(), &wide, cut.as_bytes()];
    for text in all {
        let (slug, confidence, _) = first(&triage(text, &["--json"]).stdout);
        let shown = String::from_utf8_lossy(text);
        assert_eq!((slug.as_str(), confidence.as_str()), ("torch-cpu-only-wheel", "certain"), "{shown}");
    }
}

#[test]
fn nothing_known_is_inconclusive_and_no_error() {
    for text in ["", "The weather is fine today.\n", "\0\0\0\u{ff}\n"] {
        let got = triage(text.as_bytes(), &["--json"]);
        assert_eq!((got.code, got.stderr.as_str()), (3, ""), "{text:?}");
        let report: Value = serde_json::from_str(&got.stdout).unwrap();
        assert_eq!(report["root_causes"].as_array().map(Vec::len), Some(0), "{text:?}");
    }
}

#[test]
fn what_cannot_be_read_is_said_and_is_2() {
    for path in ["/no/such/file", "/"] {
        let got = run(doctor().arg("triage").arg(path));
        assert_eq!((got.code, got.stdout.as_str()), (2, ""));
        assert!(got.stderr.contains(path), "{}", got.stderr);
    }
}

#[test]
fn several_files_are_one_machine_and_each_is_one_answer() {
    let host = file(b"$ nvidia-smi -L\nGPU 0: NVIDIA A10 (UUID: GPU-00000000-0000-0000-0000-000000000000)\n");
    let container = file(b"$ nvidia-smi -L\nFailed to initialize NVML: Driver/library version mismatch\n");
    let got = run(doctor().arg("triage").arg("--json").arg(host.path()).arg(container.path()));
    let report: Value = serde_json::from_str(&got.stdout).unwrap();
    let of_nvml: Vec<(&Value, &Value)> = report["facts"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|fact| fact["key"] == "nvml.init")
        .map(|fact| (&fact["value"], &fact["context"]["view"]))
        .collect();
    // Both views are kept; the one that fails is judged.
    assert_eq!(of_nvml.len(), 2, "{of_nvml:?}");
    assert_eq!(*of_nvml[0].0, 18);
    assert_eq!(report["root_causes"][0]["slug"], "driver-library-version-mismatch");

    let each = run(doctor().arg("triage").arg("--each").arg(host.path()).arg(container.path()));
    let lines: Vec<Value> = each.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["file"], host.path().display().to_string());
    assert_eq!(lines[1]["report"]["root_causes"][0]["slug"], "driver-library-version-mismatch");
    assert_eq!(lines[0]["report"]["root_causes"].as_array().map(Vec::len), Some(0));
}

#[test]
fn a_report_of_the_doctor_inside_a_ticket_is_read_as_it_is() {
    let document = String::from_utf8(json::document(&report(HEALTHY)).unwrap()).unwrap();
    let ticket = format!("Here it is:\n```json\n{document}```\n");
    let got = triage(ticket.as_bytes(), &["--json"]);
    let judged: Value = serde_json::from_str(&got.stdout).unwrap();
    let facts = judged["facts"].as_array().unwrap();
    let init = facts.iter().find(|fact| fact["key"] == "cuda.init").unwrap();
    assert_eq!(init["value"], 0);
    assert!(init["source"].as_str().unwrap().starts_with("-:3"), "{init}");
    assert_eq!(judged["verdict"], "ready", "{}", judged["root_causes"]);
}

#[test]
fn nothing_that_steers_a_terminal_comes_out() {
    let text = "RuntimeError: Torch not compiled with CUDA enabled \u{1b}]0;title\u{7}\u{202e}\u{200b}\u{9b}31m end\n";
    for flags in [&[][..], &["--color", "always"]] {
        let got = triage(text.as_bytes(), flags).stdout;
        let plain = got.replace('\u{1b}', "");
        assert!(!plain.contains(['\u{7}', '\u{202e}', '\u{200b}', '\u{9b}']), "{got:?}");
        assert!(!got.contains("\u{1b}]"), "{got:?}");
    }
}

/// Every place where something of a text is shown: its lines, what they put into messages and commands, names of files,
/// and errors about files; as text, and in each format for machines.
#[test]
fn nothing_that_steers_a_terminal_comes_out_anywhere() {
    const HOSTILE: &str = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{202e}\u{2066}\u{200b}\u{9b}31m\u{8}";
    let folder = tempfile::tempdir().unwrap();
    let named = |name: &str| folder.path().join(format!("{name}{HOSTILE}.txt"));
    let text = format!(
        "CUDA_VISIBLE_DEVICES=7{HOSTILE}\nRuntimeError: No CUDA GPUs are available {HOSTILE}\n\
         GPU 0: NVIDIA A10{HOSTILE} (UUID: GPU-00000000-0000-0000-0000-000000000000)\n\
         torch 2.4.0+cpu{HOSTILE}\nPyTorch version: 2.4.0{HOSTILE}+cpu\n\
         ImportError: libcudart.so.12{HOSTILE}: cannot open shared object file\n\
         docker run --gpus {HOSTILE} app{HOSTILE}:1{HOSTILE} python\n\
         NVRM: Xid (PCI:0000:01:00): 79, pid=1, name=a{HOSTILE}, GPU has fallen off the bus.\n"
    );
    let (one, two) = (named("one"), named("two"));
    std::fs::write(&one, &text).unwrap();
    std::fs::write(&two, &text).unwrap();
    let odd = |c: char| c != '\n' && gpu_doctor::render::escape::is_unsafe(c);
    for flags in [&[][..], &["--verbose"], &["--json"], &["--each"]] {
        for files in [&[&one][..], &[&one, &two], &[&named("missing")]] {
            let got = run(doctor().arg("triage").args(flags).args(files));
            for shown in [&got.stdout, &got.stderr] {
                assert!(!shown.contains(odd), "{flags:?} {files:?}: {shown:?}");
            }
            assert!(!got.stdout.is_empty() || !got.stderr.is_empty());
        }
    }
}

/// Whatever page an answer leads to: no `{placeholder}` is left on it, and there is something to do.
#[test]
fn every_page_is_filled_in_for_a_text() {
    let texts = [
        "nothing is known\n".to_string(),
        CPU_BUILD.to_string(),
        "OS: Fedora Linux 41 (x86_64)\nuname -r\n6.11.4-301.fc41.x86_64\nNVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54  x\n".into(),
        "Linux host 5.15.153.1-microsoft-standard-WSL2 #1 SMP x86_64 GNU/Linux\n".into(),
    ];
    let mut wrong = Vec::new();
    for text in &texts {
        let facts = read_str(text);
        for cause in causes::all() {
            let slug = cause.head().slug;
            let (message, remedy, ask) = diagnosis::for_a_text(&facts, cause);
            let mut all = vec![message, remedy.summary.clone(), remedy.verify.clone(), ask];
            all.extend(remedy.steps.iter().flat_map(|step| [Some(step.text.clone()), step.command.clone()]).flatten());
            for text in all {
                for name in causes::page::names(&text) {
                    wrong.push(format!("{slug}: {{{name}}} is left in {text:?}"));
                }
            }
            if remedy.steps.is_empty() && text.starts_with("nothing") {
                wrong.push(format!("{slug}: nothing to do"));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}
