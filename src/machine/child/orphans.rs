//! What a child started in a session of its own, and left behind.
//!
//! Killing a group does not reach a process that called setsid. On Linux this program adopts such processes: it is the
//! subreaper of its descendants, so that they become its children when their parents end, and it finds them in its own list of
//! children. Each child is started with a mark in its environment, which its descendants inherit; only what carries the mark of
//! the child that ended is killed. Children that a shell had before it became this program carry none, nor does what is theirs.

use crate::machine::signals;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// The variable that holds the mark.
pub const MARK: &str = "GPU_DOCTOR_CHILD";
/// How this program calls itself to end what an interrupted check left: `gpu-doctor __probe sweep RUN`.
pub const SWEEP: &str = "sweep";

/// Begins the marks of this run, once it adopts.
static RUN: OnceLock<String> = OnceLock::new();
static COUNT: AtomicU32 = AtomicU32::new(0);

/// Makes this process the one that descendants without a parent go to. For the main program alone: a program that uses this
/// crate has children of its own.
pub fn adopt() {
    #[cfg(target_os = "linux")]
    // SAFETY: prctl with plain numbers.
    let done = unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1 as libc::c_ulong, 0, 0, 0) == 0 };
    #[cfg(not(target_os = "linux"))]
    let done = false;
    if done {
        // Numbers of processes are used again, and in another container at the same time.
        let time = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_nanos());
        let run = RUN.get_or_init(|| format!("{}-{time}.", std::process::id()));
        signals::sweep_when_interrupted(run);
    }
}

/// The mark of the next child; nothing where nobody would look for it.
pub fn mark() -> Option<String> {
    RUN.get().map(|run| format!("{run}{}", COUNT.fetch_add(1, Ordering::SeqCst)))
}

/// Kills what carries a mark of this run, wherever it went: the run itself was interrupted and is over.
#[cfg(target_os = "linux")]
pub fn sweep(run: &str) {
    use rustix::process::{Pid, Signal, kill_process};
    let begins = format!("{MARK}={run}");
    let own = std::process::id();
    // The run, and what it killed, may need a moment to end.
    for _ in 0..5 {
        let all = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = all.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        for pid in pids.filter(|pid| pid.cast_unsigned() != own && has(*pid, |one| one.starts_with(begins.as_bytes())))
        {
            let _ = Pid::from_raw(pid).map(|pid| kill_process(pid, Signal::KILL));
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

/// Elsewhere nothing is marked.
#[cfg(not(target_os = "linux"))]
pub fn sweep(_run: &str) {}

/// Kills what carries this mark and was left to this process. To be called when the child itself is over.
#[cfg(target_os = "linux")]
pub fn kill(mark: &str) {
    use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
    use std::time::{Duration, Instant};
    /// Enough for a process that can be killed at all; one that sleeps in the driver is given up.
    const GRACE: Duration = Duration::from_millis(300);
    let started = Instant::now();
    let wanted = format!("{MARK}={mark}");
    // Killing one leaves its own children to this process, but only once it is over.
    loop {
        let pids = children().into_iter().filter(|pid| carries(*pid, wanted.as_bytes()));
        let mut left: Vec<Pid> = pids.filter_map(Pid::from_raw).collect();
        if left.is_empty() {
            return;
        }
        for pid in &left {
            // A child of this process keeps its number until it is waited for, and only this function waits for such: it is the
            // process that was looked at.
            let _ = kill_process(*pid, Signal::KILL);
        }
        while !left.is_empty() {
            if started.elapsed() > GRACE {
                return;
            }
            left.retain(|pid| matches!(waitpid(Some(*pid), WaitOptions::NOHANG), Ok(None)));
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Elsewhere there is no such list.
#[cfg(not(target_os = "linux"))]
pub fn kill(_mark: &str) {}

/// The children of this process, in the lists of all its threads.
#[cfg(target_os = "linux")]
fn children() -> Vec<i32> {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>()).collect()
}

/// Whether a process was started with this variable.
#[cfg(target_os = "linux")]
fn carries(pid: i32, variable: &[u8]) -> bool {
    has(pid, |one| one == variable)
}

/// Whether one of the variables that a process was started with is such. Of one that ended there are none, nor of those of
/// other users.
#[cfg(target_os = "linux")]
fn has(pid: i32, wanted: impl Fn(&[u8]) -> bool) -> bool {
    let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environment.split(|byte| *byte == 0).any(wanted)
}
