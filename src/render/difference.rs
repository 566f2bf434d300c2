//! Two machines side by side, for a person and for programs.

use super::escape;
use super::paint::Tone;
use super::words;
use crate::diff::{Comparison, Difference, Side};
use crate::machine::console::Console;
use crate::report::Verdict;

/// Causes of a side that are named.
const CAUSES: usize = 3;
/// Things that a difference names; more are counted.
const NAMED: usize = 3;

/// The comparison as JSON, with a new line at its end.
pub fn json(comparison: &Comparison) -> anyhow::Result<Vec<u8>> {
    Ok(super::json::document(&serde_json::json!({
        "schema_version": crate::report::SCHEMA_VERSION,
        "same": comparison.same(),
        "a": side_json(&comparison.a),
        "b": side_json(&comparison.b),
        "outcomes": comparison.outcomes,
        "differences": comparison.differences,
        "one_sided": comparison.one_sided.iter().map(|(check, a, b)| serde_json::json!({"check": check, "a": a, "b": b}))
            .collect::<Vec<_>>(),
    }))?)
}

fn side_json(side: &Side) -> serde_json::Value {
    let causes: Vec<serde_json::Value> =
        side.causes.iter().map(|(code, slug)| serde_json::json!({"code": code, "slug": slug})).collect();
    serde_json::json!({
        "file": side.file, "created_at": side.created_at, "verdict": side.verdict, "root_causes": causes,
    })
}

/// The comparison as text.
pub fn text(comparison: &Comparison, console: &Console) -> String {
    let mut out = side("A", &comparison.a, console) + &side("B", &comparison.b, console) + "\n";
    if comparison.same() {
        out += &console.wrap("Nothing differs that may matter.", "", "");
    }
    for check in crate::checks::CHAIN {
        let outcome = comparison.outcomes.iter().find(|outcome| outcome.check == check.id);
        let differences: Vec<&Difference> =
            comparison.differences.iter().filter(|difference| difference.check == check.id).collect();
        if outcome.is_none() && differences.is_empty() {
            continue;
        }
        let status = |status: Option<_>| status.map_or("not there", words::status);
        let came_out = outcome.map(|o| format!(": {} in A, {} in B", status(o.a), status(o.b))).unwrap_or_default();
        out += &console.wrap(&format!("{}{came_out}", console.paint(Tone::Strong, check.id)), "", "  ");
        for difference in differences {
            out += &console.wrap(&escape::line(&format!("{}{}", difference.label, about(difference))), "  ", "    ");
            out += &console.wrap(&escape::line(&format!("A: {}", difference.a)), "    ", "       ");
            out += &console.wrap(&escape::line(&format!("B: {}", difference.b)), "    ", "       ");
        }
    }
    out + &one_sided(comparison, console)
}

fn side(letter: &str, side: &Side, console: &Console) -> String {
    let (tone, word) = match side.verdict {
        Verdict::Ready => (Tone::Good, "ready"),
        Verdict::Degraded => (Tone::Doubtful, "degraded"),
        Verdict::NotReady => (Tone::Bad, "not ready"),
        Verdict::Inconclusive => (Tone::Doubtful, "inconclusive"),
    };
    let mut causes: Vec<String> =
        side.causes.iter().take(CAUSES).map(|(code, slug)| format!("{code} {slug}")).collect();
    if side.causes.len() > CAUSES {
        causes.push(format!("{} more", side.causes.len() - CAUSES));
    }
    let causes = if causes.is_empty() { String::new() } else { format!(": {}", causes.join(", ")) };
    let head = format!("{letter}  {}, {}: ", escape::line(&side.file), side.created_at);
    console.wrap(&format!("{head}{}{causes}", console.paint(tone, word)), "", "   ")
}

fn about(difference: &Difference) -> String {
    match difference.about.as_slice() {
        [] => String::new(),
        few if few.len() <= NAMED => format!(" [{}]", few.join(", ")),
        many => format!(" [{} and {} more]", many[..NAMED].join(", "), many.len() - NAMED),
    }
}

/// What could not be compared. A broken link of the chain hides all that comes after it.
fn one_sided(comparison: &Comparison, console: &Console) -> String {
    let side = |letter: &str, count: fn(&(&str, usize, usize)) -> usize| {
        let checks: Vec<String> = comparison
            .one_sided
            .iter()
            .filter(|row| count(row) > 0)
            .map(|row| format!("{} ({})", row.0, count(row)))
            .collect();
        (!checks.is_empty()).then(|| format!("only in {letter}: {}", checks.join(", ")))
    };
    let parts: Vec<String> = [side("A", |row| row.1), side("B", |row| row.2)].into_iter().flatten().collect();
    if parts.is_empty() {
        return String::new();
    }
    format!(
        "\n{}",
        console.wrap(
            &format!("Not compared, because only one of the two was looked at there: {}.", parts.join("; ")),
            "",
            "  "
        )
    )
}
