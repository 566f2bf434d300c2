//! `gpu-doctor __probe NAME [ARGS]`: the part of a probe that runs in a child, and the channel it speaks on.
//!
//! The child keeps the stdout it was started with aside and lets descriptor 1 lead to stderr before it loads anything:
//! the stub libnvidia-ml, for one, prints a banner there.

// This is a probe child; see clippy.toml.
#![allow(clippy::disallowed_methods)]

use super::{cuda, nodes, nvml};
use crate::machine::child::{SWEEP, sweep};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, Write};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

/// The channel to the parent. Every line goes out at once, so that a crash loses nothing that was seen before it.
#[derive(Debug)]
pub struct Channel(Mutex<File>);

impl Channel {
    /// Says that something begins that may hang or crash.
    pub fn begin(&self, stage: &str) {
        self.line(&json!({ "begin": stage }));
    }

    /// Says what a stage gave.
    pub fn stage(&self, stage: &str, fields: Value) {
        let mut line = json!({ "stage": stage });
        if let (Value::Object(line), Value::Object(fields)) = (&mut line, fields) {
            line.extend(fields);
        }
        self.line(&line);
    }

    /// Asks the parent, and gives back its line; empty when it closed its end.
    pub fn ask(&self, what: &str) -> String {
        self.line(&json!({ "waiting": what }));
        let mut answer = String::new();
        let _ = std::io::stdin().lock().read_line(&mut answer);
        answer.trim().to_string()
    }

    /// Sends one line.
    pub fn line(&self, value: &Value) {
        let text = format!("{value}\n");
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A parent that is gone reads nothing any more.
        let _ = file.write_all(text.as_bytes());
    }
}

/// Runs one probe. `arguments` are those after `__probe`.
pub fn main(arguments: impl IntoIterator<Item = String>) -> ExitCode {
    let mut arguments = arguments.into_iter();
    let name = arguments.next().unwrap_or_default();
    let rest: Vec<String> = arguments.collect();
    if let (SWEEP, [run]) = (name.as_str(), rest.as_slice()) {
        sweep(run);
        return ExitCode::SUCCESS;
    }
    let Some(channel) = aside() else { return ExitCode::FAILURE };
    match name.as_str() {
        nodes::NAME => nodes::child(&channel, &rest),
        nvml::NAME => nvml::child(&channel, &rest),
        cuda::NAME => cuda::child(&channel),
        _ => return ExitCode::from(2),
    }
    channel.line(&json!({ "done": true }));
    // No destructors: a library that is unloaded or a thread that is blocked in the driver could hang here.
    std::process::exit(0)
}

/// Keeps stdout aside, and lets everything else that is printed go to stderr.
#[cfg(unix)]
fn aside() -> Option<Channel> {
    let kept = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdout(), 3).ok()?;
    rustix::stdio::dup2_stdout(rustix::stdio::stderr()).ok()?;
    Some(Channel(Mutex::new(File::from(kept))))
}

/// The same. Windows knows stdout twice: as a handle, and as descriptor 1 of the C runtime.
#[cfg(windows)]
fn aside() -> Option<Channel> {
    use std::os::windows::io::{AsHandle, AsRawHandle};
    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn SetStdHandle(which: u32, handle: *mut std::ffi::c_void) -> i32;
    }
    unsafe extern "C" {
        fn _dup2(from: i32, to: i32) -> i32;
    }
    const STD_OUTPUT_HANDLE: u32 = -11i32 as u32;
    let kept = std::io::stdout().as_handle().try_clone_to_owned().ok()?;
    // SAFETY: the handle of stderr lives as long as the process, and descriptors 1 and 2 exist.
    unsafe {
        SetStdHandle(STD_OUTPUT_HANDLE, std::io::stderr().as_raw_handle());
        _dup2(2, 1);
    }
    Some(Channel(Mutex::new(File::from(kept))))
}

#[cfg(test)]
pub mod test {
    //! For the tests of the probes: what a child said, without a child.

    use crate::machine::child::{End, Report};
    use serde_json::Value;

    /// A report of a child that ended well after these lines.
    pub fn report(lines: &str) -> Report {
        let stages: Vec<Value> = lines.lines().filter_map(|line| serde_json::from_str(line.trim()).ok()).collect();
        let done = stages.iter().any(|stage| stage["done"] == true);
        Report { end: End::Exited(0), done, stages, ..Report::not_started("") }
    }
}
