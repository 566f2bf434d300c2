//! `list`: the checks and the causes.

use crate::causes;
use crate::checks::CHAIN;
use crate::cli::ListArgs;
use crate::machine::console::Console;
use crate::render::json;
use crate::render::paint::Tone;
use serde::Serialize;

#[derive(Serialize)]
struct List {
    checks: Vec<CheckLine>,
    causes: Vec<CauseLine>,
}

#[derive(Serialize)]
struct CheckLine {
    id: &'static str,
    title: &'static str,
    needs: &'static [&'static str],
}

#[derive(Serialize)]
struct CauseLine {
    code: &'static str,
    slug: &'static str,
    layer: &'static str,
    severity: &'static str,
    title: &'static str,
}

/// Prints the list.
pub fn run(args: &ListArgs) -> anyhow::Result<u8> {
    let checks = CHAIN.iter().map(|c| CheckLine { id: c.id, title: c.title, needs: c.needs }).collect();
    let mut causes: Vec<CauseLine> = causes::all()
        .map(|cause| cause.head())
        .map(|h| CauseLine { code: h.code, slug: h.slug, layer: h.layer, severity: h.severity, title: h.title })
        .collect();
    causes.sort_by_key(|cause| cause.code);
    let list = List { checks, causes };
    match args.json {
        true => super::output(&json::document(&list)?)?,
        false => super::output(text(&list, &Console::stdout(args.color)).as_bytes())?,
    }
    Ok(0)
}

fn text(list: &List, console: &Console) -> String {
    let id = list.checks.iter().map(|c| c.id.len()).max().unwrap_or_default();
    let slug = list.causes.iter().map(|c| c.slug.len()).max().unwrap_or_default();
    let mut out = console.paint(Tone::Strong, "Checks, in their order") + "\n";
    for check in &list.checks {
        let needs = match check.needs {
            [] => String::new(),
            needs => console.paint(Tone::Faint, &format!(" (needs {})", needs.join(", "))),
        };
        out.push_str(&format!("  {:<id$}  {}{needs}\n", check.id, check.title));
    }
    out.push_str(&format!("\n{}\n", console.paint(Tone::Strong, "Causes")));
    for cause in &list.causes {
        out.push_str(&format!("  {}  {:<slug$}  {}\n", cause.code, cause.slug, cause.title));
    }
    out.push_str("\nRead about one with: gpu-doctor explain CODE\n");
    out
}
