//! `report`: the answer as a file to attach to a ticket.

use super::check;
use super::out::Out;
use crate::cli::ReportArgs;
use crate::machine::console::Colour;
use crate::render::{View, markdown};

/// Makes the report and gives the exit status.
pub fn run(args: &ReportArgs) -> anyhow::Result<u8> {
    let form = &markdown::FORMAT;
    let out = Out::to(args.output.as_deref(), form.mode)?;
    let report = check::report(&args.look, !args.no_redact)?;
    let console = out.console(Colour::Never);
    let view = View { report: &report, console: &console, verbose: false, strict: args.look.strict };
    out.write(&(form.render)(&view)?)?;
    Ok((form.status)(Some(report.verdict), args.look.strict))
}
