//! What `--python` and `--kernel` mean.

use crate::machine::child::plain;
use crate::machine::{FileKind, Machine, outputs};
use crate::probes::python::Kernel;
use anyhow::{anyhow, bail};
use std::path::{Path, PathBuf};

/// The notebook's kernel that `--kernel` means.
pub fn kernel(machine: &Machine, name: &str) -> anyhow::Result<Kernel> {
    if !machine.is_live() {
        bail!("--kernel {name}: with --root no program is run, so no Python can be asked");
    }
    crate::probes::python::kernel(machine, name).map_err(|why| anyhow!("--kernel {name}: {why}"))
}

/// The interpreter that is meant: a program, a name on PATH, or the folder of an environment.
pub fn program(machine: &Machine, named: &Path) -> anyhow::Result<PathBuf> {
    let shown = named.display();
    if !machine.is_live() {
        bail!("--python {shown}: with --root no program is run, so no Python can be asked");
    }
    if named.components().count() == 1
        && !machine.exists_here(named)
        && let Some(found) = named.to_str().and_then(|name| machine.programs(name).into_iter().next())
    {
        return Ok(found);
    }
    // Links are kept: the link in a venv is what makes it one.
    let path = std::path::absolute(named)?;
    let files = machine.of_programs();
    if outputs::is_folder(&path) {
        let inside = ["bin/python", "Scripts/python.exe", "python.exe"]
            .map(|program| path.join(program.split('/').collect::<PathBuf>()));
        // One that is there and cannot be started says best itself why not.
        let is_there = |program: &&PathBuf| {
            let known = files.stat(program).map_or_else(|e| !is_absent(&e), |entry| entry.kind == FileKind::File);
            known || outputs::end_of_link(program).is_some_and(|_| !outputs::is_folder(program))
        };
        let usable = inside.iter().find(|program| machine.is_program(program));
        match usable.or(inside.iter().find(is_there)) {
            Some(inside) => return program(machine, inside),
            None => bail!("--python {shown}: it is a folder without bin/python in it"),
        }
    }
    if let Err(e) = files.stat(&path) {
        if let Some(target) = outputs::end_of_link(&path) {
            bail!(
                "--python {shown}: it leads to {}, which is not there or is out of this user's reach",
                target.display()
            );
        }
        match is_absent(&e) {
            true => bail!("--python {shown}: there is no such file"),
            false => bail!("--python {shown}: {}", plain(&e)),
        }
    }
    if !machine.is_program(&path) {
        bail!("--python {shown}: it is not an executable file");
    }
    Ok(path)
}

/// Whether an error says that nothing is there, rather than that it cannot be seen.
fn is_absent(error: &std::io::Error) -> bool {
    use std::io::ErrorKind as K;
    matches!(error.kind(), K::NotFound | K::NotADirectory)
}
