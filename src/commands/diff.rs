//! `diff`: two snapshots side by side.

use super::check;
use super::out::Out;
use crate::cli::DiffArgs;
use crate::diff;
use crate::machine::outputs::Mode;
use crate::render::difference;
use crate::report::Report;
use std::path::Path;

/// Compares them and gives the exit status: 0 same, 1 different.
pub fn run(args: &DiffArgs) -> anyhow::Result<u8> {
    if args.a == Path::new("-") && args.b == Path::new("-") {
        anyhow::bail!("only one of the two can come from stdin; name a file for the other");
    }
    let out = Out::to(args.output.as_deref(), Mode::Usual)?;
    let (a, b) = (judge(&args.a)?, judge(&args.b)?);
    let name = |path: &Path| path.display().to_string();
    let comparison = diff::compare((&name(&args.a), &a), (&name(&args.b), &b));
    match args.json {
        true => out.write(&difference::json(&comparison)?)?,
        false => out.write(difference::text(&comparison, &out.console(args.color)).as_bytes())?,
    }
    Ok(u8::from(!comparison.same()))
}

fn judge(path: &Path) -> anyhow::Result<Report> {
    let snapshot = check::read(path)?;
    Ok(Report::of(snapshot.facts, snapshot.created_at))
}
