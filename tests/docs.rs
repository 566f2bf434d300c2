//! The reference is made from the pages: `docs/reference.md` is what this makes, and a difference fails.
//! `UPDATE_DOCS=1 cargo test --test docs` writes it anew.

#![allow(clippy::disallowed_methods)]

use gpu_doctor::causes;
use gpu_doctor::checks::CHAIN;
use std::path::Path;

fn reference() -> String {
    let mut out = String::from(
        "# Reference\n\nMade from the pages by `UPDATE_DOCS=1 cargo test --test docs`; do not edit.\n\n## The chain\n\n\
         | id | question | needs |\n|---|---|---|\n",
    );
    for check in CHAIN {
        let needs = if check.needs.is_empty() { "-".to_string() } else { format!("`{}`", check.needs.join("`, `")) };
        out += &format!("| `{}` | {} | {needs} |\n", check.id, check.title);
    }
    out += "\n## Causes\n\n| code | slug | what is wrong | layer | severity |\n|---|---|---|---|---|\n";
    for cause in causes::all() {
        let head = cause.head();
        let folder = folder(head.slug);
        out += &format!(
            "| {} | [`{}`](../{folder}/{}.md) | {} | {} | {} |\n",
            head.code, head.slug, head.slug, head.title, head.layer, head.severity
        );
    }
    out
}

/// Where the page of a cause lies.
fn folder(slug: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let layers = std::fs::read_dir(root.join("src/causes")).expect("src/causes").filter_map(Result::ok);
    let layer = layers
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .find(|layer| root.join("src/causes").join(layer).join(format!("{slug}.md")).exists())
        .unwrap_or_else(|| panic!("no folder holds {slug}.md"));
    format!("src/causes/{layer}")
}

#[test]
fn the_reference_is_what_the_pages_say() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference.md");
    let made = reference();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &made).expect("docs/reference.md can be written");
    }
    let kept = std::fs::read_to_string(&path).expect("docs/reference.md");
    assert!(kept.replace("\r\n", "\n") == made, "docs/reference.md is old: UPDATE_DOCS=1 cargo test --test docs");
}
