//! `report`: the answer as a file to attach to a ticket.

use super::check;
use super::out::Out;
use crate::cli::ReportArgs;
use crate::machine::console::Colour;
use crate::machine::outputs::{Mode, Target};
use crate::redact::{Redactor, secrets};
use crate::render::{self, View, bundle, html, markdown};
use crate::report::Report;
use crate::snapshot::Snapshot;
use anyhow::anyhow;
use std::path::Path;

/// Makes the report and gives the exit status.
pub fn run(args: &ReportArgs) -> anyhow::Result<u8> {
    let form = if args.html { &html::FORMAT } else { &markdown::FORMAT };
    let target = args.bundle.as_deref().map(|path| Ok::<_, anyhow::Error>((path, target(path)?))).transpose()?;
    // A bundle holds the report, and a terminal need not show it as well.
    let out = match (&target, &args.output) {
        (Some(_), None) => None,
        (_, path) => Some(Out::to(path.as_deref(), form.mode)?),
    };
    let Snapshot { created_at, facts } = check::look(&args.look)?;
    let texts = if target.is_some() { check::raw(&args.look, &facts)? } else { Vec::new() };
    let mut redactor = (!args.no_redact).then(|| Redactor::of(&facts));
    let report = match &mut redactor {
        Some(redactor) => Report::redacted_by(redactor, facts, created_at),
        None => Report::of(facts, created_at),
    };
    if let Some((path, target)) = target {
        let mut clean = |text: String| {
            let text = secrets::text(text);
            redactor.as_mut().map_or(text.clone(), |redactor| redactor.text(&text))
        };
        let texts: Vec<(String, String)> = texts.into_iter().map(|raw| (raw.name, clean(raw.text))).collect();
        target.write(&bundle::archive(&report, &texts)?).map_err(|why| cannot(path, &why))?;
    }
    if let Some(out) = out {
        let console = out.console(Colour::Never);
        let view = View { report: &report, console: &console, verbose: false, strict: args.look.strict };
        out.write(&(form.render)(&view)?)?;
    }
    Ok((form.status)(Some(report.verdict), args.look.strict))
}

fn target(path: &Path) -> anyhow::Result<Target> {
    if path == Path::new("-") {
        return Err(cannot(path, "a bundle needs the name of a file"));
    }
    Target::no_link(path, Mode::Private, render::is_ours).map_err(|why| cannot(path, &why))
}

fn cannot(path: &Path, why: &str) -> anyhow::Error {
    anyhow!("cannot write the bundle {}: {why}", path.display())
}
