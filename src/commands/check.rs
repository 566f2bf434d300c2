//! `check`: gather the facts (or read them), judge them, repeat what an experiment could decide, and answer.

mod asked;
mod gather;
mod progress;
mod python;

use crate::cli::CheckArgs;
use crate::machine::console::Console;
use crate::machine::outputs::{self, Target};
use crate::render::{json, terminal};
use crate::report::{Report, Verdict};
use crate::snapshot::{self, Snapshot};
use anyhow::{anyhow, bail};
use std::path::Path;

/// Runs the check and gives the exit status.
pub fn run(args: &CheckArgs) -> anyhow::Result<u8> {
    // What cannot be written is said before a minute is spent on looking.
    let target = args.save.as_deref().map(target).transpose()?;
    let Snapshot { created_at, mut facts } = match &args.from {
        Some(path) => read(path)?,
        None => gather::live(args)?,
    };
    asked::record(args, &mut facts)?;
    let report = Report::of(facts, created_at);
    let document = if args.json || target.is_some() { Some(json::document(&report)?) } else { None };
    match &document {
        Some(document) if args.json => super::output(document)?,
        _ => {
            let console = Console::stdout(args.color);
            super::output(terminal::report(&report, &console, args.verbose).as_bytes())?;
        }
    }
    if let (Some(target), Some(document), Some(path)) = (&target, &document, &args.save) {
        target.write(document).map_err(|why| anyhow!("cannot save {}: {why}", path.display()))?;
    }
    Ok(status(report.verdict, args.strict))
}

/// The exit status of the contract.
pub fn status(verdict: Verdict, strict: bool) -> u8 {
    match verdict {
        Verdict::Ready => 0,
        Verdict::Degraded => u8::from(strict),
        Verdict::NotReady => 1,
        Verdict::Inconclusive => 3,
    }
}

fn target(path: &Path) -> anyhow::Result<Target> {
    if path == Path::new("-") {
        bail!("--save needs the name of a file; for stdout use --json");
    }
    Target::new(path, snapshot::is_ours).map_err(|why| anyhow!("cannot save {}: {why}", path.display()))
}

fn read(path: &Path) -> anyhow::Result<Snapshot> {
    let name = if path == Path::new("-") { "stdin".to_string() } else { path.display().to_string() };
    let bytes = outputs::read(path, snapshot::LONGEST).map_err(|why| anyhow!("cannot read {name}: {why}"))?;
    snapshot::parse(&bytes).map_err(|why| anyhow!("{name} {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_status_is_a_contract() {
        let of = |strict| {
            [Verdict::Ready, Verdict::Degraded, Verdict::NotReady, Verdict::Inconclusive].map(|v| status(v, strict))
        };
        assert_eq!(of(false), [0, 0, 1, 3]);
        assert_eq!(of(true), [0, 1, 1, 3]);
    }
}
