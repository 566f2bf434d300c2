//! Metrics for the textfile collector of Prometheus' node exporter.
//!
//! All are gauges in base units, without timestamps (the collector refuses files that have them); when the machine was
//! looked at is a metric of its own. The labels are words of this program, codes of its causes and PCI addresses, so
//! their number is bounded; every status and verdict is always there, so that no series goes away when all is well.
//! <https://prometheus.io/docs/practices/naming/>, <https://github.com/prometheus/node_exporter#textfile-collector>

use super::{Format, View, escape};
use crate::checks::{CHAIN, Status};
use crate::machine::outputs::Mode;
use crate::report::{Report, Severity, Verdict};
use crate::subject::Kind;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::UNIX_EPOCH;

/// Metrics.
pub static FORMAT: Format = Format {
    // The exporter runs as another user.
    mode: Mode::Everyone,
    ..Format::new("prometheus", "metrics for the textfile collector of Prometheus' node exporter", |view| {
        Ok(metrics(view).into_bytes())
    })
};

const VERDICTS: [Verdict; 4] = [Verdict::Ready, Verdict::Degraded, Verdict::NotReady, Verdict::Inconclusive];
const STATUSES: [Status; 7] = [
    Status::Pass,
    Status::Warn,
    Status::Fail,
    Status::Unknown,
    Status::Skip,
    Status::NotApplicable,
    Status::Deselected,
];
const SEVERITIES: [(Severity, &str); 3] =
    [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Note, "note")];

fn metrics(view: &View) -> String {
    let report = view.report;
    let mut out = String::new();
    head(&mut out, "gpu_doctor_info", "The program that looked; always 1.");
    sample(&mut out, "gpu_doctor_info", &[("version", report.tool.version)], 1);

    head(&mut out, "gpu_doctor_last_run_timestamp_seconds", "When the machine was looked at, in seconds since 1970.");
    sample(&mut out, "gpu_doctor_last_run_timestamp_seconds", &[], seconds(&report.created_at));

    head(&mut out, "gpu_doctor_verdict", "1 for the verdict that holds, 0 for the others.");
    for verdict in VERDICTS {
        let holds = u64::from(verdict == report.verdict);
        sample(&mut out, "gpu_doctor_verdict", &[("verdict", verdict.name())], holds);
    }

    head(
        &mut out,
        "gpu_doctor_check_results",
        "Results of a check with a status, one per GPU, environment or machine.",
    );
    for check in CHAIN {
        for status in STATUSES {
            let count = report.checks.iter().filter(|row| row.id == check.id && row.status == status).count();
            let labels = [("check", check.id), ("status", status.name())];
            sample(&mut out, "gpu_doctor_check_results", &labels, count as u64);
        }
    }

    gpus(&mut out, report);

    head(&mut out, "gpu_doctor_faults", "Faults that were found.");
    let groups = report.groups();
    for (severity, name) in SEVERITIES {
        let count = groups.iter().filter(|group| group.iter().any(|cause| cause.severity == severity)).count();
        sample(&mut out, "gpu_doctor_faults", &[("severity", name)], count as u64);
    }

    causes(&mut out, report);
    out
}

/// Failed rows per GPU, so that an alert can name the one to look at.
fn gpus(out: &mut String, report: &Report) {
    let mut failed: BTreeMap<&str, u64> = BTreeMap::new();
    for row in report.checks.iter().filter(|row| row.subject.kind == Kind::Gpu) {
        *failed.entry(&row.subject.id).or_default() += u64::from(row.status == Status::Fail);
    }
    if failed.is_empty() {
        return;
    }
    head(out, "gpu_doctor_gpu_failed_checks", "Checks that failed for a GPU.");
    for (gpu, count) in failed {
        sample(out, "gpu_doctor_gpu_failed_checks", &[("gpu", gpu)], count);
    }
}

/// The root causes: how many things each affects.
fn causes(out: &mut String, report: &Report) {
    let mut causes: BTreeMap<&str, (&str, &str, u64)> = BTreeMap::new();
    for cause in &report.root_causes {
        let severity = SEVERITIES.iter().find(|(s, _)| *s == cause.severity).map_or("", |(_, name)| name);
        causes.entry(cause.code).or_insert((cause.slug, severity, 0)).2 += 1;
    }
    if causes.is_empty() {
        return;
    }
    head(
        out,
        "gpu_doctor_root_cause",
        "What a root cause, or a candidate for one, affects: so many GPUs or environments.",
    );
    for (code, (slug, severity, count)) in causes {
        sample(out, "gpu_doctor_root_cause", &[("code", code), ("name", slug), ("severity", severity)], count);
    }
}

fn head(out: &mut String, name: &str, help: &str) {
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} gauge");
}

fn sample(out: &mut String, name: &str, labels: &[(&str, &str)], value: u64) {
    out.push_str(name);
    if !labels.is_empty() {
        let labels: Vec<String> = labels.iter().map(|(name, value)| format!("{name}=\"{}\"", label(value))).collect();
        let _ = write!(out, "{{{}}}", labels.join(","));
    }
    let _ = writeln!(out, " {value}");
}

/// The value of a label between its quotes.
fn label(value: &str) -> String {
    escape::line(value).replace('\\', "\\\\").replace('"', "\\\"")
}

fn seconds(created_at: &str) -> u64 {
    let time = humantime::parse_rfc3339(created_at).ok();
    time.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).map_or(0, |since| since.as_secs())
}
