//! How long `check` takes and how much memory it needs, against references of the same run. `cargo bench --features lab`
//! runs it; it fails where a promise of the README does not hold.
//!
//! 1. `check --skip framework --skip tensor` on a machine without a driver: at most 10 ms (median) and 12 MiB; reference:
//!    starting `/bin/true`.
//! 2. `check` with a real torch: at most 1.10 times `python -c "import torch; torch.cuda.is_available()"`.
//! 3. The binary: at most 6 MiB.

#![allow(clippy::disallowed_methods)]

use std::ffi::OsStr;
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

/// The interpreter of the lab's real torch.
fn torch_python() -> Option<PathBuf> {
    let fetch = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lab/fetch");
    let output = Command::new(fetch).arg("torch-cuda").output().ok()?;
    let folder = String::from_utf8(output.stdout).ok()?;
    let python = Path::new(folder.trim()).join("bin/python");
    python.exists().then_some(python)
}

#[expect(clippy::zombie_processes, reason = "wait4 below waits for it: std's wait does not tell the memory")]
/// Wall time of a child, and its peak memory in KiB.
fn measure<S: AsRef<OsStr>>(program: &Path, arguments: &[S]) -> (Duration, i64) {
    let start = Instant::now();
    let child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
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
