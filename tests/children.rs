//! Children that misbehave: the check ends within its limit and a second, says what happened, stays small, and leaves
//! nothing running.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods)]

mod common;

use common::fake::{CU124, Checked, Fake, document};
use common::program::Got;
use std::process::Stdio;
use std::time::{Duration, Instant};

const ADDRESS: &str = "0000:01:00.0";
const LIMIT: Duration = Duration::from_secs(2);
/// Of the main process, in KiB. It has about 10 MiB to itself.
const MEMORY: u64 = 64 * 1024;

/// One GPU that works, but for what these lines say.
fn machine(lines: &str) -> Fake {
    Fake::new("one-gpu").with(lines).driver("535.183.01", 1).tree(|tree| {
        tree.rtx_4090(ADDRESS, Some("nvidia")).gpu_information(ADDRESS, "NVIDIA GeForce RTX 4090", 0);
    })
}

/// Runs the check with a limit of two seconds, and sees to all that every such run promises.
fn survive(machine: &Fake) -> (Checked, Duration) {
    survive_under(&[], machine)
}

/// The same, started by another program.
fn survive_under(starter: &[&str], machine: &Fake) -> (Checked, Duration) {
    let command = machine.command(&["--json", "--timeout", "2"]);
    let line = starter.iter().map(std::ffi::OsStr::new).chain([command.get_program()]).chain(command.get_args());
    let line: Vec<_> = line.collect();
    let mut process = std::process::Command::new(line[0]);
    process.args(&line[1..]).env_clear().envs(command.get_envs().filter_map(|(n, v)| Some((n, v?))));
    process.current_dir(command.get_current_dir().expect("a folder"));
    let started = Instant::now();
    let child = process.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the doctor");
    let pid = child.id();
    let watching = std::thread::spawn(move || {
        let mut peak = 0;
        while let Some(kib) = peak_of(pid) {
            peak = kib.max(peak);
            std::thread::sleep(Duration::from_millis(5));
        }
        peak
    });
    let output = child.wait_with_output().expect("its end");
    let took = started.elapsed();
    let got = Got {
        code: output.status.code().expect("ended by a signal"),
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
    };
    let report = document(&got);
    let saved = machine.at("saved.json");
    std::fs::write(&saved, &got.stdout).expect("write");
    let text = common::program::run(common::program::doctor().args(["check", "--from"]).arg(&saved));
    if std::env::var_os("GPU_DOCTOR_TEST_SHOW").is_some() {
        eprintln!("======== {:?}: {} in {took:?}\n{}", std::thread::current().name(), got.code, text.stdout);
    }
    assert_eq!(got.code, text.code);
    let words: Vec<&str> = got.stderr.lines().filter(|line| !line.contains("strace: ")).collect();
    assert!(words.is_empty(), "something was printed beside the document: {words:?}");
    let peak = watching.join().expect("the peak");
    assert!(peak > 0 && peak < MEMORY, "the main process took {peak} KiB");
    let left = left_running(machine);
    assert!(left.is_empty(), "left running: {left:?}");
    (Checked { code: got.code, report, text: text.stdout }, took)
}

/// The same, within the limit and a second.
fn in_time(machine: &Fake) -> Checked {
    let (checked, took) = survive(machine);
    // A tester that is busy with other things may be slow once.
    let took = if took < LIMIT + Duration::from_secs(1) { took } else { survive(machine).1 };
    assert!(took < LIMIT + Duration::from_secs(1), "took {took:?}\n{}", checked.text);
    checked
}

/// Peak of the memory of a process, in KiB; nothing when it is over.
fn peak_of(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim().strip_suffix(" kB")?.parse().ok()
}

/// Processes that were started on this machine and still run: they have its scenario in their environment.
fn left_running(machine: &Fake) -> Vec<String> {
    let mark = format!("GPU_DOCTOR_SCENARIO={}", machine.at("scenario").display());
    let look = || {
        let mut found = Vec::new();
        for entry in std::fs::read_dir("/proc").expect("/proc").flatten() {
            let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
            if environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes()) {
                let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
                found.push(String::from_utf8_lossy(&line).replace('\0', " "));
            }
        }
        found
    };
    // What was killed is gone a moment later.
    (0..20).find(|_| {
        look().is_empty() || {
            std::thread::sleep(Duration::from_millis(25));
            false
        }
    });
    look()
}

/// How a probe ended, as `HOW in STAGE`.
fn end(checked: &Checked, subject: &str) -> String {
    let fact = checked.fact("probe.end", subject).unwrap_or_else(|| panic!("no end of {subject}\n{}", checked.text));
    format!("{} in {}", fact["value"]["how"].as_str().unwrap_or("?"), fact["value"]["stage"].as_str().unwrap_or("?"))
}

fn torch(machine: &Fake) -> String {
    format!("torch@{}", machine.prefix())
}

/// A torch that does this when it is imported.
fn importing(text: &str) -> Fake {
    machine("").package("torch", text)
}

#[test]
fn nvml_hangs() {
    let checked = in_time(&machine("hang_at = nvmlInit_v2").torch(CU124));
    assert_eq!(end(&checked, "nvml"), "timed_out in nvmlInit");
    checked.statuses("nvml", &["unknown"]).statuses("cuda-driver", &["pass"]).verdict("degraded", 0);
    checked.causes(&["probe-timed-out"]);
}

#[test]
fn cuinit_hangs() {
    let machine = machine("hang_at = cuInit").torch(CU124);
    let checked = in_time(&machine);
    assert_eq!(end(&checked, "cuda"), "timed_out in cuInit");
    assert_eq!(end(&checked, &torch(&machine)), "timed_out in import");
    // The framework hangs in the same call: one warning.
    checked.verdict("inconclusive", 3).causes(&["probe-timed-out"]).says("cuInit took longer than 2 s");
}

#[test]
fn making_a_context_hangs() {
    let checked = in_time(&machine("hang_at = cuCtxCreate_v2").torch(CU124));
    assert_eq!(end(&checked, "cuda"), "timed_out in context");
    // Nothing else is sent into the same trap.
    checked.statuses("tensor", &["unknown", "deselected"]).verdict("inconclusive", 3);
}

#[test]
fn nvidia_smi_does_not_hear_sigterm() {
    let machine = machine("").torch(CU124).smi_program("#!/bin/sh\ntrap '' TERM HUP INT\nwhile :; do sleep 1; done\n");
    in_time(&machine).statuses("nvidia-smi", &["unknown"]).statuses("tensor", &["pass", "deselected"]);
}

#[test]
fn an_import_hangs() {
    let deaf = "import signal, time\nfor s in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):\n    signal.signal(s, signal.SIG_IGN)\nwhile True:\n    time.sleep(1)\n";
    for text in ["import time\ntime.sleep(1000)\n", deaf] {
        let machine = importing(text);
        let checked = in_time(&machine);
        assert_eq!(end(&checked, &torch(&machine)), "timed_out in import");
        checked.statuses("cuda-kernel", &["pass"]);
    }
}

#[test]
fn an_import_opens_what_never_opens() {
    let machine = importing("import os\nos.mkfifo('fifo')\nopen('fifo')\n");
    let checked = in_time(&machine);
    assert_eq!(end(&checked, &torch(&machine)), "timed_out in import");
}

#[test]
fn a_page_of_the_driver_never_opens() {
    let machine = machine("").torch(CU124);
    machine.tree.remove("proc/driver/nvidia/version");
    let path = machine.tree.at("proc/driver/nvidia/version");
    assert!(std::process::Command::new("mkfifo").arg(path).status().expect("mkfifo").success());
    let checked = in_time(&machine);
    assert_eq!(end(&checked, "nodes"), "timed_out in read /proc/driver/nvidia/version");
    checked.statuses("tensor", &["pass", "deselected"]);
}

#[test]
fn a_grandchild_holds_the_pipe() {
    let table =
        "#!/bin/sh\nsleep 1000 &\necho '| NVIDIA-SMI 535.183.01  Driver Version: 535.183.01  CUDA Version: 12.2 |'\n";
    let machine = machine("").torch(CU124).smi_program(table);
    let (checked, took) = survive(&machine);
    checked.statuses("nvidia-smi", &["pass"]).verdict("ready", 0);
    assert!(took < LIMIT, "the pipe was waited for: {took:?}");
    let machine =
        importing("import subprocess\nsubprocess.Popen(['sleep', '1000'], close_fds=False)\nraise ImportError('no')\n");
    let (checked, took) = survive(&machine);
    checked.says("ImportError: no");
    assert!(took < LIMIT, "the pipe was waited for: {took:?}");
}

/// A process in a session of its own is out of the reach of its group's end.
#[test]
fn a_grandchild_of_another_session_ends_with_its_child() {
    let forked = "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        time.sleep(1000)\n    time.sleep(1000)\n";
    // One child ends by itself, the other at its limit.
    for (rest, ends) in [("raise ImportError('no')\n", None), ("time.sleep(1000)\n", Some("timed_out in import"))] {
        let machine = importing(&format!("{forked}{rest}"));
        let (checked, _) = survive(&machine);
        match ends {
            Some(how) => assert_eq!(end(&checked, &torch(&machine)), how),
            None => drop(checked.says("ImportError: no")),
        }
    }
    // A daemon whose parent is gone long before the child ends.
    let daemon = "#!/bin/sh\n(setsid sleep 1000 > /dev/null 2>&1 &)\nexec 1>&2\nexit 9\n";
    survive(&machine("").torch(CU124).smi_program(daemon));
}

/// Ctrl-C ends them too.
#[test]
fn an_interrupted_check_leaves_nothing_in_other_sessions() {
    let forked = "import os, time\nif os.fork() == 0:\n    os.setsid()\n    open('forked', 'w').close()\n    time.sleep(1000)\ntime.sleep(1000)\n";
    let machine = importing(forked);
    let command = machine.command(&["--json", "--timeout", "20"]);
    let mut process = std::process::Command::new(command.get_program());
    process.args(command.get_args()).env_clear().envs(command.get_envs().filter_map(|(n, v)| Some((n, v?))));
    let folder = tempfile::tempdir().expect("a folder");
    let mut doctor = process.current_dir(folder.path()).stdout(Stdio::null()).spawn().expect("the doctor");
    let started = Instant::now();
    while !folder.path().join("forked").exists() && started.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(folder.path().join("forked").exists() && !left_running(&machine).is_empty());
    let number = doctor.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &number]).status().expect("kill").success());
    doctor.wait().expect("its end");
    let left = left_running(&machine);
    assert!(left.is_empty(), "left running: {left:?}");
}

/// A shell that becomes this program leaves it its children; they are not this program's to end, nor is what they start.
#[test]
fn processes_of_somebody_else_are_left_alone() {
    let machine = importing(
        "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(1000)\nraise ImportError('no')\n",
    );
    let folder = tempfile::tempdir().expect("a folder");
    let pids = folder.path().join("pids");
    let script = format!(
        "sleep 97 & echo $! >> {0}; (sleep 0.4; setsid sh -c 'echo $$ >> {0}; exec sleep 98' &) & exec \"$@\"",
        pids.display()
    );
    let command = machine.command(&["--json", "--timeout", "2"]);
    let mut process = std::process::Command::new("/bin/sh");
    process.args(["-c", &script, "sh"]).arg(command.get_program()).args(command.get_args());
    process.env_clear().envs(command.get_envs().filter_map(|(n, v)| Some((n, v?))));
    process.stdout(Stdio::null()).stderr(Stdio::null());
    assert!(process.status().expect("its end").code().is_some());
    let text = std::fs::read_to_string(&pids).expect("the numbers");
    let theirs: Vec<&str> = text.split_whitespace().collect();
    assert_eq!(theirs.len(), 2, "{text}");
    for pid in theirs {
        let alive = std::fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.trim() == "sleep");
        assert!(alive, "{pid} was ended");
        assert!(std::process::Command::new("kill").arg(pid).status().expect("kill").success());
    }
}

#[test]
fn nvidia_smi_floods() {
    let machine = machine("").torch(CU124).smi_program("#!/bin/sh\nexec head -c 1000000000 /dev/zero\n");
    in_time(&machine).statuses("nvidia-smi", &["unknown"]).statuses("tensor", &["pass", "deselected"]);
}

#[test]
fn a_python_floods() {
    for program in ["#!/bin/sh\nexec head -c 1000000000 /dev/zero\n", "#!/bin/sh\nexec yes\n"] {
        in_time(&machine("").python_program(program)).statuses("framework", &["fail"]).says("printed without end");
    }
    let flood = "import os\nfor n in range(1000):\n    os.write(1, b'x' * 1000000)\n";
    in_time(&importing(flood)).statuses("cuda-kernel", &["pass"]);
}

#[test]
fn a_banner_floods_nothing() {
    let machine = machine("cu_print = {\"stage\":\"cuInit\",\"code\":999}\nnvml_print = {\"done\":true}").torch(CU124);
    in_time(&machine).verdict("ready", 0).causes(&[]);
}

#[test]
fn a_library_crashes() {
    for (call, probe, stage, check) in [
        ("cuLaunchKernel", "cuda", "launch", "cuda-kernel"),
        ("cuInit", "cuda", "cuInit", "cuda-driver"),
        ("nvmlInit_v2", "nvml", "nvmlInit", "nvml"),
    ] {
        let checked = in_time(&machine(&format!("crash_at = {call}")).torch(CU124));
        assert_eq!(end(&checked, probe), format!("crashed in {stage}"));
        let rows = checked.report["checks"].as_array().expect("checks");
        assert!(rows.iter().any(|row| row["id"] == check && row["status"] == "fail"), "{check}\n{}", checked.text);
        checked.causes(&["probe-crashed"]).says("SIGSEGV");
    }
}

#[test]
fn two_hangs_take_two_limits() {
    // Looking and computing come one after the other, each with its limit; what hung in the one is not tried in the other.
    let (checked, took) = survive(&machine("hang_at = nvmlInit_v2, cuCtxCreate_v2").torch(CU124));
    checked.verdict("inconclusive", 3);
    assert!(took < 2 * LIMIT + Duration::from_secs(1), "took {took:?}");
}

#[test]
fn an_import_crashes() {
    let machine = importing("import os\nos.kill(os.getpid(), 11)\n");
    let checked = in_time(&machine);
    checked.verdict("not_ready", 1).causes(&["torch-import-fails"]).says("SIGSEGV").statuses("cuda-kernel", &["pass"]);
}

#[test]
fn an_import_leaves_the_interpreter() {
    let checked = in_time(&importing("import os\nos._exit(7)\n"));
    checked.verdict("not_ready", 1).causes(&["torch-import-fails"]).says("status 7");
}

#[test]
fn half_a_line() {
    let program = "#!/bin/sh\nprintf '{\"stage\":\"interpreter\",\"version\":\"3.1'\n";
    let checked = in_time(&machine("").python_program(program));
    checked.statuses("framework", &["fail"]).causes(&["python-interpreter-broken"]).says("it may be no Python");
}

#[test]
fn bytes_that_are_no_text() {
    let machine =
        machine("").python_program("#!/bin/sh\nprintf '\\377\\376\\000\\033[2J\\n'\nprintf '\\377\\033[31m' >&2\n");
    let checked = in_time(&machine);
    checked.statuses("framework", &["fail"]).causes(&["python-interpreter-broken"]);
    assert!(!checked.text.contains('\u{1b}'), "an escape sequence got through");
    in_time(&self::machine("smi_output = invalid_utf8").torch(CU124)).statuses("tensor", &["pass", "deselected"]);
    let machine = importing("raise ImportError(b'\\xff\\xfe \\x1b[2J'.decode('utf-8', 'surrogateescape'))\n");
    let checked = in_time(&machine);
    checked.causes(&["torch-import-fails"]);
    assert!(!checked.text.contains('\u{1b}'), "an escape sequence got through");
}

#[test]
fn a_node_never_opens() {
    if !std::path::Path::new("/usr/bin/strace").exists() {
        eprintln!("no strace here: not tested");
        return;
    }
    // The kernel holds the call back, as a driver does that starts a GPU and does not come to an end.
    let machine = machine("").torch(CU124);
    // Not the link to /dev/null: strace would hold back every opening of that.
    machine.tree.remove("dev/nvidia0").file("dev/nvidia0", "");
    let node = machine.tree.at("dev/nvidia0").display().to_string();
    let delay = "inject=open,openat:delay_enter=5s";
    let strace = [
        "/usr/bin/timeout",
        "-s",
        "KILL",
        "20",
        "/usr/bin/strace",
        "-f",
        "-qq",
        "-o",
        "/dev/null",
        "-P",
        &node,
        "-e",
        "trace=open,openat",
        "-e",
        delay,
    ];
    // strace itself stays until the call would have come back, so the time is not measured: the fact is that of the limit.
    let (checked, _) = survive_under(&strace, &machine);
    assert_eq!(end(&checked, "nodes"), "timed_out in open /dev/nvidia0");
    // No computation is sent after it.
    checked.verdict("inconclusive", 3).statuses("cuda-kernel", &["unknown"]).says("open /dev/nvidia0");
}
