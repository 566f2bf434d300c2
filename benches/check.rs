//! How long `check` takes and how much memory it needs, against references of the same run. `cargo bench --features lab`
//! runs it; it fails where a promise of the README does not hold.
//!
//! 1. `check --skip framework --skip tensor` on a machine without a driver: at most 10 ms (median) and 12 MiB; reference:
//!    starting `/bin/true`.
//! 2. `check` with a real torch: at most 1.10 times `python -c "import torch; torch.cuda.is_available()"`.
//! 3. The binary: at most 6 MiB.
//! 4. `triage` of a typical ticket: at most 5 ms (median), start-up included, or 9 times the reference: starting `/bin/true`.
//! 5. `triage` of a log of 100 MB, also of one in which every line is a message of the driver, a traceback or an error of CUDA:
//!    at least 20 MB a second of processor time, and at most 64 MiB of memory.
//! 6. Each format of the largest report (16 GPUs, 20 environments): less than 20 ms (median).
//! 7. `check --quick` with six environments of five frameworks, and `check --quick --all-envs` with six made-up ones of 600
//!    packages each, of which 60 are named `nvidia-*`: at most 60 ms each (median, files in the page cache); reference:
//!    starting `/bin/true`.

#![allow(clippy::disallowed_methods)]

#[path = "../tests/common/largest.rs"]
mod largest;
mod lines;

use gpu_doctor::machine::console::Console;
use gpu_doctor::render::{FORMATS, View};
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

fn main() -> ExitCode {
    let doctor = PathBuf::from(env!("CARGO_BIN_EXE_gpu-doctor"));
    // A copy in a folder of its own: without the libtorch helper beside it.
    let folder = std::env::temp_dir().join(format!("gpu-doctor-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let alone = folder.join("gpu-doctor");
    std::fs::copy(&doctor, &alone).expect("a copy of the binary");

    let mut kept = true;
    kept &= size(&doctor);
    kept &= without_driver(&alone);
    kept &= with_torch(&alone);
    kept &= quick(&alone);
    kept &= crowded(&alone, &folder);
    kept &= ticket(&alone, &folder);
    for log in lines::LOGS {
        kept &= read_log(&alone, &folder, log);
    }
    kept &= formats();
    std::fs::remove_dir_all(&folder).expect("the temporary folder goes");
    if kept { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn size(doctor: &Path) -> bool {
    let bytes = std::fs::metadata(doctor).expect("the binary").len();
    let mib = bytes as f64 / 1048576.0;
    verdict("size of the binary", bytes <= 6 << 20, &format!("{mib:.2} MiB (at most 6)"))
}

fn without_driver(doctor: &Path) -> bool {
    let arguments = ["check", "--skip", "framework", "--skip", "tensor", "--json"];
    let mut ours = Vec::new();
    let mut reference = Vec::new();
    let mut peak = 0;
    for _ in 0..101 {
        let (time, kib) = measure(doctor, &arguments);
        ours.push(time);
        peak = peak.max(kib);
        reference.push(measure::<&str>(Path::new("/bin/true"), &[]).0);
    }
    let (ours, reference) = (median(ours), median(reference));
    let ratio = ours.as_secs_f64() / reference.as_secs_f64();
    let text = format!("{ours:.2?} median (at most 10 ms), {ratio:.1} times starting /bin/true ({reference:.2?})");
    let time = verdict("check without a driver, without Python", ours <= Duration::from_millis(10), &text);
    let mib = peak as f64 / 1024.0;
    time & verdict("memory of the same", peak <= 12 << 10, &format!("{mib:.1} MiB at most (at most 12)"))
}

fn with_torch(doctor: &Path) -> bool {
    let Some(python) = torch_python() else {
        println!("check with torch: NOT MEASURED: tests/lab/fetch torch-cuda gave no interpreter");
        return false;
    };
    let arguments = ["check".as_ref(), "--json".as_ref(), "--python".as_ref(), python.as_os_str()];
    let script = "import torch; torch.cuda.is_available()";
    let reference_arguments = ["-c", script];
    // Files in the page cache first, for both.
    measure(&python, &reference_arguments);
    let mut ours = Vec::new();
    let mut reference = Vec::new();
    for _ in 0..9 {
        reference.push(measure(&python, &reference_arguments).0);
        ours.push(measure(doctor, &arguments).0);
    }
    let (ours, reference) = (median(ours), median(reference));
    let ratio = ours.as_secs_f64() / reference.as_secs_f64();
    let text = format!("{ours:.2?} against {reference:.2?} for python -c \"{script}\": {ratio:.3} (at most 1.10)");
    verdict("check with torch", ratio <= 1.10, &text)
}

/// What somebody pastes: collect_env, the table of nvidia-smi and a session.
fn ticket(doctor: &Path, folder: &Path) -> bool {
    let texts: Vec<&str> = include_str!("../tests/fuzz_triage.txt").split("\n----\n").collect();
    let path = folder.join("ticket.txt");
    let text = format!("It does not use the GPU.\n```\n{}\n{}\n{}\n```\n", texts[5], texts[0], texts[13]);
    std::fs::write(&path, &text).expect("a ticket");
    let arguments = ["triage".as_ref(), path.as_os_str()];
    let (mut ours, mut reference) = (Vec::new(), Vec::new());
    for _ in 0..101 {
        ours.push(measure(doctor, &arguments).0);
        reference.push(measure::<&str>(Path::new("/bin/true"), &[]).0);
    }
    let (ours, reference) = (median(ours), median(reference));
    let ratio = ours.as_secs_f64() / reference.as_secs_f64();
    let size = text.len();
    let text = format!(
        "{ours:.2?} median for {size} bytes (at most 5 ms), {ratio:.1} times starting /bin/true ({reference:.2?})"
    );
    // On a busy machine starting anything takes longer: then what counts is how much longer.
    verdict("triage of a ticket", ours <= Duration::from_millis(5) || ratio <= 9.0, &text)
}

/// A log of 100 MB.
fn read_log(doctor: &Path, folder: &Path, (name, line): lines::Log) -> bool {
    const LENGTH: usize = 100_000_000;
    let path = folder.join("big.log");
    let mut file = std::io::BufWriter::new(std::fs::File::create(&path).expect("a log"));
    let mut written = 0;
    for n in 0.. {
        let line = line(n);
        file.write_all(line.as_bytes()).expect("a line");
        written += line.len();
        if written >= LENGTH {
            break;
        }
    }
    file.flush().expect("the log");
    let before = children();
    let (wall, kib) = measure(doctor, &["triage".as_ref(), "--json".as_ref(), path.as_os_str()]);
    let time = children() - before;
    let rate = written as f64 / 1e6 / time.as_secs_f64();
    let text = format!("{rate:.0} MB/s of processor time (at least 20), {wall:.2?} on the clock");
    let fast = verdict(&format!("triage of 100 MB, {name}"), rate >= 20.0, &text);
    let mib = kib as f64 / 1024.0;
    fast & verdict("memory of the same", kib <= 64 << 10, &format!("{mib:.1} MiB at most (at most 64)"))
}

/// The answer about the largest machine in every format.
fn formats() -> bool {
    let report = largest::report();
    let console = Console { width: 100, colour: true, unicode: true };
    let view = View { report: &report, console: &console, verbose: false, strict: false };
    let mut kept = true;
    for format in FORMATS {
        let mut length = 0;
        let times = (0..21).map(|_| {
            let start = Instant::now();
            length = (format.render)(&view).expect("a report").len();
            start.elapsed()
        });
        let time = median(times.collect());
        let text = format!("{time:.2?} median for {} KiB (less than 20 ms)", length.div_ceil(1024));
        kept &= verdict(&format!("largest report as {}", format.name), time < Duration::from_millis(20), &text);
    }
    kept
}

/// Processor time of all children that ended.
fn children() -> Duration {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the pointer is to a live value of the right type, and getrusage fills it.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_CHILDREN, usage.as_mut_ptr());
        usage.assume_init()
    };
    let of = |time: libc::timeval| Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1000);
    of(usage.ru_utime) + of(usage.ru_stime)
}

/// The interpreter of the lab's real torch.
fn torch_python() -> Option<PathBuf> {
    Some(lab_part("torch-cuda")?.join("bin/python"))
}

/// Six environments of five frameworks from their files alone: torch twice, JAX, TensorFlow, ONNX Runtime, CuPy.
fn quick(doctor: &Path) -> bool {
    let what = "check --quick, six environments of five frameworks";
    let mut arguments = vec![OsString::from("check"), "--json".into(), "--quick".into()];
    for name in ["torch-cuda", "torch-cu121", "jax-cuda12", "tensorflow", "onnxruntime-both", "cupy-two"] {
        let Some(folder) = lab_part(name) else {
            println!("{what}: NOT MEASURED: tests/lab/fetch {name} gave no folder");
            return false;
        };
        arguments.extend(["--python".into(), folder.into_os_string()]);
    }
    measure(doctor, &arguments);
    let (mut ours, mut reference) = (Vec::new(), Vec::new());
    for _ in 0..21 {
        reference.push(measure(Path::new("/bin/true"), &[] as &[&str]).0);
        ours.push(measure(doctor, &arguments).0);
    }
    let (ours, reference) = (median(ours), median(reference));
    let ratio = ours.as_secs_f64() / reference.as_secs_f64();
    let text = format!("{ours:.2?} median (at most 60 ms), {ratio:.1} times starting /bin/true ({reference:.2?})");
    verdict(what, ours <= Duration::from_millis(60), &text)
}

/// Six virtual environments of a made-up home, each with torch, 60 packages of NVIDIA's and 539 others.
fn crowded(doctor: &Path, folder: &Path) -> bool {
    let what = "check --quick --all-envs, six environments of 600 packages";
    let home = folder.join("home");
    for n in 0..6 {
        crowd(&home.join(".virtualenvs").join(format!("crowded{n}")));
    }
    let command = || {
        let mut command = Command::new(doctor);
        command.args(["check", "--json", "--quick", "--all-envs"]).current_dir(&home);
        // Only what was made here is found, whatever the machine has.
        command.env_clear().env("HOME", &home).env("PATH", "/nowhere");
        command
    };
    // The time of a run that did not look says nothing. It also brings the files into the page cache.
    let text = command().output().expect("the program runs").stdout;
    let report: serde_json::Value = serde_json::from_slice(&text).expect("a report");
    let facts = report["facts"].as_array().expect("facts");
    let count = |key: &str, is_one: fn(&serde_json::Value) -> bool| {
        facts.iter().filter(|fact| fact["key"] == key && is_one(fact)).count()
    };
    let found = (
        count("python.environment", |fact| fact["subject"]["id"].as_str().is_some_and(|id| id.contains("/crowded"))),
        count("python.package", |fact| fact["value"]["name"].as_str().is_some_and(|name| name.starts_with("nvidia-"))),
        count("framework.distribution", |fact| fact["value"]["version"] == "2.6.0+cu124"),
    );
    if found != (6, 360, 6) {
        println!("{what}: NOT MEASURED: environments, NVIDIA's packages, torch: {found:?} instead of (6, 360, 6)");
        return false;
    }
    let (mut ours, mut reference) = (Vec::new(), Vec::new());
    for _ in 0..21 {
        reference.push(measure::<&str>(Path::new("/bin/true"), &[]).0);
        ours.push(measured(&mut command()).0);
    }
    let (ours, reference) = (median(ours), median(reference));
    let ratio = ours.as_secs_f64() / reference.as_secs_f64();
    let text = format!("{ours:.2?} median (at most 60 ms), {ratio:.1} times starting /bin/true ({reference:.2?})");
    verdict(what, ours <= Duration::from_millis(60), &text)
}

/// Lays 600 packages into a virtual environment as pip does: a folder of code, and one of metadata.
fn crowd(environment: &Path) {
    let site = environment.join("lib/python3.11/site-packages");
    let write = |path: PathBuf, text: &str| {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        std::fs::write(path, text).expect("a file");
    };
    write(environment.join("bin/python"), "#!/bin/sh\nexit 1\n");
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(environment.join("bin/python"), executable).expect("permissions");
    let settings = "home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.11.7\n";
    write(environment.join("pyvenv.cfg"), settings);
    let nvidia = (0..60).map(|n| (format!("nvidia_part{n}_cu12"), format!("12.4.{n}")));
    let others = (0..539).map(|n| (format!("other_{n}"), format!("1.0.{n}")));
    for (name, version) in nvidia.chain(others).chain([("torch".to_string(), "2.6.0".to_string())]) {
        let metadata = site.join(format!("{name}-{version}.dist-info"));
        write(metadata.join("METADATA"), &format!("Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"));
        write(metadata.join("RECORD"), &format!("{name}/__init__.py,sha256=x,0\n"));
        write(metadata.join("INSTALLER"), "pip\n");
        write(site.join(name).join("__init__.py"), "");
    }
    let version = "__version__ = '2.6.0+cu124'\ncuda: Optional[str] = '12.4'\nhip: Optional[str] = None\n";
    write(site.join("torch/version.py"), version);
}

/// The folder of a part of the lab.
fn lab_part(name: &str) -> Option<PathBuf> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/lab/fetch");
    let output = Command::new("bash").args([script, name]).stderr(Stdio::inherit()).output().ok()?;
    let folder = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    (output.status.success() && folder.join("bin/python").exists()).then_some(folder)
}

/// Wall time of a program, and its peak memory in KiB.
fn measure<S: AsRef<OsStr>>(program: &Path, arguments: &[S]) -> (Duration, i64) {
    measured(Command::new(program).args(arguments))
}

#[expect(clippy::zombie_processes, reason = "wait4 below waits for it: std's wait does not tell the memory")]
/// The same of a command.
fn measured(command: &mut Command) -> (Duration, i64) {
    let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    let child = command.spawn().expect("the program starts");
    let mut status = 0;
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: both pointers are to live values of the right type, and the child is ours and not yet waited for.
    let waited = unsafe { libc::wait4(child.id() as i32, &mut status, 0, usage.as_mut_ptr()) };
    assert_eq!(waited, child.id() as i32);
    // SAFETY: wait4 filled it.
    (start.elapsed(), unsafe { usage.assume_init() }.ru_maxrss)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn verdict(what: &str, kept: bool, text: &str) -> bool {
    println!("{} {what}: {text}", if kept { "ok  " } else { "FAIL" });
    kept
}
