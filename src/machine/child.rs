//! The one runner that starts every child.
//!
//! A child gets a process group of its own, a limit, and bounded buffers for what it says. At the limit its group is
//! told to end, then killed, and after a short grace given up: a process that sleeps in the driver cannot even be
//! killed, and is never waited for without end. What it left behind in other sessions goes with it (`orphans.rs`).
//!
//! Children of our own speak in stages, lines of JSON on their stdout: `{"begin":"cuInit"}` before something that may
//! hang or crash, `{"stage":"cuInit", ...}` for what it gave, `{"waiting":"context"}` to ask for a line on stdin, and
//! `{"done":true}`. Where a channel ends, the stage that was begun last is where it ended.

mod orphans;
mod pipes;
#[cfg(target_os = "linux")]
mod powers;
mod session;
mod system;

pub use orphans::{SWEEP, adopt, sweep};
pub use session::{Pause, Session};

use super::signals;
use serde_json::Value;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What a child says on its stdout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaks {
    /// Text, of which the first and last part is kept.
    Text,
    /// Stages: one JSON object a line.
    Stages,
}

/// A child to be started.
#[derive(Clone, Debug)]
pub struct Spec {
    /// Program, by path.
    pub program: PathBuf,
    /// Arguments.
    pub arguments: Vec<OsString>,
    /// Variables that are set (a value) or removed (none), on top of the environment of this process.
    pub environment: Vec<(OsString, Option<OsString>)>,
    /// How its stdout is read. Stages come with a stdin to answer on; text comes with an empty one.
    pub speaks: Speaks,
    /// Whether it keeps the power to change `/dev` and to load modules; see `powers.rs`.
    pub keeps_powers: bool,
    /// Time from its start, or from the last answer it got, to its end or next question.
    pub limit: Duration,
}

/// How a child ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// It exited with this status.
    Exited(i32),
    /// A signal ended it.
    Signaled(i32),
    /// It was still running at its limit, and was killed.
    TimedOut {
        /// Even killing did not end it: it sleeps in the kernel, and was given up.
        abandoned: bool,
    },
    /// It said more than anybody reads, and was killed.
    Flooded,
    /// It could not be started; why, in words.
    NotStarted(String),
}

/// What came of a child.
#[derive(Clone, Debug)]
pub struct Report {
    /// How it ended.
    pub end: End,
    /// Its stages, in order. Lines that are no JSON object are left out.
    pub stages: Vec<Value>,
    /// The beginning of what it said on the channel before its first stage, as code does that runs at an interpreter's start.
    pub noise: String,
    /// Time from its start to its first stage.
    pub first: Option<Duration>,
    /// Whether it came to its own end (`{"done":true}`).
    pub done: bool,
    /// Its stdout, of a child that speaks text.
    pub stdout: String,
    /// Its stderr, without the middle of a long one.
    pub stderr: String,
    /// Time from its start to its end.
    pub took: Duration,
    /// Limit it had.
    pub limit: Duration,
}

impl Report {
    /// What came of a child that could not be started.
    pub fn not_started(why: impl Into<String>) -> Report {
        Report {
            end: End::NotStarted(why.into()),
            stages: Vec::new(),
            noise: String::new(),
            first: None,
            done: false,
            stdout: String::new(),
            stderr: String::new(),
            took: Duration::ZERO,
            limit: Duration::ZERO,
        }
    }

    /// The stages that were begun and gave nothing, in order; the last is where it ended.
    pub fn unfinished(&self) -> Vec<&str> {
        unfinished(&self.stages)
    }

    /// The results of a stage.
    pub fn results<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Value> {
        self.stages.iter().filter(move |stage| stage["stage"] == name)
    }

    /// The first result of a stage.
    pub fn result<'a>(&'a self, name: &'a str) -> Option<&'a Value> {
        self.results(name).next()
    }
}

impl Spec {
    /// A child of this program that speaks in stages.
    pub fn stages(program: impl Into<PathBuf>, limit: Duration) -> Spec {
        Spec {
            program: program.into(),
            arguments: Vec::new(),
            environment: Vec::new(),
            speaks: Speaks::Stages,
            keeps_powers: true,
            limit,
        }
    }

    /// A program that prints text.
    pub fn text(program: impl Into<PathBuf>, limit: Duration) -> Spec {
        Spec { speaks: Speaks::Text, ..Spec::stages(program, limit) }
    }

    /// Adds arguments.
    pub fn arguments<S: Into<OsString>>(mut self, arguments: impl IntoIterator<Item = S>) -> Spec {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Sets a variable.
    pub fn set(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Spec {
        self.environment.push((name.as_ref().into(), Some(value.as_ref().into())));
        self
    }

    /// Removes a variable.
    pub fn unset(mut self, name: impl AsRef<OsStr>) -> Spec {
        self.environment.push((name.as_ref().into(), None));
        self
    }

    /// Lets it change `/dev` and load modules, or not. Real nvmlInit, cuInit and nvidia-smi make `/dev/nvidiactl` as
    /// root even where no driver is loaded.
    pub fn powers(mut self, keeps: bool) -> Spec {
        self.keeps_powers = keeps;
        self
    }

    /// Starts the child. What goes wrong is in its report.
    pub fn start(self) -> Session {
        let mark = orphans::mark();
        Session::new(self.spawn(mark.as_deref()), self.speaks, self.limit, mark)
    }

    /// Starts the child and waits for its end.
    pub fn run(self) -> Report {
        self.start().finish()
    }

    fn spawn(&self, mark: Option<&str>) -> Result<std::process::Child, String> {
        unusable(&self.program)?;
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.stdin(if self.speaks == Speaks::Stages { Stdio::piped() } else { Stdio::null() });
        for (name, value) in &self.environment {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        if let Some(mark) = mark {
            command.env(orphans::MARK, mark);
        }
        system::prepare(&mut command, self.keeps_powers);
        signals::starting();
        let child = command.spawn();
        signals::started(child.as_ref().ok().map(std::process::Child::id));
        child.map_err(|e| match e.raw_os_error() {
            // ENOEXEC; std has no kind for it.
            Some(8) if cfg!(unix) => "it is not a program of this machine (exec format error)".to_string(),
            _ => plain(&e),
        })
    }
}

/// What the system would not say, or would say in a misleading way: a folder gives EACCES, and an empty file is run by
/// the shell and exits with 0.
fn unusable(program: &Path) -> Result<(), String> {
    match std::fs::metadata(program) {
        Err(e) => Err(plain(&e)),
        Ok(m) if m.is_dir() => Err("it is a directory".to_string()),
        // Programs of Windows' Store are names without content.
        Ok(m) if m.is_file() && m.len() == 0 && cfg!(unix) => Err("it is an empty file".to_string()),
        Ok(_) => Ok(()),
    }
}

/// An error of the system in words, without Rust's "(os error 2)".
pub fn plain(error: &std::io::Error) -> String {
    use std::io::ErrorKind as K;
    match error.kind() {
        K::NotFound => "no such file".to_string(),
        K::PermissionDenied => "permission denied".to_string(),
        _ => {
            let text = error.to_string();
            text.split(" (os error").next().unwrap_or_default().to_lowercase()
        }
    }
}

/// The stages that were begun and gave nothing so far, in order.
pub fn unfinished(stages: &[Value]) -> Vec<&str> {
    let mut open: Vec<&str> = Vec::new();
    for stage in stages {
        if let Some(name) = stage["begin"].as_str() {
            open.push(name);
        } else if let Some(name) = stage["stage"].as_str() {
            open.retain(|o| *o != name);
        }
    }
    open
}

/// Whether two paths lead to one program. Programs lie on the machine itself, also where files are read under another
/// root.
pub fn same_program(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    one == other || real(one) == real(other)
}

/// This program, to be started again as a probe: also where its file was replaced or removed meanwhile, as by an update,
/// and where there is no /proc to tell its path.
pub fn own_program() -> PathBuf {
    const SELF: &str = "/proc/self/exe";
    match std::env::current_exe() {
        Ok(path) if cfg!(not(target_os = "linux")) || path.exists() => path,
        Ok(_) => PathBuf::from(SELF),
        Err(_) => started_as().unwrap_or_else(|| PathBuf::from(SELF)),
    }
}

/// The path that this program was started by, as the kernel keeps it for the loader.
fn started_as() -> Option<PathBuf> {
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::ffi::OsStrExt;
        // SAFETY: the kernel gives a string that lives as long as the process, or nothing.
        let name = unsafe {
            let at = libc::getauxval(libc::AT_EXECFN) as *const libc::c_char;
            (!at.is_null()).then(|| std::ffi::CStr::from_ptr(at))
        };
        name.map(|name| PathBuf::from(OsStr::from_bytes(name.to_bytes())))
    }
    #[cfg(not(target_os = "linux"))]
    None
}

/// The time now, for deadlines.
pub fn now() -> Instant {
    Instant::now()
}
