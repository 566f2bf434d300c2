//! The Markdown of a report, read by a parser that was not written here: the one of GitLab, a port of GitHub's.
#![allow(clippy::disallowed_methods)]

mod common;

use common::largest;
use common::program::{self, BARE, HEALTHY, NO_DRIVER, doctor, run};
use comrak::nodes::{AstNode, NodeValue};
use comrak::{Arena, Options, parse_document};
use gpu_doctor::causes::page::Step;
use gpu_doctor::causes::{self, Unknown, example};
use gpu_doctor::checks::Evidence;
use gpu_doctor::facts::{Facts, cuda, host, kernel, said};
use gpu_doctor::render::markdown::{MOST, document};
use gpu_doctor::report::Report;
use gpu_doctor::subject::Subject;
use std::path::Path;
use std::time::{Duration, Instant};

/// Text that would do something if it were taken for Markdown, for HTML, or for a reference to a person or an issue. It ends
/// with a word of its own, which shows that all of it came through.
const HOSTILE: &[&str] = &[
    "@torvalds and @org/team END1",
    "fixes #123, GH-7, owner/repo#9, owner/repo@1234567890abcdef END2",
    "a | b \\| c || d END3",
    "</details></td></table><script>alert(1)</script><img src=x onerror=y> END4",
    "`` ` ``` ~~~ `code END5",
    "one\n\n# heading\n\n- item\n\n    block\n---\n1. two END6",
    "[link](https://evil.example) ![image](http://evil.example/x.png) <https://evil.example> END7",
    "www.evil.example https://evil.example evil@evil.example END8",
    "*emphasis* __strong__ ~~gone~~ ^up^ $x$ $$y$$ :tada: [^1] - [ ] task END9",
    "&lt;b&gt; &#64;torvalds &amp; \\@torvalds END10",
    "/close\n/label ~bug\n!12 %\"1.0\" &3 $4 END11",
    "\u{1b}[2J\u{202e}\u{200b} <!-- --> END12",
    "```\nfence\n```\n````\n</details> END13",
    "- END14",
    "1) END15",
    "=== END16",
    "    indented END17",
    "\\ END18 \\",
];

/// What a parsed document has in it.
#[derive(Default)]
struct Read {
    headings: Vec<String>,
    /// Text outside of code.
    text: String,
    /// Code, within lines and in blocks.
    code: Vec<String>,
    /// Every cell with all text in it.
    cells: Vec<String>,
    rows: usize,
    folded: usize,
    /// What must not be in a report.
    strange: Vec<String>,
}

fn options() -> Options<'static> {
    let mut options = Options::default();
    let on = &mut options.extension;
    on.table = true;
    on.autolink = true;
    on.strikethrough = true;
    on.tasklist = true;
    on.footnotes = true;
    on.math_dollars = true;
    on.math_code = true;
    on.superscript = true;
    on.underline = true;
    on.wikilinks_title_after_pipe = true;
    on.description_lists = true;
    on.multiline_block_quotes = true;
    on.alerts = true;
    options
}

fn read(markdown: &str) -> Read {
    let arena = Arena::new();
    let root = parse_document(&arena, markdown, &options());
    let mut read = Read::default();
    let mut in_code = false;
    walk(root, &mut read, &mut in_code);
    read
}

fn walk<'a>(node: &'a AstNode<'a>, read: &mut Read, in_code: &mut bool) {
    let value = node.data.borrow().value.clone();
    match &value {
        NodeValue::Document
        | NodeValue::Paragraph
        | NodeValue::List(_)
        | NodeValue::Item(_)
        | NodeValue::Strong
        | NodeValue::Table(_) => {}
        NodeValue::TableRow(_) => read.rows += 1,
        NodeValue::TableCell => read.cells.push(flat(node)),
        NodeValue::Heading(_) => read.headings.push(flat(node)),
        NodeValue::Text(text) if *in_code => read.code.push(text.to_string()),
        NodeValue::Text(text) => {
            read.text.push_str(text);
            read.text.push('\n');
        }
        NodeValue::SoftBreak => read.text.push('\n'),
        NodeValue::Code(code) => read.code.push(code.literal.clone()),
        NodeValue::CodeBlock(block) => read.code.push(block.literal.clone()),
        NodeValue::HtmlInline(html) if html == "<code>" || html == "</code>" => *in_code = html == "<code>",
        NodeValue::HtmlBlock(block) => {
            for line in block.literal.lines() {
                match line {
                    "<details>" => read.folded += 1,
                    "</details>" => {}
                    _ if line.starts_with("<summary>")
                        && line.ends_with("</summary>")
                        && line.matches('<').count() == 2 => {}
                    _ => read.strange.push(line.to_string()),
                }
            }
        }
        other => read.strange.push(format!("{other:?}")),
    }
    for child in node.children() {
        walk(child, read, in_code);
    }
}

/// All text of a node, code too.
fn flat<'a>(node: &'a AstNode<'a>) -> String {
    let mut out = String::new();
    for node in node.descendants() {
        match &node.data.borrow().value {
            NodeValue::Text(text) => out.push_str(text),
            NodeValue::Code(code) => out.push_str(&code.literal),
            NodeValue::SoftBreak => out.push(' '),
            _ => {}
        }
    }
    out
}

/// What every report promises.
#[track_caller]
fn assert_good(markdown: &str) -> Read {
    assert!(markdown.chars().count() < 60_000 && markdown.len() <= MOST, "{}", markdown.len());
    assert!(markdown.starts_with("# gpu-doctor: "));
    let read = read(markdown);
    assert!(read.strange.is_empty(), "{:#?}\n{markdown}", read.strange);
    let known = ["gpu-doctor: ", "The chain", "What is wrong", "error GD", "warning GD", "note GD"];
    let known = [&known[..], &["What would settle it", "Versions", "How this was made"]].concat();
    for heading in &read.headings {
        assert!(known.iter().any(|known| heading.starts_with(known)), "{heading}\n{markdown}");
    }
    // Sites make references of these once Markdown is done, except within code.
    for reference in ["@", "#", "://", "www.", "GH-", "<", ":tada", "~", "$", "&", "!1", "^"] {
        assert!(!read.text.contains(reference), "{reference}: {}", read.text);
    }
    // A command to GitLab is a line that begins with a slash.
    assert!(!markdown.lines().any(|line| line.starts_with('/') && !read.code.iter().any(|code| code.contains(line))));
    assert_eq!(markdown.matches("<details>\n").count(), markdown.matches("</details>\n\n").count());
    read
}

#[test]
fn every_example_of_every_page_is_good_markdown() {
    let mut count = 0;
    for cause in causes::all() {
        for example in example::examples(cause.page, cause.head().slug) {
            let report = Report::of(example.facts(false).unwrap(), "2026-01-31T12:00:00Z".to_string());
            let read = assert_good(&document(&report));
            if let Some(first) = report.root_causes.first() {
                assert!(read.text.contains(first.code));
            }
            count += 1;
        }
    }
    assert!(count > 80, "{count}");
}

#[test]
fn the_diagnosis_is_three_lines_and_the_chain_is_a_table() {
    let read = assert_good(&document(&program::report(NO_DRIVER)));
    assert_eq!(read.headings[0], "gpu-doctor: Not ready");
    let markdown = document(&program::report(NO_DRIVER));
    let lines: Vec<&str> = markdown.lines().filter(|line| !line.is_empty()).take(5).collect();
    assert!(lines[1].starts_with("**Answer:** no GPU can be used. Found: 1 problem"), "{lines:?}");
    assert!(lines[2].starts_with("**Cause:** GD2"), "{lines:?}");
    assert!(lines[3].starts_with("**Fix:** "), "{lines:?}");
    assert_eq!(lines[4], "## The chain");
    for id in ["gpu-present", "kernel-driver", "tensor"] {
        assert!(read.cells.iter().any(|cell| cell == id), "{id}");
    }
    assert!(
        read.cells.iter().any(|cell| cell == "FAIL")
            && read.cells.iter().any(|cell| cell == "6.8.0-45-generic (x86_64)")
    );
    assert!(read.folded >= 1 && read.text.contains("Seen at"));
    let well = assert_good(&document(&program::report(HEALTHY)));
    assert_eq!(well.headings[0], "gpu-doctor: Ready");
    assert!(well.text.contains("there is nothing to mend"));
    assert_good(&document(&program::report(BARE)));
}

#[test]
fn hostile_text_comes_through_and_does_nothing() {
    for (n, hostile) in HOSTILE.iter().enumerate() {
        let hostile = hostile.to_string();
        let machine = Subject::machine();
        let mut facts = example::facts(NO_DRIVER, false).unwrap();
        facts.retain(|fact| fact.key != kernel::LOG.name);
        facts.seen(&host::KERNEL, &machine, hostile.clone(), hostile.clone());
        facts.seen(&kernel::LOG_LINE, &machine, hostile.clone(), hostile.clone());
        facts.seen(&cuda::TOOLKIT, &Subject::file(hostile.clone()), hostile.clone(), "x");
        facts.failed(&kernel::LOG, &machine, hostile.clone(), "x");
        facts.seen(&said::LINES, &Subject::environment(hostile.clone()), 1, hostile.clone());
        let mut report = Report::of(facts, hostile.clone());
        for cause in &mut report.root_causes {
            cause.message = hostile.clone();
            cause.subject = Subject::framework("torch", &hostile);
            let evidence =
                |text: &str| Evidence { text: text.into(), source: hostile.clone(), context: Some(hostile.clone()) };
            cause.evidence = vec![evidence(&hostile), evidence(&format!("x `{hostile}` y"))];
            cause.remedy.summary = hostile.clone();
            cause.remedy.verify = hostile.clone();
            let step = Step { text: hostile.clone(), command: Some(hostile.clone()), root: true, ..Step::default() };
            cause.remedy.steps = vec![step.clone(), step];
        }
        for row in &mut report.checks {
            row.summary = hostile.clone();
        }
        report.unknowns = vec![
            Unknown { need: hostile.clone(), ask: hostile.clone(), separates: vec![] },
            Unknown { need: hostile.clone(), ask: format!("{hostile}?"), separates: vec![] },
        ];
        let markdown = document(&report);
        let read = assert_good(&markdown);
        // In a cell, in a sentence and in a command the whole text is there.
        let end = format!("END{}", n + 1);
        assert!(read.cells.iter().filter(|cell| cell.contains(&end)).count() > 13, "{hostile:?}\n{markdown}");
        assert!(
            read.code.iter().any(|code| code.trim_end().ends_with(hostile.lines().last().unwrap().trim_end())
                || hostile.contains('\u{1b}')),
            "{hostile:?}\n{markdown}"
        );
        // A bar in a value ends no cell: where the value begins, it ends as well.
        for cell in read.cells.iter().filter(|cell| cell.contains("a | b")) {
            assert!(cell.contains("a | b \\| c || d END3"), "{cell}");
        }
    }
}

#[test]
fn the_largest_machine_fits_into_an_issue_and_its_first_cause_is_told_in_full() {
    let report = largest::report();
    let started = Instant::now();
    let markdown = document(&report);
    let took = started.elapsed();
    let read = assert_good(&markdown);
    // 20 ms is promised of a release; see benches/check.rs.
    assert!(took < Duration::from_millis(500), "{took:?}");
    let first = &report.root_causes[0];
    for text in
        [first.code, "What was seen", "Lines of the kernel log (500)", "Packages that have to do with GPUs (40)"]
    {
        assert!(markdown.contains(text), "{text}");
    }
    assert!(
        read.code.iter().any(|code| first
            .remedy
            .steps
            .iter()
            .any(|s| s.command.as_ref().is_some_and(|c| code.contains(c))))
    );
    for cause in &report.root_causes {
        assert!(markdown.contains(cause.code), "{} is not even named", cause.code);
    }
}

#[test]
fn a_page_of_evidence_does_not_push_the_diagnosis_out() {
    let mut facts: Facts = example::facts(NO_DRIVER, false).unwrap();
    for n in 0..2000 {
        let text = format!("{n} {}", "<|> `@a` ".repeat(500));
        facts.seen(&kernel::LOG_LINE, &Subject::machine(), text.clone(), text.clone());
        facts.seen(&cuda::TOOLKIT, &Subject::file(text.clone()), text, "x");
    }
    let mut report = Report::of(facts, "2026-01-31T12:00:00Z".to_string());
    report.unknowns = vec![Unknown { need: "|<@".repeat(9000), ask: "|<@".repeat(9000), separates: vec![] }; 50];
    for row in &mut report.checks {
        row.summary = "|<@".repeat(9000);
    }
    for cause in &mut report.root_causes {
        cause.evidence = vec![Evidence { text: "|@".repeat(9000), source: "|@".repeat(900), context: None }; 200];
    }
    let read = assert_good(&document(&report));
    assert!(read.headings.iter().any(|h| h == "The chain") && read.headings.iter().any(|h| h == "Versions"));
}

#[test]
fn a_run_and_its_snapshot_give_one_report_with_the_exact_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("saved.json");
    let save = run(doctor().args(["check", "--skip", "framework", "--format", "markdown", "--save"]).arg(&saved));
    assert_good(&save.stdout);
    let command = format!("gpu-doctor check --skip framework --format markdown --save {}\n", saved.display());
    assert!(read(&save.stdout).code.contains(&command), "{}", save.stdout);
    let again = run(doctor().args(["check", "--format", "markdown", "--from"]).arg(&saved));
    assert_eq!((again.stdout, again.code), (save.stdout, save.code));
}

#[test]
fn report_has_the_exit_status_of_check_and_writes_to_a_file() {
    for (machine, code) in [(HEALTHY, 0), (NO_DRIVER, 1), (BARE, 3)] {
        let snapshot = program::snapshot(machine);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("report.md");
        let report = |more: &[&Path]| run(doctor().args(["report", "--from"]).arg(snapshot.path()).args(more));
        let printed = report(&[]);
        assert_eq!((printed.code, printed.stderr.as_str()), (code, ""));
        assert_good(&printed.stdout);
        let written = report(&[Path::new("-o"), &file]);
        assert_eq!((written.code, written.stdout.as_str(), written.stderr.as_str()), (code, "", ""));
        assert_eq!(std::fs::read_to_string(&file).unwrap(), printed.stdout);
    }
}
