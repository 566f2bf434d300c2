//! Every subcommand and flag.

use crate::checks::CHAIN;
use crate::machine::console::Colour;
use crate::render::{self, FORMATS, Format};
use crate::tables::frameworks;
use clap::builder::{PossibleValue, PossibleValuesParser, RangedU64ValueParser};
use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  gpu-doctor                                  Look at this machine and the Python in use
  gpu-doctor check --python ./env/bin/python  Look at this Python instead
  gpu-doctor check --framework torch          Fail unless PyTorch computes on the GPU
  gpu-doctor check --json > report.json       For programs; the same file is a snapshot
  gpu-doctor check --from report.json         Judge a snapshot, also on another machine
  gpu-doctor explain GD501                    Read all about a cause

Exit status: 0 ready or degraded, 1 not ready, 3 inconclusive, 2 wrong usage or an internal error.";

const CHECK_EXAMPLES: &str = "\
Examples:
  gpu-doctor check                                  Look at this machine and the Python in use
  gpu-doctor check --expect-gpus 8 --strict         A node's health check
  gpu-doctor check --passive                        On a busy node: make no CUDA context
  gpu-doctor check --skip framework --skip tensor   The driver alone, in milliseconds
  gpu-doctor check --save before.json               Keep a snapshot
  gpu-doctor check --from before.json               Judge it again, also on another machine
  gpu-doctor check --format json -o node.json       Into a file, which is replaced as a whole

Exit status: 0 ready or degraded (--strict: degraded is 1), 1 not ready, 3 inconclusive,
2 wrong usage or an internal error. --format nagios: 0 ready, 1 degraded, 2 not ready, 3 anything
else. --format npd: 0 ready or degraded, 1 not ready, 2 anything else.";

const REPORT_EXAMPLES: &str = "\
Examples:
  gpu-doctor report > report.md                     Markdown for a ticket on GitHub or GitLab
  gpu-doctor report -o report.md                    The same, as a whole or not at all
  gpu-doctor report --html -o report.html           One page for a browser
  gpu-doctor report --bundle report.tar.gz          With the snapshot and the texts behind it
  gpu-doctor report --from before.json              Of a snapshot, also on another machine

Exit status: as for check.";

const TRIAGE_EXAMPLES: &str = "\
Examples:
  gpu-doctor triage ticket.txt                  Judge what somebody pasted
  dmesg | gpu-doctor triage                     Judge what a command prints
  gpu-doctor triage host.txt container.txt      One machine, seen from two places
  gpu-doctor triage --each --json tickets/*     One answer a file, a line each

Exit status: as for check.";

const DIFF_EXAMPLES: &str = "\
Examples:
  gpu-doctor diff works.json fails.json         Two machines
  gpu-doctor diff before.json after.json        One machine, before and after an update
  gpu-doctor check --json | gpu-doctor diff works.json -

A snapshot is what `gpu-doctor check --json` prints and `--save FILE` keeps.
Left out: what changes by the minute (temperatures, free memory, processes) and what only names a thing (addresses, UUIDs).

Exit status: 0 the same, 1 different, 2 wrong usage or an internal error.";

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  gpu-doctor explain GD501
  gpu-doctor explain torch-cpu-only-wheel";

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  gpu-doctor completions bash > ~/.local/share/bash-completion/completions/gpu-doctor
  gpu-doctor completions zsh > ~/.zfunc/_gpu-doctor
  gpu-doctor completions fish > ~/.config/fish/completions/gpu-doctor.fish";

/// Why does my program not use the GPU, and what exactly do I do about it?
///
/// Without a command, gpu-doctor checks this machine, from the PCI bus to a tensor on the device, names the root cause
/// and gives the command that fixes it. It changes nothing, needs no root and speaks to no other machine.
#[derive(Debug, Parser)]
#[command(name = "gpu-doctor", version, after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
#[command(disable_help_subcommand = true, max_term_width = 100)]
pub struct Cli {
    /// The command; `check` where none is given.
    #[command(subcommand)]
    pub command: Option<Command>,

    /// The flags of `check` at the top.
    #[command(flatten)]
    pub check: CheckArgs,
}

impl Cli {
    /// Whether the answer goes into a file that was named.
    pub fn has_output(&self) -> bool {
        match &self.command {
            None => self.check.output.is_some(),
            Some(Command::Check(args)) => args.output.is_some(),
            Some(Command::Report(args)) => args.output.is_some() || args.bundle.is_some(),
            Some(Command::Diff(args)) => args.output.is_some(),
            Some(Command::Triage(args)) => args.output.is_some(),
            Some(Command::Explain(_) | Command::List(_) | Command::Completions(_)) => false,
        }
    }
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check this machine, or a snapshot, and name the root cause
    #[command(after_help = CHECK_EXAMPLES)]
    Check(Box<CheckArgs>),
    /// Make a report to attach to a ticket, from this machine or a snapshot
    #[command(after_help = REPORT_EXAMPLES)]
    Report(Box<ReportArgs>),
    /// Compare two snapshots: what differs between two machines, or before and after, in the order of the chain
    #[command(after_help = DIFF_EXAMPLES)]
    Diff(DiffArgs),
    /// Print all that is known about a cause: what it means, how to confirm it, how to fix it
    #[command(after_help = EXPLAIN_EXAMPLES)]
    Explain(ExplainArgs),
    /// List the checks and the known causes
    List(ListArgs),
    /// Judge pasted text: collect_env, nvidia-smi, tracebacks, kernel log, container and package messages
    #[command(after_help = TRIAGE_EXAMPLES)]
    Triage(TriageArgs),
    /// Print a completion script for a shell
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions(CompletionsArgs),
}

/// The arguments of `triage`.
#[derive(Debug, Args)]
pub struct TriageArgs {
    /// The texts of one machine; `-` or none for stdin
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Print the report as JSON, as --format json does
    #[arg(long, conflicts_with = "format")]
    pub json: bool,

    /// The form of the report
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = formats(OF_A_TEXT))]
    pub format: String,

    /// Write the report to a file instead of stdout; the file appears as a whole or not at all
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Judge each file by itself, one line of JSON a file
    #[arg(long, conflicts_with_all = ["format", "output"])]
    pub each: bool,

    /// Exit with 1 for degraded too
    #[arg(long)]
    pub strict: bool,

    /// When to use colour
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Colour::Auto)]
    pub color: Colour,
}

impl TriageArgs {
    /// The form of the report.
    pub fn form(&self) -> &'static Format {
        form(self.json, &self.format)
    }
}

/// What is looked at, and how far that may go: the flags that `check` and `report` share.
#[derive(Clone, Debug, Args)]
pub struct LookArgs {
    /// A Python to look at (a program, or the folder of its environment); may be given several times [default: the one in
    /// use: VIRTUAL_ENV, CONDA_PREFIX, the project of this folder or of one above, then PATH]
    #[arg(long, value_name = "PATH")]
    pub python: Vec<PathBuf>,

    /// A notebook's kernel to look at, by its name; may be given several times
    #[arg(long, value_name = "NAME")]
    pub kernel: Vec<String>,

    /// Look at every environment as well: of conda, uv, pyenv, pipx, poetry, virtualenvwrapper and notebooks
    #[arg(long)]
    pub all_envs: bool,

    /// Read files only, and start no program and no library: what is installed, in milliseconds
    #[arg(long)]
    pub quick: bool,

    /// The framework that has to work
    #[arg(long, value_name = "NAME", value_parser = frameworks_known())]
    pub framework: Option<String>,

    /// How many GPUs there should be; fewer is a failure
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<u32>::new().range(1..=1024))]
    pub expect_gpus: Option<u32>,

    /// Run only this check and those that it needs; may be given several times
    #[arg(long, value_name = "ID", value_parser = ids(), hide_possible_values = true)]
    pub only: Vec<String>,

    /// Leave this check out; may be given several times
    #[arg(long, value_name = "ID", value_parser = ids(), hide_possible_values = true)]
    pub skip: Vec<String>,

    /// Limit of each probe in seconds, at most 3600
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    #[arg(value_parser = RangedU64ValueParser::<u64>::new().range(1..=3600))]
    pub timeout: u64,

    /// Exit with 1 also when the machine is degraded
    #[arg(long)]
    pub strict: bool,

    /// Make no CUDA context on any GPU
    #[arg(long, conflicts_with = "busy")]
    pub passive: bool,

    /// Use GPUs on which other processes compute as well
    #[arg(long)]
    pub busy: bool,

    /// Judge a snapshot (- for stdin) instead of this machine
    #[arg(long, value_name = "FILE")]
    #[arg(conflicts_with_all = ["python", "kernel", "all_envs", "quick", "timeout", "passive", "busy", "root", "root_live"])]
    pub from: Option<PathBuf>,

    /// Look at an unpacked image: read its files under this folder and run nothing
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,

    /// With --root: run programs and libraries of this machine all the same (for tests)
    #[arg(long, requires = "root", hide_short_help = true)]
    pub root_live: bool,
}

/// The flags of `check`.
#[derive(Clone, Debug, Args)]
pub struct CheckArgs {
    /// Print the report as JSON, as --format json does
    #[arg(long, conflicts_with = "format")]
    pub json: bool,

    /// The form of the report
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = formats(FORMATS))]
    pub format: String,

    /// Write the report to a file instead of stdout; the file appears as a whole or not at all
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Replace names of users and hosts, home directories, UUIDs, serial numbers and addresses; commands with paths in them can
    /// then no longer be copied
    #[arg(long)]
    pub redact: bool,

    /// Print every check in full, and every fact
    #[arg(long, short, conflicts_with = "json")]
    pub verbose: bool,

    /// What to look at.
    #[command(flatten)]
    pub look: LookArgs,

    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Colour::Auto)]
    pub color: Colour,

    /// Write the JSON report to a file as well, for later use with --from
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
}

impl CheckArgs {
    /// The form of the report.
    pub fn form(&self) -> anyhow::Result<&'static Format> {
        let form = form(self.json, &self.format);
        if self.verbose && form.name == render::json::FORMAT.name {
            anyhow::bail!("--format json holds everything already; leave --verbose out");
        }
        Ok(form)
    }
}

/// The flags of `report`.
#[derive(Clone, Debug, Args)]
pub struct ReportArgs {
    /// Write the report to a file instead of stdout; the file appears as a whole or not at all
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Make one page for a browser, with the chain as a picture, instead of Markdown
    #[arg(long)]
    pub html: bool,

    /// Write an archive instead: the report, its snapshot, and the texts behind it (nvidia-smi -q, kernel log, packages, libraries)
    #[arg(long, value_name = "FILE.tar.gz")]
    pub bundle: Option<PathBuf>,

    /// Leave the names of users and hosts, home directories, UUIDs, serial numbers and addresses as they are; secrets go in any
    /// case
    #[arg(long)]
    pub no_redact: bool,

    /// What to look at.
    #[command(flatten)]
    pub look: LookArgs,
}

/// The arguments of `diff`.
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// The first snapshot; `-` for stdin
    #[arg(value_name = "A.json")]
    pub a: PathBuf,

    /// The second snapshot; `-` for stdin
    #[arg(value_name = "B.json")]
    pub b: PathBuf,

    /// Print the comparison as JSON
    #[arg(long)]
    pub json: bool,

    /// Write the comparison to a file instead of stdout; the file appears as a whole or not at all
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// When to use colour
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Colour::Auto)]
    pub color: Colour,
}

/// The arguments of `explain`.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// Code or name of a cause, as GD501 or torch-cpu-only-wheel
    #[arg(value_name = "CODE|NAME")]
    pub name: String,

    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Colour::Auto)]
    pub color: Colour,
}

/// The flags of `list`.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Print the list as JSON
    #[arg(long)]
    pub json: bool,

    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Colour::Auto)]
    pub color: Colour,
}

/// The arguments of `completions`.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

/// The forms that the answer about a text can take: the others are about a machine.
const OF_A_TEXT: &[&Format] = &[&render::terminal::FORMAT, &render::json::FORMAT, &render::markdown::FORMAT];

/// The format that `--json` or `--format NAME` asks for.
fn form(json: bool, name: &str) -> &'static Format {
    let name = if json { render::json::FORMAT.name } else { name };
    render::by_name(name).unwrap_or(FORMATS[0])
}

/// The names of formats, with what each is for.
fn formats(formats: &[&Format]) -> PossibleValuesParser {
    PossibleValuesParser::new(formats.iter().map(|format| PossibleValue::new(format.name).help(format.about)))
}

/// The names of the frameworks.
fn frameworks_known() -> PossibleValuesParser {
    PossibleValuesParser::new(frameworks::ALL.iter().map(|framework| framework.name))
}

/// The ids of the checks; clap names them all where one is wrong.
fn ids() -> PossibleValuesParser {
    PossibleValuesParser::new(CHAIN.iter().map(|check| check.id))
}
