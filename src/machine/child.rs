//! The one runner that starts every child.
//!
//! A child gets a process group of its own, a limit, and bounded buffers for what it says. At the limit its group is
//! told to end, then killed, and after a short grace given up: a process that sleeps in the driver cannot even be
//! killed, and is never waited for without end.
//!
//! Children of our own speak in stages, lines of JSON on their stdout: `{"begin":"cuInit"}` before something that may
//! hang or crash, `{"stage":"cuInit", ...}` for what it gave, `{"waiting":"context"}` to ask for a line on stdin, and
//! `{"done":true}`. Where a channel ends, the stage that was begun last is where it ended.

mod pipes;
mod system;

use pipes::{Event, Kept};
use serde_json::Value;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Time between asking a group to end and killing it; enough for a Python to print its stack.
const ASKED: Duration = Duration::from_millis(100);
/// Time between killing a group and giving it up.
const GRACE: Duration = Duration::from_millis(300);
/// Time in which pipes may stay open after the child ended: a grandchild may hold them for ever.
const TRAILING: Duration = Duration::from_millis(200);
/// Bytes of stdout at which a child counts as flooding.
const FLOOD: usize = 8 << 20;
/// Bytes of stderr at which it does: frameworks may be talkative there.
const FLOOD_STDERR: usize = 64 << 20;

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
    /// Whether it keeps the power to make device nodes and to load modules.
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
            done: false,
            stdout: String::new(),
            stderr: String::new(),
            took: Duration::ZERO,
            limit: Duration::ZERO,
        }
    }

    /// The stages that were begun and gave nothing, in order; the last is where it ended.
    pub fn unfinished(&self) -> Vec<&str> {
        let mut open: Vec<&str> = Vec::new();
        for stage in &self.stages {
            if let Some(name) = stage["begin"].as_str() {
                open.push(name);
            } else if let Some(name) = stage["stage"].as_str() {
                open.retain(|o| *o != name);
            }
        }
        open
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

    /// Lets it make device nodes and load modules, or not. Real nvmlInit, cuInit and nvidia-smi make `/dev/nvidiactl` as
    /// root even where no driver is loaded.
    pub fn powers(mut self, keeps: bool) -> Spec {
        self.keeps_powers = keeps;
        self
    }

    /// Starts the child. What goes wrong is in its report.
    pub fn start(self) -> Session {
        let started = Instant::now();
        let (sender, events) = mpsc::channel();
        let mut session = Session {
            running: None,
            input: None,
            events,
            deadline: started + self.limit,
            started,
            stdout: Kept::default(),
            stderr: Kept::default(),
            open_pipes: 0,
            report: Report { limit: self.limit, ..Report::not_started("") },
            over: false,
        };
        match self.spawn() {
            Err(why) => {
                session.report.end = End::NotStarted(why);
                session.over = true;
            }
            Ok(mut child) => {
                session.input = child.stdin.take();
                if let Some(out) = child.stdout.take() {
                    match self.speaks {
                        Speaks::Stages => pipes::lines(out, FLOOD, sender.clone()),
                        Speaks::Text => pipes::keep(out, session.stdout.clone(), FLOOD, sender.clone()),
                    }
                    session.open_pipes += 1;
                }
                if let Some(err) = child.stderr.take() {
                    pipes::keep(err, session.stderr.clone(), FLOOD_STDERR, sender);
                    session.open_pipes += 1;
                }
                session.running = Some(system::Group::of(child));
            }
        }
        session
    }

    /// Starts the child and waits for its end.
    pub fn run(self) -> Report {
        self.start().finish()
    }

    fn spawn(&self) -> Result<std::process::Child, String> {
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
        system::prepare(&mut command, self.keeps_powers);
        command.spawn().map_err(|e| match e.raw_os_error() {
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
        Ok(m) if m.is_file() && m.len() == 0 => Err("it is an empty file".to_string()),
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

/// Why [`Session::pause`] came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pause {
    /// The child waits for a line, and says for which.
    Waiting(String),
    /// The child is over.
    Over,
}

/// A child that runs. It must be started and finished by one thread: on Linux it is killed when the thread that started
/// it ends, so that an interrupted check leaves nothing behind.
#[derive(Debug)]
pub struct Session {
    running: Option<system::Group>,
    input: Option<ChildStdin>,
    events: Receiver<Event>,
    deadline: Instant,
    started: Instant,
    stdout: Kept,
    stderr: Kept,
    open_pipes: u32,
    report: Report,
    over: bool,
}

impl Session {
    /// The stages so far.
    pub fn stages(&self) -> &[Value] {
        &self.report.stages
    }

    /// Whether it is over, without waiting.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// The process id of the child, while it runs.
    pub fn id(&self) -> Option<u32> {
        self.running.as_ref().map(system::Group::id)
    }

    /// Waits until the child asks for a line, or is over.
    pub fn pause(&mut self) -> Pause {
        let limit = self.deadline;
        self.pause_until(limit).unwrap_or(Pause::Over)
    }

    /// The same, but comes back with nothing at `moment` when the child still works and has time left.
    pub fn pause_until(&mut self, moment: Instant) -> Option<Pause> {
        let mut wait = Duration::from_millis(1);
        let mut ended: Option<Instant> = None;
        while !self.over {
            // First what was said and what happened, then the clock: this may be called long after the child asked.
            if let Ok(event) = self.events.try_recv() {
                match self.take(event) {
                    Some(question) => return Some(Pause::Waiting(question)),
                    None => continue,
                }
            }
            let now = Instant::now();
            if ended.is_none() && self.running.as_mut().is_none_or(|group| group.has_ended()) {
                ended = Some(now);
            }
            match ended {
                Some(since) if self.open_pipes == 0 || now >= since + TRAILING => self.close(None),
                None if now >= self.deadline => self.close(Some(End::TimedOut { abandoned: false })),
                None if now >= moment => return None,
                _ => {}
            }
            if self.over {
                break;
            }
            match self.events.recv_timeout(wait) {
                Ok(event) => {
                    if let Some(question) = self.take(event) {
                        return Some(Pause::Waiting(question));
                    }
                }
                Err(RecvTimeoutError::Timeout) => wait = (wait * 2).min(Duration::from_millis(20)),
                // Both pipes are closed; the end cannot be far.
                Err(RecvTimeoutError::Disconnected) => std::thread::sleep(Duration::from_millis(1)),
            }
        }
        Some(Pause::Over)
    }

    /// Answers the child's question with a line, and gives it its limit anew.
    pub fn answer(&mut self, line: &str) {
        self.deadline = Instant::now() + self.report.limit;
        if let Some(input) = &mut self.input {
            // A child that is gone shows in its end, not here.
            let _ = input.write_all(format!("{line}\n").as_bytes()).and_then(|()| input.flush());
        }
    }

    /// Shortens or moves the deadline.
    pub fn due(&mut self, deadline: Instant) {
        self.deadline = deadline;
    }

    /// Answers no more questions, waits for the end, and says what came of it.
    pub fn finish(mut self) -> Report {
        self.input = None;
        while let Pause::Waiting(_) = self.pause() {}
        std::mem::replace(&mut self.report, Report::not_started("it is over"))
    }

    /// Takes in what a pipe gave; gives back a question.
    fn take(&mut self, event: Event) -> Option<String> {
        match event {
            Event::Line(line) => {
                let Ok(Value::Object(stage)) = serde_json::from_slice::<Value>(&line) else { return None };
                let stage = Value::Object(stage);
                self.report.done |= stage["done"] == true;
                let question = stage["waiting"].as_str().map(str::to_string);
                self.report.stages.push(stage);
                return question;
            }
            Event::End => self.open_pipes -= 1,
            Event::Flooded if self.over => {}
            Event::Flooded => self.close(Some(End::Flooded)),
        }
        None
    }

    /// Ends the child: of itself (nothing given), or because of the limit or a flood.
    fn close(&mut self, because: Option<End>) {
        self.over = true;
        self.input = None;
        let Some(mut group) = self.running.take() else { return };
        let asked = Instant::now();
        if because.is_some() {
            group.ask_to_end();
            while !group.has_ended() && asked.elapsed() < ASKED {
                std::thread::sleep(Duration::from_millis(2));
            }
        }
        // What the child started and left behind goes too; this comes before the child is reaped, so that its number
        // cannot have been given to somebody else.
        group.kill();
        let killed = Instant::now();
        while !group.has_ended() && killed.elapsed() < GRACE {
            std::thread::sleep(Duration::from_millis(2));
        }
        let own = group.reap();
        self.report.end = match (because, own) {
            (Some(End::TimedOut { .. }), own) => End::TimedOut { abandoned: own.is_none() },
            (Some(end), _) => end,
            (None, Some(end)) => end,
            (None, None) => End::TimedOut { abandoned: true },
        };
        // What still lies in the channel was said before the end.
        while let Ok(event) = self.events.recv_timeout(Duration::from_millis(if self.open_pipes > 0 { 5 } else { 0 })) {
            self.take(event);
        }
        self.report.stdout = self.stdout.text();
        self.report.stderr = self.stderr.text();
        self.report.took = self.started.elapsed();
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if !self.over {
            self.close(Some(End::TimedOut { abandoned: false }));
        }
    }
}

/// Whether two paths lead to one program. Programs lie on the machine itself, also where files are read under another
/// root.
pub fn same_program(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    one == other || real(one) == real(other)
}

/// This program, to be started again as a probe.
pub fn own_program() -> PathBuf {
    std::env::current_exe().unwrap_or_else(|_| PathBuf::from("gpu-doctor"))
}

/// The time now, for deadlines.
pub fn now() -> Instant {
    Instant::now()
}
