//! `completions`: a script for a shell.

use crate::cli::{Cli, CompletionsArgs};
use clap::CommandFactory;

/// Prints the script.
pub fn run(args: &CompletionsArgs) -> anyhow::Result<u8> {
    // Into memory first: the generator panics where it cannot write.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "gpu-doctor", &mut script);
    super::output(&script)?;
    Ok(0)
}
