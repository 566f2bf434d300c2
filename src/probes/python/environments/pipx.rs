//! The programs that pipx installed, each in an environment of its own.

use super::search::Search;
use std::path::PathBuf;

/// Finds them. A home that an older pipx made (`~/.local/pipx`) goes on to be used.
pub fn find(search: &mut Search) {
    let mut homes: Vec<PathBuf> = Vec::new();
    homes.extend(search.folder("PIPX_HOME"));
    homes.extend(search.at_home(".local/pipx"));
    homes.extend(search.data().map(|data| data.join("pipx")));
    homes.extend(search.folder("PIPX_GLOBAL_HOME"));
    homes.push("/opt/pipx".into());
    for home in homes {
        search.children(&home.join("venvs"), |name| format!("pipx program {name}"));
    }
}
