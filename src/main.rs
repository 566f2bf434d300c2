//! Parses, dispatches, and turns the outcome into an exit status.

// This is main; see clippy.toml.
#![allow(clippy::disallowed_methods)]

use clap::Parser;
use gpu_doctor::cli::Cli;
use gpu_doctor::commands;
use gpu_doctor::machine::child::plain;
use gpu_doctor::redact::secrets;
use gpu_doctor::render::{self, Format, escape};
use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Characters of an error that are shown.
const LONGEST: usize = 2000;
/// Where the last panic was, for the sentence that is said about it.
static PANICKED: Mutex<String> = Mutex::new(String::new());

/// Whether stdout was closed when this program was started. Rust opens /dev/null in its place before `main`, and then nobody can
/// tell it from a stdout that is meant to be thrown away.
static CLOSED: AtomicBool = AtomicBool::new(false);

/// Runs before that.
#[cfg(target_os = "linux")]
#[used]
// SAFETY: the loader calls what stands in this section with the arguments of `main`, before anything of Rust runs; the function
// makes one system call and sets a flag.
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = {
    extern "C" fn look() {
        // SAFETY: fcntl with plain numbers.
        CLOSED.store(unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) } == -1, Ordering::Relaxed);
    }
    look
};

fn main() -> ExitCode {
    // Not `args`, which panics where an argument is no Unicode.
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == "__probe") {
        return gpu_doctor::probes::child::main(arguments.map(|argument| argument.to_string_lossy().into_owned()));
    }
    let form = render::asked(std::env::args_os());
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => return usage(&e, form),
    };
    // A rule that panics is caught where the rules are run, and must not print into the report.
    std::panic::set_hook(Box::new(|info| {
        if let Ok(mut panicked) = PANICKED.lock() {
            *panicked = info.location().map(ToString::to_string).unwrap_or_default();
        }
    }));
    if CLOSED.load(Ordering::Relaxed) && !cli.has_output() {
        commands::tell("warning: stdout is closed, so that only the exit status tells the answer; name a file with -o");
    }
    match catch_unwind(AssertUnwindSafe(|| commands::run(cli))) {
        Ok(Ok(status)) => ExitCode::from(status),
        Ok(Err(e)) => {
            // What was read may be in it, at any length.
            let text: String = secrets::text(format!("error: {e:#}")).chars().take(LONGEST).collect();
            broken(form, &escape::line(&text))
        }
        Err(_) => {
            let place = PANICKED.lock().map(|p| p.clone()).unwrap_or_default();
            broken(form, &format!("error: gpu-doctor itself broke (at {place}); please report this sentence"))
        }
    }
}

/// Says what went wrong, and gives the exit status that the format has for it.
fn broken(form: &Format, sentence: &str) -> ExitCode {
    commands::tell(sentence);
    commands::complain(form, sentence);
    ExitCode::from((form.status)(None, false))
}

/// Help and version go to stdout with status 0, complaints to stderr. clap's own exit would panic where stdout cannot be
/// written.
fn usage(error: &clap::Error, form: &Format) -> ExitCode {
    match error.print() {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            broken(form, &format!("error: cannot write to stdout: {}", plain(&e)))
        }
        _ if error.exit_code() == 0 => ExitCode::SUCCESS,
        _ => {
            commands::complain(form, error.to_string().lines().next().unwrap_or_default());
            ExitCode::from((form.status)(None, false))
        }
    }
}
