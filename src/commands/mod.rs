//! One file per subcommand.

mod check;
mod completions;
mod diff;
mod explain;
mod list;
mod out;
mod report;
mod triage;

use crate::cli::{Cli, Command};
use crate::machine::child::{adopt, plain};
use crate::machine::signals;
use crate::render::Format;
use std::io::{ErrorKind, Write};

/// Exit status of a run that went wrong: bad usage or an internal error.
pub const BROKEN: u8 = 2;

/// Runs what was asked for, and gives the exit status.
pub fn run(cli: Cli) -> anyhow::Result<u8> {
    signals::prepare();
    adopt();
    match cli.command {
        None => check::run(&cli.check),
        Some(Command::Check(args)) => check::run(&args),
        Some(Command::Report(args)) => report::run(&args),
        Some(Command::Diff(args)) => diff::run(&args),
        Some(Command::Explain(args)) => explain::run(&args),
        Some(Command::List(args)) => list::run(&args),
        Some(Command::Completions(args)) => completions::run(&args),
        Some(Command::Triage(args)) => triage::run(&args),
    }
}

/// Writes to stdout. That nobody reads any more (`| head -1`) is not an error.
pub fn output(bytes: &[u8]) -> anyhow::Result<()> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => anyhow::bail!("cannot write to stdout: {}", plain(&e)),
        _ => Ok(()),
    }
}

/// Says what went wrong on stdout as well, for a format whose readers look there; where that is closed, nobody does.
pub fn complain(form: &Format, sentence: &str) {
    if let Some(complain) = form.complain {
        let _ = std::io::stdout().write_all(complain(sentence).as_bytes());
    }
}

/// Writes a line to stderr; where that is closed, there is nobody to tell.
pub fn tell(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}
