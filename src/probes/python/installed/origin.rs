//! Where an installed package came from: `direct_url.json`, which installers write for what was not asked for by its name, and
//! REQUESTED, which they write for what was asked for by itself. conda's record says the same in its own words.

use super::listing::{Conda, Pip};
use crate::facts::python::Origin;
use crate::machine::Machine;
use serde_json::Value;
use std::path::Path;

/// A URL or a path is never longer.
const MOST_BYTES: u64 = 16 << 10;
/// Installers that keep to the standard of `direct_url.json`: where they wrote none, the package was asked for by its name.
const KNOWN: [&str; 4] = ["pip", "uv", "poetry", "pdm"];

/// The origin of a package of pip, uv and their kin, with the file that says so.
pub fn of_pip(machine: &Machine, row: &Pip) -> Option<(Origin, String)> {
    let folder = row.metadata();
    let file = Path::new(&folder).join("direct_url.json");
    let requested = Some(machine.exists(Path::new(&folder).join("REQUESTED")));
    if let Ok(bytes) = machine.range(&file, 0, MOST_BYTES) {
        let origin = Origin { requested, ..parse(&String::from_utf8_lossy(&bytes))? };
        return Some((origin, file.display().to_string()));
    }
    let installer = row.installer(machine)?.to_ascii_lowercase();
    let known = KNOWN.iter().any(|name| installer.starts_with(name));
    known.then(|| (Origin { kind: "name".to_string(), requested, ..Origin::default() }, folder))
}

/// The origin of a package of conda: its channel stands beside its version.
pub fn of_conda(row: &Conda) -> (Origin, String) {
    let requested = Some(row.spec.is_some());
    let origin = Origin { kind: "conda".to_string(), spec: row.spec.clone(), requested, ..Origin::default() };
    (origin, row.file.clone())
}

/// The origin of a package in a source folder to which a `.pth` file leads.
pub fn of_path(through: &str, folder: &Path) -> Option<(Origin, String)> {
    let editable = through.ends_with("easy-install.pth") || through.contains("__editable__");
    let from = Some(folder.display().to_string());
    let origin = || Origin { kind: "editable".to_string(), from, requested: Some(true), ..Origin::default() };
    editable.then(|| (origin(), through.to_string()))
}

/// A `direct_url.json`: https://packaging.python.org/en/latest/specifications/direct-url/.
fn parse(text: &str) -> Option<Origin> {
    let value: Value = serde_json::from_str(text).ok()?;
    let url = plain(value["url"].as_str()?);
    let path = url.strip_prefix("file://").map(|path| path.strip_prefix("localhost").unwrap_or(path).to_string());
    let kind = match (&value["vcs_info"], &value["dir_info"]) {
        (Value::Object(vcs), _) => vcs.get("vcs").and_then(Value::as_str).filter(|s| is_word(s)).unwrap_or("git"),
        (_, Value::Object(folder)) if folder.get("editable") == Some(&Value::Bool(true)) => "editable",
        (_, Value::Object(_)) => "folder",
        _ if path.is_some() => "file",
        _ => "url",
    };
    let commit = value["vcs_info"]["commit_id"].as_str().filter(|commit| commit.len() <= 64 && is_word(commit));
    Some(Origin {
        kind: kind.to_string(),
        from: Some(path.unwrap_or(url)),
        commit: commit.map(str::to_string),
        ..Origin::default()
    })
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric())
}

/// An address without the name and password in front of its host, and without what follows `?` and `#`: both may be secrets.
fn plain(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_string() };
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    // `git@` of an address for ssh is the same for everybody.
    let bare = host.rsplit_once('@').map_or(host, |(who, bare)| if who == "git" { host } else { bare });
    format!("{scheme}://{bare}{path}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(text: &str) -> String {
        let origin = parse(text).expect("an origin");
        let commit = origin.commit.map(|commit| format!(" {commit}")).unwrap_or_default();
        format!("{} {}{commit}", origin.kind, origin.from.unwrap_or_default())
    }

    #[test]
    fn each_kind_of_origin_is_told_from_its_file() {
        let wheel = r#"{"archive_info": {"hash": "sha256=1"}, "url": "https://download.pytorch.org/whl/cpu/torch-2.5.1%2Bcpu-cp311-cp311-linux_x86_64.whl"}"#;
        assert_eq!(
            origin(wheel),
            "url https://download.pytorch.org/whl/cpu/torch-2.5.1%2Bcpu-cp311-cp311-linux_x86_64.whl"
        );
        let git = r#"{"url": "https://github.com/o/r.git", "vcs_info": {"vcs": "git", "commit_id": "abc123", "requested_revision": "main"}}"#;
        assert_eq!(origin(git), "git https://github.com/o/r.git abc123");
        let editable = r#"{"dir_info": {"editable": true}, "url": "file:///src/pytorch"}"#;
        assert_eq!(origin(editable), "editable /src/pytorch");
        assert_eq!(origin(r#"{"dir_info": {}, "url": "file:///src/pytorch"}"#), "folder /src/pytorch");
        assert_eq!(origin(r#"{"archive_info": {}, "url": "file:///d/torch.whl"}"#), "file /d/torch.whl");
        assert_eq!(parse("{}"), None);
        assert_eq!(parse(r#"{"url": 5}"#), None);
    }

    #[test]
    fn an_address_is_kept_without_its_secrets() {
        assert_eq!(plain("https://user:pass@host.org/a.whl?token=1#sha256=2"), "https://host.org/a.whl");
        assert_eq!(plain("https://tok@en@host.org/a"), "https://host.org/a");
        assert_eq!(plain("ssh://git@github.com/o/r.git"), "ssh://git@github.com/o/r.git");
        assert_eq!(plain("https://host.org/@scope/a"), "https://host.org/@scope/a");
        assert_eq!(plain("https://u:p@host.org"), "https://host.org");
        assert_eq!(plain("no address"), "no address");
    }
}
