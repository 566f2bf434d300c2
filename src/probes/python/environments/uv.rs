//! The Pythons that uv brought, and the tools that it installed, each in an environment of its own.

use super::search::Search;

/// Finds them.
pub fn find(search: &mut Search) {
    // uv keeps to ~/.local/share on macOS as well.
    let data = if cfg!(windows) {
        search.folder("APPDATA")
    } else {
        search.folder("XDG_DATA_HOME").or_else(|| search.at_home(".local/share"))
    };
    let below = |name: &str| data.as_ref().map(|data| data.join("uv").join(name));
    if let Some(tools) = search.folder("UV_TOOL_DIR").or_else(|| below("tools")) {
        search.children(&tools, |name| format!("uv tool {name}"));
    }
    if let Some(pythons) = search.folder("UV_PYTHON_INSTALL_DIR").or_else(|| below("python")) {
        search.children(&pythons, |name| format!("Python of uv {name}"));
    }
}
