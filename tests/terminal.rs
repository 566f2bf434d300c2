//! What a person at a terminal reads, for reports written by hand.

use gpu_doctor::causes::page::Step;
use gpu_doctor::causes::{Occurrence, Unknown};
use gpu_doctor::checks::{Evidence, Row, Status};
use gpu_doctor::facts::Facts;
use gpu_doctor::machine::console::Console;
use gpu_doctor::render::terminal;
use gpu_doctor::report::{Confidence, Remedy, Report, RootCause, Severity, Tool, Verdict};
use gpu_doctor::subject::Subject;
use gpu_doctor::symptom::{Kind, Symptom};

const PLAIN: Console = Console { width: 80, colour: false, unicode: false };

fn gpu(n: u32) -> Subject {
    Subject::gpu(&format!("0000:{n:02x}:00.0"))
}

fn row(id: &'static str, subject: Subject, status: Status, summary: &str) -> Row {
    Row {
        id,
        title: "",
        subject,
        status,
        summary: summary.to_string(),
        symptoms: Vec::new(),
        blocked_by: None,
        unmeasured: false,
    }
}

fn report(verdict: Verdict, checks: Vec<Row>, root_causes: Vec<RootCause>) -> Report {
    Report {
        schema_version: 1,
        tool: Tool { name: "gpu-doctor", version: "0.1.0" },
        created_at: "2026-01-31T12:00:00Z".to_string(),
        verdict,
        root_causes,
        checks,
        unknowns: Vec::new(),
        redacted: None,
        facts: Facts::new(),
    }
}

fn cause(code: &'static str, title: &'static str) -> RootCause {
    let occurrence = |check, kind| Occurrence { check, subject: Subject::machine(), symptom: Symptom::new(kind) };
    RootCause {
        code,
        slug: "a-cause",
        layer: "kernel driver",
        severity: Severity::Error,
        confidence: Confidence::Certain,
        group: 1,
        subject: Subject::machine(),
        title,
        message: "The module is on the disk, and nothing has loaded it since the machine was started.".to_string(),
        evidence: vec![Evidence {
            text: "nvidia is not in the list of modules".to_string(),
            source: "/proc/modules".to_string(),
            context: None,
        }],
        remedy: Remedy {
            summary: "Load the module.".to_string(),
            steps: vec![
                Step {
                    text: "Load it now:".to_string(),
                    command: Some("sudo modprobe nvidia".to_string()),
                    root: true,
                    ..Step::default()
                },
                Step {
                    text: "Have it loaded at every start:".to_string(),
                    command: Some("echo nvidia > /etc/modules-load.d/nvidia.conf".to_string()),
                    root: true,
                    reboot: true,
                    place: Some("host".to_string()),
                    install: None,
                },
            ],
            verify: "nvidia-smi -L".to_string(),
        },
        explains: vec![
            occurrence("kernel-driver", Kind::DriverNotLoaded),
            occurrence("cuda-driver", Kind::CuInit),
            occurrence("cuda-driver", Kind::CudaFewer),
        ],
    }
}

fn text(report: &Report) -> String {
    terminal::report(report, &PLAIN, false)
}

#[test]
fn a_problem_is_told_from_the_verdict_to_the_command_that_shows_that_it_is_gone() {
    let checks = vec![
        row("gpu-present", gpu(1), Status::Pass, "NVIDIA L4"),
        row("kernel-driver", Subject::machine(), Status::Fail, "the nvidia module is not loaded"),
        row("nvml", Subject::machine(), Status::Skip, "not measured: kernel-driver has to work first"),
    ];
    let report = report(Verdict::NotReady, checks, vec![cause("GD203", "The NVIDIA kernel module is not loaded")]);
    let expected = "\
+ pass      gpu-present    GPU 0000:01:00.0: NVIDIA L4
x fail      kernel-driver  the nvidia module is not loaded
- skipped   nvml           not measured: kernel-driver has to work first

Not ready: no GPU can be used. Found: 1 problem.

error[GD203]: The NVIDIA kernel module is not loaded (certain)
  The module is on the disk, and nothing has loaded it since the machine was
  started.

  Seen
    - nvidia is not in the list of modules [/proc/modules]

  What to do
    Load the module.
    1. Load it now:
         sudo modprobe nvidia
    2. Have it loaded at every start (as root, takes a reboot, on the host, not
       in the container):
         echo nvidia > /etc/modules-load.d/nvidia.conf

  Then check that it worked
      nvidia-smi -L

  Explains: kernel-driver, cuda-driver
  More: gpu-doctor explain GD203
";
    assert_eq!(text(&report), expected);
}

#[test]
fn eight_gpus_that_are_well_are_one_line() {
    let alike = (0..8).map(|n| row("gpu-present", gpu(n), Status::Pass, "NVIDIA H100 80GB HBM3"));
    let each = (0..8).map(|n| row("nvml", gpu(n), Status::Pass, &format!("{n} MiB free")));
    let report = report(Verdict::Ready, alike.chain(each).collect(), Vec::new());
    let expected = "\
+ pass      gpu-present    8 GPUs: NVIDIA H100 80GB HBM3
+ pass      nvml           8 GPUs; --verbose shows each

Ready: the GPU can be used.
";
    assert_eq!(text(&report), expected);
    let verbose = terminal::report(&report, &PLAIN, true);
    assert!(verbose.contains("GPU 0000:07:00.0: 7 MiB free"), "{verbose}");
}

#[test]
fn the_gpu_that_is_ill_stands_out_among_the_well() {
    let rows = (0..8).map(|n| match n {
        3 => row("nvml", gpu(n), Status::Fail, "NVML gives 15"),
        _ => row("nvml", gpu(n), Status::Pass, "answers"),
    });
    let report = report(Verdict::Degraded, rows.collect(), Vec::new());
    let text = text(&report);
    let lines: Vec<&str> = text.lines().take(3).collect();
    assert_eq!(
        lines,
        [
            "+ pass      nvml           7 GPUs: answers",
            "x fail                     GPU 0000:03:00.0: NVML gives 15",
            ""
        ]
    );
}

#[test]
fn candidates_are_told_as_such_with_what_would_settle_it() {
    let first = RootCause { confidence: Confidence::Likely, ..cause("GD301", "One") };
    let second = RootCause { confidence: Confidence::Possible, ..cause("GD302", "Other") };
    let third = RootCause { group: 2, ..cause("GD501", "Another fault") };
    let mut report = report(Verdict::NotReady, Vec::new(), vec![first, second, third]);
    report.unknowns = vec![
        Unknown { need: "the kernel log".to_string(), ask: "sudo dmesg | grep -i nvrm".to_string(), separates: vec![] },
        Unknown { need: "its history".to_string(), ask: "Did it ever work here?".to_string(), separates: vec![] },
    ];
    let text = text(&report);
    let order = [
        "Found: 2 problems.",
        "One of these 2, the likeliest first:",
        "error[GD301]: One (likely)",
        "error[GD302]: Other (possible)",
        "error[GD501]: Another fault (certain)",
        "What would settle it\n  - the kernel log\n      sudo dmesg | grep -i nvrm\n  - its history\n    Did it ever work here?\n",
    ];
    let mut from = 0;
    for part in order {
        let at = text[from..].find(part).unwrap_or_else(|| panic!("{part} is missing or out of order:\n{text}"));
        from += at + part.len();
    }
}

#[test]
fn a_note_is_short() {
    let note = RootCause { severity: Severity::Note, ..cause("GD502", "A note") };
    let report = report(Verdict::Ready, Vec::new(), vec![note]);
    let short = text(&report);
    assert!(
        short.contains("Found: 1 note.") && short.contains("note[GD502]") && short.contains("sudo modprobe nvidia")
    );
    assert!(!short.contains("Seen") && !short.contains("Explains"));
    assert!(terminal::report(&report, &PLAIN, true).contains("Explains: kernel-driver driver-not-loaded"));
}

#[test]
fn a_command_is_never_wrapped() {
    let long = format!("sudo apt install {}", "linux-headers ".repeat(20).trim());
    let mut cause = cause("GD203", "One");
    cause.remedy.steps[0].command = Some(long.clone());
    let report = report(Verdict::NotReady, Vec::new(), vec![cause]);
    for width in [30, 80] {
        let text = terminal::report(&report, &Console { width, ..PLAIN }, false);
        assert!(text.lines().any(|line| line.trim() == long), "{width}");
    }
}

#[test]
fn a_row_does_not_fill_the_screen() {
    let report = report(
        Verdict::NotReady,
        vec![row("framework", Subject::machine(), Status::Fail, &"word ".repeat(90))],
        Vec::new(),
    );
    assert!(text(&report).lines().take_while(|line| !line.is_empty()).count() <= 4);
    assert!(text(&report).contains("..."));
    assert_eq!(terminal::report(&report, &PLAIN, true).matches("word").count(), 90);
}

#[test]
fn a_gpu_that_only_frameworks_miss_is_not_called_unusable() {
    let rows = vec![row("cuda-kernel", gpu(1), Status::Pass, "computes"), row("tensor", gpu(1), Status::Fail, "fails")];
    let text = text(&report(Verdict::NotReady, rows, Vec::new()));
    assert!(text.contains("Not ready: the driver works, and no framework can use the GPU."), "{text}");
}

#[test]
fn a_long_message_is_cut_and_whole_with_verbose() {
    let mut long = cause("GD507", "One");
    long.message = "message ".repeat(300);
    long.evidence[0].text = "evidence ".repeat(300);
    let report = report(Verdict::NotReady, Vec::new(), vec![long]);
    let (short, verbose) = (text(&report), terminal::report(&report, &PLAIN, true));
    for word in ["message", "evidence"] {
        assert!(short.matches(word).count() < 100, "{word}");
        assert_eq!(verbose.matches(word).count(), 300, "{word}");
    }
    assert!(short.contains("[/proc/modules]"));
}
