//! The facts of this machine.

use crate::cli::CheckArgs;
use crate::facts::Facts;
use crate::machine::{Machine, Scope, outputs};
use crate::snapshot::Snapshot;
use anyhow::bail;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Looks at this machine, or at what lies under `--root`.
pub fn live(args: &CheckArgs) -> anyhow::Result<Snapshot> {
    let machine = Machine::new(scope(args)?, Duration::from_secs(args.timeout));
    let _pythons = args.python.iter().map(|path| python(&machine, path)).collect::<anyhow::Result<Vec<_>>>()?;
    let created_at = humantime::format_rfc3339_seconds(outputs::now()).to_string();
    let mut facts = Facts::new();
    crate::probes::host::look(&machine, &mut facts);
    crate::probes::pci::look(&machine, &mut facts);
    crate::probes::kernel::look(&machine, &mut facts);
    crate::probes::runtime::look(&machine, &mut facts);
    Ok(Snapshot { created_at, facts })
}

fn scope(args: &CheckArgs) -> anyhow::Result<Scope> {
    let Some(root) = &args.root else { return Ok(Scope::Live) };
    if !root.is_dir() {
        bail!("--root {}: there is no such folder", root.display());
    }
    Ok(if args.root_live { Scope::RootLive(root.clone()) } else { Scope::Image(root.clone()) })
}

/// The interpreter that `--python` means: a program, a name on PATH, or the folder of an environment.
fn python(machine: &Machine, path: &Path) -> anyhow::Result<PathBuf> {
    let shown = path.display();
    if machine.image().is_some() {
        return Ok(path.to_path_buf());
    }
    if path.components().count() == 1
        && !path.exists()
        && let Some(found) = path.to_str().and_then(|name| machine.programs(name).into_iter().next())
    {
        return Ok(found);
    }
    // Links are kept: the link in a venv is what makes it one.
    let path = std::path::absolute(path)?;
    if path.is_dir() {
        let inside = ["bin/python", "Scripts/python.exe", "python.exe"].map(|program| path.join(program));
        match inside.into_iter().find(|program| machine.is_program(program)) {
            Some(program) => return Ok(program),
            None => bail!("--python {shown}: it is a folder, and there is no bin/python in it"),
        }
    }
    if !path.exists() {
        bail!("--python {shown}: there is no such file");
    }
    if !machine.is_program(&path) {
        bail!("--python {shown}: it is not an executable file");
    }
    Ok(path)
}
