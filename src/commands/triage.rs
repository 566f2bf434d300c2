//! `triage`: pasted text instead of a machine.

use super::out::Out;
use crate::cli::TriageArgs;
use crate::machine::outputs::{self, Input};
use crate::render::{View, json};
use crate::report::Report;
use crate::triage::{self, Text};
use anyhow::anyhow;
use std::path::{Path, PathBuf};

/// Runs it and gives the exit status.
pub fn run(args: &TriageArgs) -> anyhow::Result<u8> {
    let files: Vec<PathBuf> = if args.files.is_empty() { vec![PathBuf::from("-")] } else { args.files.clone() };
    if !args.each {
        let form = args.form();
        let out = Out::to(args.output.as_deref(), form.mode)?;
        let report = judge(&files)?;
        let console = out.console(args.color);
        let view = View { report: &report, console: &console, verbose: false, strict: args.strict };
        out.write(&(form.render)(&view)?)?;
        return Ok((form.status)(Some(report.verdict), args.strict));
    }
    let mut worst = 0;
    for file in files {
        let report = judge(std::slice::from_ref(&file))?;
        let line = serde_json::json!({ "file": file.display().to_string(), "report": report });
        super::output(&json::line(&line)?)?;
        worst = worst.max(report.verdict.status(args.strict));
    }
    Ok(worst)
}

fn judge(files: &[PathBuf]) -> anyhow::Result<Report> {
    let mut inputs = Vec::new();
    for file in files {
        let name = name(file);
        let input = Input::open(file).map_err(|why| anyhow!("cannot read {name}: {why}"))?;
        inputs.push((name, input));
    }
    let several = inputs.len() > 1;
    let mut texts: Vec<Text> = inputs
        .iter_mut()
        .map(|(name, input)| Text { view: several.then_some(name.as_str()), name, bytes: input.reader() })
        .collect();
    let facts = triage::read(&mut texts).map_err(|e| anyhow!("cannot read the text: {e}"))?;
    Ok(Report::of(facts, humantime::format_rfc3339_seconds(outputs::now()).to_string()))
}

fn name(file: &Path) -> String {
    if file == Path::new("-") { "-".to_string() } else { file.display().to_string() }
}
