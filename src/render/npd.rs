//! One short line for a custom plugin of Kubernetes' node-problem-detector, and its exit status: 0 no problem, 1 a problem,
//! anything else not known.
//!
//! Of stdout it keeps `max_output_length` bytes, 80 if not set, wherever that cuts: pkg/custompluginmonitor of
//! <https://github.com/kubernetes/node-problem-detector>.

use super::{Format, answer, cut, escape};
use crate::report::{Report, Verdict};

/// One short line.
pub static FORMAT: Format = Format {
    status: |verdict, strict| match verdict {
        Some(Verdict::Ready) => 0,
        Some(Verdict::Degraded) => u8::from(strict),
        Some(Verdict::NotReady) => 1,
        Some(Verdict::Inconclusive) | None => 2,
    },
    complain: Some(short),
    ..Format::new("npd", "a custom plugin of Kubernetes' node-problem-detector, with its exit status", |view| {
        Ok(line(view.report).into_bytes())
    })
};

/// Bytes of the line without its end.
const LONGEST: usize = 79;

fn line(report: &Report) -> String {
    let answer = answer::of(report);
    match (report.verdict, report.root_causes.first(), report.unknowns.first()) {
        // What is only noted is no condition of a node.
        (Verdict::Degraded | Verdict::NotReady, Some(cause), _) => short(&format!("{} {}", cause.code, cause.title)),
        (Verdict::Inconclusive, _, Some(unknown)) => short(&format!("not known: {}", unknown.need)),
        _ => short(&format!("{}: {}", answer.word.to_lowercase(), answer.sentence)),
    }
}

fn short(text: &str) -> String {
    cut(&format!("gpu-doctor: {}", escape::line(text)), LONGEST) + "\n"
}
