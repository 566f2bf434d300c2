//! Every cause has a page that says all there is to say, and whose examples prove it: the evidence fires the cause, the
//! near-misses fire the neighbours they name, and without its deciding lines the answer is weaker or another.

use gpu_doctor::causes::example::{self, Example, Form};
use gpu_doctor::causes::page::{self, Head};
use gpu_doctor::causes::{self, Case, Cause};
use gpu_doctor::checks;
use gpu_doctor::diagnosis;
use gpu_doctor::facts::{Facts, host};
use gpu_doctor::report::{Confidence, Report, RootCause, Severity};
use gpu_doctor::triage::messages;
use std::collections::BTreeSet;

/// The sections of a page, in their order.
const SECTIONS: [&str; 6] =
    ["What it means", "Why it happens", "How to confirm", "How to fix", "What does not help", "Examples"];

/// The layers, by the first digit of their codes. AMD and Intel causes stand in the layer that is broken.
const LAYERS: [(char, &str); 9] = [
    ('1', "hardware"),
    ('2', "kernel driver"),
    ('3', "access"),
    ('4', "cuda"),
    ('5', "framework build"),
    ('6', "framework libraries"),
    ('7', "program"),
    ('8', "health"),
    ('9', "doctor"),
];

/// Package managers with the words that os-release has on such systems.
const SYSTEMS: [(&str, &[&str]); 7] = [
    ("apt", &["ubuntu", "debian"]),
    ("apt", &["debian"]),
    ("dnf", &["fedora"]),
    ("dnf", &["rocky", "rhel", "centos", "fedora"]),
    ("pacman", &["arch"]),
    ("zypper", &["opensuse-leap", "suse", "opensuse"]),
    ("zypper", &["opensuse-tumbleweed", "opensuse", "suse"]),
];

fn pages() -> Vec<(&'static Cause, Head<'static>)> {
    causes::all().map(|cause| (cause, cause.head())).collect()
}

fn examples(cause: &'static Cause, slug: &'static str) -> Vec<Example<'static>> {
    example::examples(cause.page, slug)
}

/// Runs a check over everything and tells all that is wrong at once.
fn expect_none(wrong: Vec<String>) {
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn headers_are_complete() {
    let mut wrong = Vec::new();
    for (_, head) in pages() {
        let mut say = |what: &str| wrong.push(format!("{} {}: {what}", head.code, head.slug));
        let digits = head.code.strip_prefix("GD").unwrap_or_default();
        if digits.len() != 3 || !digits.bytes().all(|b| b.is_ascii_digit()) {
            say("the code is not GD and three digits");
        }
        if !LAYERS.iter().any(|(digit, layer)| digits.starts_with(*digit) && *layer == head.layer) {
            say(&format!("the layer {:?} does not fit the code", head.layer));
        }
        if !matches!(head.severity, "error" | "warning" | "note") {
            say("the severity is none of error, warning, note");
        }
        if head.slug.is_empty() || !head.slug.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        {
            say("the slug is not in lower case with hyphens");
        }
        let texts =
            [("title", head.title), ("message", head.message), ("summary", head.summary), ("verify", head.verify)];
        for (name, text) in texts {
            if text.is_empty() {
                say(&format!("there is no {name}"));
            }
        }
    }
    expect_none(wrong);
}

#[test]
fn codes_and_slugs_are_unique_and_never_change() {
    let mut lines: Vec<String> = pages().iter().map(|(_, head)| format!("{} {}", head.code, head.slug)).collect();
    let codes: BTreeSet<&str> = pages().iter().map(|(_, head)| head.code).collect();
    let slugs: BTreeSet<&str> = pages().iter().map(|(_, head)| head.slug).collect();
    assert_eq!(codes.len(), lines.len(), "a code is used twice");
    assert_eq!(slugs.len(), lines.len(), "a slug is used twice");
    lines.sort();
    let known: Vec<&str> = include_str!("codes.txt").lines().collect();
    assert_eq!(known, lines, "tests/codes.txt lists every code; a number or slug that was released stays");
}

#[test]
fn every_section_is_there() {
    let mut wrong = Vec::new();
    for (cause, head) in pages() {
        for title in SECTIONS {
            if page::section(cause.page, title).trim().is_empty() {
                wrong.push(format!("{}: no section {title:?}", head.slug));
            }
        }
        let found: Vec<&str> = page::body(cause.page).lines().filter_map(|line| line.strip_prefix("## ")).collect();
        if found != SECTIONS {
            wrong.push(format!("{}: the sections are {found:?}", head.slug));
        }
    }
    expect_none(wrong);
}

#[test]
fn commands_that_need_root_say_so() {
    let mut wrong = Vec::new();
    for (cause, head) in pages() {
        for step in page::fixes(cause.page).into_iter().flat_map(|fix| fix.steps) {
            let Some(command) = &step.command else { continue };
            if command.contains("sudo ") != step.root {
                wrong.push(format!("{}: root = {}, and the command is {command:?}", head.slug, step.root));
            }
        }
    }
    expect_none(wrong);
}

#[test]
fn every_page_has_both_kinds_of_examples_with_deciding_lines() {
    let mut wrong = Vec::new();
    for (cause, head) in pages() {
        let all = examples(cause, head.slug);
        if !all.iter().any(|e| !e.near_miss) {
            wrong.push(format!("{}: no example that fires it", head.slug));
        }
        if !all.iter().any(|e| e.near_miss && causes::find(e.expects).is_some()) {
            wrong.push(format!("{}: no near-miss that names another cause", head.slug));
        }
        for one in all.iter().filter(|e| !e.near_miss) {
            if !one.text.lines().any(|line| line.starts_with("! ")) {
                wrong.push(format!("{}: an example without a deciding line", head.slug));
            }
            if !matches!(one.confidence, Some("certain" | "likely" | "possible")) {
                wrong.push(format!("{}: the heading of an example says {:?}", head.slug, one.confidence));
            }
        }
    }
    expect_none(wrong);
}

/// A machine that is looked at and a text that is pasted are two ways to one cause; each that exists is shown, with the
/// neighbour that it is taken for.
#[test]
fn both_ways_in_are_shown_where_both_exist() {
    let only_words: fn(&Case) -> Vec<causes::Finding> = causes::only_words;
    let mut wrong = Vec::new();
    for (cause, head) in pages() {
        let from_facts = !std::ptr::fn_addr_eq(cause.assess, only_words);
        let speaks_for = |(slug, weight): &(&str, messages::Weight)| *slug == head.slug && weight.points() > 0;
        let from_text = messages::all().any(|message| message.causes.iter().any(speaks_for));
        let all = examples(cause, head.slug);
        for (form, exists) in [(Form::Facts, from_facts), (Form::Text, from_text)] {
            for near_miss in [false, true] {
                if exists && !all.iter().any(|e| e.form == form && e.near_miss == near_miss) {
                    let what = if near_miss { "near-miss" } else { "example that fires" };
                    wrong.push(format!("{}: no {what} in {form:?}", head.slug));
                }
            }
        }
    }
    expect_none(wrong);
}

#[test]
fn every_example_fires_what_it_says() {
    let mut wrong = Vec::new();
    for (cause, head) in pages() {
        for (number, one) in examples(cause, head.slug).iter().enumerate() {
            let report = match one.facts(false) {
                Ok(facts) => judged(facts),
                Err(why) => {
                    wrong.push(format!("{} example {}: {why}", head.slug, number + 1));
                    continue;
                }
            };
            if let Some(why) = misfires(&report, one, &head) {
                wrong.push(format!("{} example {}: {why}; {}", head.slug, number + 1, in_short(&report)));
            }
        }
    }
    expect_none(wrong);
}

#[test]
fn without_the_deciding_lines_the_answer_is_weaker_or_another() {
    let mut wrong = Vec::new();
    for (cause, head) in pages() {
        for (number, one) in examples(cause, head.slug).iter().enumerate().filter(|(_, e)| !e.near_miss) {
            let (Ok(whole), Ok(cut)) = (one.facts(false), one.facts(true)) else {
                continue;
            };
            let before = leader(&judged(whole), &head, one.form).map(|c| c.confidence);
            let report = judged(cut);
            let after = leader(&report, &head, one.form).filter(|c| c.slug == head.slug).map(|c| c.confidence);
            // Certain sorts before likely, and that before possible.
            if after.is_some_and(|after| before.is_some_and(|before| after <= before)) {
                let text = format!("{} example {}: the marked lines decide nothing", head.slug, number + 1);
                wrong.push(format!("{text}; {}", in_short(&report)));
            }
        }
    }
    expect_none(wrong);
}

#[test]
fn steps_can_be_filled_in_under_every_package_manager() {
    let mut wrong = Vec::new();
    for (cause, head) in pages() {
        for one in examples(cause, head.slug).iter().filter(|e| !e.near_miss) {
            let Ok(facts) = one.facts(false) else { continue };
            let rows = checks::judge(&facts);
            let case = Case { facts: &facts, rows: &rows };
            for finding in (cause.assess)(&case) {
                let values = diagnosis::values(&facts, &finding);
                for text in [head.message, head.summary, head.verify] {
                    if page::fill(text, &values).is_none() {
                        wrong.push(format!("{}: {text:?} has a hole", head.slug));
                    }
                }
                let mut here = diagnosis::tags(&facts, &finding);
                // A text whose system is not named mostly comes from Linux.
                if one.form == Form::Text && facts.value(&host::OS).is_none() {
                    here.push("linux".to_string());
                }
                for (manager, distros) in SYSTEMS {
                    let tags = on(&here, manager, distros);
                    let fixes = page::fixes(cause.page);
                    let fitting: Vec<_> = fixes.iter().filter(|fix| page::holds(fix.condition, &tags)).collect();
                    if fitting.is_empty() {
                        wrong.push(format!("{}: no step on {manager} {distros:?} {:?}", head.slug, finding.tags));
                    }
                    for step in fitting.iter().flat_map(|fix| &fix.steps) {
                        let texts = [Some(step.text.as_str()), step.command.as_deref()];
                        for text in texts.into_iter().flatten().filter(|text| page::fill(text, &values).is_none()) {
                            wrong.push(format!("{} on {manager}: {text:?} has a hole", head.slug));
                        }
                    }
                }
            }
        }
    }
    wrong.dedup();
    expect_none(wrong);
}

fn judged(facts: Facts) -> Report {
    Report::of(facts, "2026-01-01T00:00:00Z".to_string())
}

/// The first root cause that is as bad as the page says. Notes may stand beside errors and are not compared with them.
///
/// A text that holds a message of a fault is about that fault: what would be a warning on a machine that works, as a card
/// that lost lanes, is then the error that somebody came with. So in a text a page's warning has to come first of all.
fn leader<'a>(report: &'a Report, head: &Head, form: Form) -> Option<&'a RootCause> {
    if form == Form::Text && head.severity == "warning" {
        return report.root_causes.iter().find(|c| c.severity <= Severity::Warning);
    }
    let severity = match head.severity {
        "warning" => Severity::Warning,
        "note" => Severity::Note,
        _ => Severity::Error,
    };
    // A rule may find it milder here than the page says; then it has to be the worst that there is.
    report.root_causes.iter().find(|c| c.severity == severity).or(report.root_causes.first())
}

fn misfires(report: &Report, one: &Example, head: &Head) -> Option<String> {
    if one.near_miss {
        if one.expects == "nothing" {
            let error = report.root_causes.iter().find(|c| c.severity == Severity::Error);
            return error.map(|c| format!("expected nothing, got {}", c.slug));
        }
        let Some(neighbour) = causes::find(one.expects) else { return Some(format!("no cause {:?}", one.expects)) };
        let first = leader(report, &neighbour.head(), one.form).map(|c| c.slug);
        return (first != Some(one.expects)).then(|| format!("expected {}, got {first:?}", one.expects));
    }
    let Some(first) = leader(report, head, one.form).filter(|c| c.slug == head.slug) else {
        return Some("it is not the first root cause".to_string());
    };
    let got = match first.confidence {
        Confidence::Certain => "certain",
        Confidence::Likely => "likely",
        Confidence::Possible => "possible",
    };
    if one.confidence != Some(got) {
        return Some(format!("expected {:?}, got {got}", one.confidence));
    }
    if first.evidence.is_empty() {
        return Some("it gives no evidence".to_string());
    }
    // What a program said may be cut short; any other blank before a stop is a hole.
    first.message.replace(" ...", "").contains(" .").then(|| format!("odd message {:?}", first.message))
}

fn in_short(report: &Report) -> String {
    let causes: Vec<String> =
        report.root_causes.iter().map(|c| format!("{} {:?} of group {}", c.slug, c.confidence, c.group)).collect();
    let symptoms: Vec<String> =
        report.checks.iter().flat_map(|row| &row.symptoms).map(|symptom| symptom.to_string()).collect();
    format!("root causes [{}], symptoms [{}]", causes.join(", "), symptoms.join(", "))
}

/// The tags of a machine, with another package manager and distribution.
fn on(tags: &[String], manager: &str, distros: &[&str]) -> Vec<String> {
    let of_a_system = |tag: &String| SYSTEMS.iter().any(|(m, d)| tag == m || d.contains(&tag.as_str()));
    let mut tags: Vec<String> = tags.iter().filter(|tag| !of_a_system(tag)).cloned().collect();
    tags.push(manager.to_string());
    tags.extend(distros.iter().map(|d| d.to_string()));
    tags
}
