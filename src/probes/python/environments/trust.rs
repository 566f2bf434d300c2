//! Whose interpreters are started.

use super::Chosen;
use crate::machine::Machine;
use std::path::Path;

/// Why an interpreter is not started, if so. What counts is the file behind the links and the folders that could swap it.
///
/// As root, a program that somebody else owns is not run: in a cloned repository, `./.venv/bin/python` is theirs. Anybody
/// else runs no program that a third user left where it was only looked for because it lies in a folder above.
pub fn distrust(machine: &Machine, chosen: &Chosen) -> Option<String> {
    let me = machine.user_here()?;
    let lies_about = chosen.by.ends_with("project") || chosen.by == ".venv";
    if me != 0 && !lies_about {
        return None;
    }
    let path = chosen.path.as_path();
    let folder = path.parent()?;
    let (what, uid) = [Some(path), Some(folder), folder.parent()]
        .into_iter()
        .flatten()
        .find_map(|p: &Path| machine.owner_here(p).filter(|uid| *uid != 0 && *uid != me).map(|uid| (p, uid)))?;
    let who = if me == 0 { "this runs as root, and " } else { "" };
    Some(format!("{who}{} belongs to user {uid}; --python {} runs it all the same", what.display(), path.display()))
}
