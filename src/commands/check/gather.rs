//! The facts of this machine, and what experiments add to them.

use super::progress::Line;
use super::{asked, python};
use crate::cli::LookArgs;
use crate::experiments::{self, Experiment, What};
use crate::facts::{Facts, python as keys};
use crate::machine::console::Console;
use crate::machine::{Machine, Scope, outputs};
use crate::probes::python::{Child, Chosen, REASONS};
use crate::probes::{self, Plan, Progress, Which};
use crate::snapshot::Snapshot;
use crate::subject::Subject;
use crate::tables::frameworks;
use anyhow::bail;
use std::path::PathBuf;
use std::time::Duration;

/// Limit of an experiment.
const LONGEST: Duration = Duration::from_secs(30);

/// Looks at this machine, or at what lies under `--root`, and then repeats what could decide something.
pub fn live(args: &LookArgs) -> anyhow::Result<Snapshot> {
    let mut machine = machine(args)?;
    let plan = Plan {
        deselected: asked::deselected(args)?,
        pythons: args.python.iter().map(|path| python::program(&machine, path)).collect::<Result<_, _>>()?,
        kernels: args.kernel.iter().map(|name| python::kernel(&machine, name)).collect::<Result<_, _>>()?,
        all_environments: args.all_envs,
        quick: args.quick,
        framework: args.framework.clone(),
        passive: args.passive,
        busy: args.busy,
        ..Plan::default()
    };
    let created_at = humantime::format_rfc3339_seconds(outputs::now()).to_string();
    let line = Line::new(Console::stderr());
    let mut facts = probes::run(&machine, &plan, &line);
    if machine.is_live() && !args.quick {
        // The files are read by now, so a second run is faster than the first.
        machine.limit = machine.limit.min(LONGEST);
        for experiment in experiments::wanted(&facts) {
            let Some(which) = which(&facts, &plan, &experiment) else { continue };
            let name = format!("once more, {}", experiment.variant.describe());
            line.started(&name);
            let found = probes::experiment(&machine, &plan, &facts, &which, experiment.variant);
            line.finished(&name);
            facts.extend(found);
        }
    }
    Ok(Snapshot { created_at, facts })
}

/// The probe that an experiment repeats.
fn which(facts: &Facts, plan: &Plan, experiment: &Experiment) -> Option<Which> {
    match &experiment.what {
        What::Cuda => Some(Which::Cuda),
        What::Python(subject) => {
            let (name, prefix) = subject.framework_parts()?;
            let framework = frameworks::find(name)?;
            let interpreter = facts.look(&keys::INTERPRETER, &Subject::environment(prefix)).seen()?;
            let by = REASONS.iter().find(|reason| **reason == interpreter.chosen_by)?;
            let mut chosen = Chosen::new(&PathBuf::from(interpreter.path), by);
            // The path of a kernel's interpreter may be that of another kernel; the variables are this one's.
            if let Some(kernel) = plan.kernels.iter().find(|kernel| kernel.program == chosen.path && *by == "--kernel")
            {
                chosen.variables = kernel.variables.clone();
            }
            let first = Child::first(chosen);
            // Of torch also the installed files are looked at anew: another one may be found now.
            Some(Which::Python(match first.framework.name == name {
                true => first,
                false => Child { framework, prefix: Some(prefix.to_string()), ..first },
            }))
        }
    }
}

/// The machine that is looked at.
pub fn machine(args: &LookArgs) -> anyhow::Result<Machine> {
    Ok(Machine::new(scope(args)?, Duration::from_secs(args.timeout)))
}

fn scope(args: &LookArgs) -> anyhow::Result<Scope> {
    let Some(root) = &args.root else { return Ok(Scope::Live) };
    if !outputs::is_folder(root) {
        bail!("--root {}: there is no such folder", root.display());
    }
    // Children have their own current directory in mind.
    let root = std::path::absolute(root)?;
    Ok(if args.root_live { Scope::RootLive(root) } else { Scope::Image(root) })
}
