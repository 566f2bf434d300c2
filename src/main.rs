//! Parses, dispatches, and turns the outcome into an exit status.

// This is main; see clippy.toml.
#![allow(clippy::disallowed_methods)]

use clap::Parser;
use gpu_doctor::cli::Cli;
use gpu_doctor::commands::{self, BROKEN};
use gpu_doctor::machine::child::plain;
use gpu_doctor::render::escape;
use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Mutex;

/// Characters of an error that are shown.
const LONGEST: usize = 2000;
/// Where the last panic was, for the sentence that is said about it.
static PANICKED: Mutex<String> = Mutex::new(String::new());

fn main() -> ExitCode {
    // Not `args`, which panics where an argument is no Unicode.
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == "__probe") {
        return gpu_doctor::probes::child::main(arguments.map(|argument| argument.to_string_lossy().into_owned()));
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => return usage(&e),
    };
    // A rule that panics is caught where the rules are run, and must not print into the report.
    std::panic::set_hook(Box::new(|info| {
        if let Ok(mut panicked) = PANICKED.lock() {
            *panicked = info.location().map(ToString::to_string).unwrap_or_default();
        }
    }));
    match catch_unwind(AssertUnwindSafe(|| commands::run(cli))) {
        Ok(Ok(status)) => ExitCode::from(status),
        Ok(Err(e)) => {
            // What was read may be in it, at any length.
            let text: String = format!("error: {e:#}").chars().take(LONGEST).collect();
            commands::tell(&escape::line(&text));
            ExitCode::from(BROKEN)
        }
        Err(_) => {
            let place = PANICKED.lock().map(|p| p.clone()).unwrap_or_default();
            commands::tell(&format!("error: gpu-doctor itself broke (at {place}); please report this sentence"));
            ExitCode::from(BROKEN)
        }
    }
}

/// Help and version go to stdout with status 0, complaints to stderr with 2. clap's own exit would panic where stdout
/// cannot be written.
fn usage(error: &clap::Error) -> ExitCode {
    match error.print() {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            commands::tell(&format!("error: cannot write to stdout: {}", plain(&e)));
            ExitCode::from(BROKEN)
        }
        _ => ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(BROKEN)),
    }
}
