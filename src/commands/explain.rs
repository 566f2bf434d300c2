//! `explain`: the page of a cause.

use crate::causes;
use crate::checks;
use crate::cli::ExplainArgs;
use crate::machine::console::Console;
use crate::render::{escape, page};

/// How near a name must be to be suggested, from 0 (nothing in common) to 1 (the same).
const NEAR: f64 = 0.6;

/// Prints the page.
pub fn run(args: &ExplainArgs) -> anyhow::Result<u8> {
    let Some(cause) = causes::find(args.name.trim()) else { anyhow::bail!(unknown(args.name.trim())) };
    super::output(page::page(cause.page, &Console::stdout(args.color)).as_bytes())?;
    Ok(0)
}

fn unknown(name: &str) -> String {
    let shown = escape::line(name);
    let help = "see all with: gpu-doctor list";
    if let Some(check) = checks::by_id(name) {
        return format!("{} is a check, not a cause: {}; {help}", check.id, check.title);
    }
    match near(name).as_slice() {
        [] => format!("no cause has the code or name {shown}; {help}"),
        near => format!("no cause has the code or name {shown}; did you mean {}? Otherwise {help}", near.join(" or ")),
    }
}

/// At most three codes or names that look or sound like it.
fn near(name: &str) -> Vec<&'static str> {
    let name = name.to_ascii_lowercase();
    let mut near: Vec<(f64, &str)> = causes::all()
        .flat_map(|cause| [cause.head().code, cause.head().slug])
        .map(|word| {
            let other = word.to_ascii_lowercase();
            let contained = name.len() > 3 && other.contains(&name);
            (if contained { 1.0 } else { strsim::normalized_damerau_levenshtein(&name, &other) }, word)
        })
        .filter(|(score, _)| *score >= NEAR)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    near.truncate(3);
    near.into_iter().map(|(_, word)| word).collect()
}
