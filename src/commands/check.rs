//! `check`: gather the facts (or read them), judge them, repeat what an experiment could decide, and answer.

mod asked;
mod gather;
mod progress;
mod python;

use super::out::{self, Out};
use crate::cli::{CheckArgs, LookArgs};
use crate::facts::Facts;
use crate::machine::outputs::{self, Mode, Target};
use crate::probes::raw::{self, Raw};
use crate::render::{View, json};
use crate::report::Report;
use crate::snapshot::{self, Snapshot};
use anyhow::{anyhow, bail};
use std::path::Path;
use std::time::Duration;

/// Runs the check and gives the exit status.
pub fn run(args: &CheckArgs) -> anyhow::Result<u8> {
    // What cannot be written is said before a minute is spent on looking.
    let target = args.save.as_deref().map(target).transpose()?;
    let form = args.form()?;
    let out = Out::to(args.output.as_deref(), form.mode)?;
    let report = report(&args.look, args.redact)?;
    let console = out.console(args.color);
    let view = View { report: &report, console: &console, verbose: args.verbose, strict: args.look.strict };
    out.write(&(form.render)(&view)?)?;
    if let Some(append) = &form.append {
        out::append(append, &view)?;
    }
    if let (Some(target), Some(path)) = (&target, &args.save) {
        let document = json::document(&report)?;
        target.write(&document).map_err(|why| anyhow!("cannot save {}: {why}", path.display()))?;
    }
    Ok((form.status)(Some(report.verdict), args.look.strict))
}

/// Looks at this machine, or at the snapshot, and judges; `redact` leaves identity out.
fn report(args: &LookArgs, redact: bool) -> anyhow::Result<Report> {
    let Snapshot { created_at, facts } = look(args)?;
    Ok(if redact { Report::redacted(facts, created_at) } else { Report::of(facts, created_at) })
}

/// What is seen on this machine, or was when the snapshot was made.
pub fn look(args: &LookArgs) -> anyhow::Result<Snapshot> {
    let Snapshot { created_at, mut facts } = match &args.from {
        Some(path) => read(path)?,
        None => gather::live(args)?,
    };
    asked::record(args, &mut facts)?;
    Ok(Snapshot { created_at, facts })
}

/// The texts behind the facts: asked for anew on this machine, or what the snapshot holds of them.
pub fn raw(args: &LookArgs, facts: &Facts) -> anyhow::Result<Vec<Raw>> {
    let asked = match &args.from {
        Some(_) => raw::known_packages(facts),
        None => {
            let mut machine = gather::machine(args)?;
            machine.limit = machine.limit.min(RAW);
            raw::look(&machine, facts)
        }
    };
    Ok(raw::known(facts).into_iter().chain(asked).collect())
}

/// Limit for all of these texts together.
const RAW: Duration = Duration::from_secs(30);

fn target(path: &Path) -> anyhow::Result<Target> {
    if path == Path::new("-") {
        bail!("--save needs the name of a file; for stdout use --json");
    }
    Target::new(path, Mode::Private, snapshot::is_ours).map_err(|why| anyhow!("cannot save {}: {why}", path.display()))
}

/// Reads a snapshot; `-` is stdin.
pub fn read(path: &Path) -> anyhow::Result<Snapshot> {
    let name = if path == Path::new("-") { "stdin".to_string() } else { path.display().to_string() };
    let bytes = outputs::read(path, snapshot::LONGEST).map_err(|why| anyhow!("cannot read {name}: {why}"))?;
    snapshot::parse(&bytes).map_err(|why| anyhow!("{name} {why}"))
}
