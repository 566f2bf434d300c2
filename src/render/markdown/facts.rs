//! What was seen, folded; and at the end the versions, and how the report was made.

use super::text::Place::{Cell, Line};
use super::text::{block, code, prose};
use super::{Part, folded, row};
use crate::facts::{Fact, Facts, asked, cuda, host, kernel, nvidia, pci, python};
use crate::render::{chain, command, words};
use crate::report::Report;
use crate::subject::{Kind, Subject};
use std::collections::{BTreeMap, HashMap};

/// Characters of a value, and of a source.
const VALUE: usize = 300;
const SOURCE: usize = 120;
/// Subjects that are named in one cell.
const NAMED: usize = 2;
/// Bytes of one block of lines, and of the versions.
const LINES: usize = 8_000;
const VERSIONS: usize = 6_000;

/// Facts that have a block of their own, or say nothing by themselves.
const ELSEWHERE: &[&str] =
    &[kernel::LOG_LINE.name, python::PACKAGE.name, asked::COMMAND.name, asked::TIMEOUT.name, python::TENSOR.name];

/// Everything that is folded, as far as there is room: the facts, the lines of the kernel log, the packages.
pub fn seen(report: &Report, out: &mut Part) {
    let log = lines(&report.facts, "Lines of the kernel log", |facts| {
        facts.all(&kernel::LOG_LINE).map(|(line, _)| line).collect()
    });
    let packages = lines(&report.facts, "Packages that have to do with GPUs", packages);
    // The blocks of lines first get their room, so that many facts do not push them out.
    let room = out.most.saturating_sub(out.text.len() + log.len() + packages.len());
    out.add(&facts(&report.facts, room));
    out.add(&log);
    out.add(&packages);
}

/// A folded block of lines: the first and the last ones where they are many.
fn lines(facts: &Facts, summary: &str, of: impl Fn(&Facts) -> Vec<String>) -> String {
    let all = of(facts);
    if all.is_empty() {
        return String::new();
    }
    let short = |line: &String| chain::cut(line.clone(), VALUE, "...") + "\n";
    let (mut first, mut last, mut size, mut taken) = (Vec::new(), Vec::new(), 0, 0);
    // From both ends by turns: what comes first tells the cause, what comes last the state now.
    while taken < all.len() {
        let from_front = taken % 2 == 0;
        let line = short(&all[if from_front { first.len() } else { all.len() - 1 - last.len() }]);
        size += line.len();
        if size > LINES {
            break;
        }
        taken += 1;
        if from_front { first.push(line) } else { last.push(line) }
    }
    let mut text: String = first.concat();
    if taken < all.len() {
        text += &format!("... {} lines are left out ...\n", all.len() - taken);
    }
    text.extend(last.into_iter().rev());
    folded(&format!("{summary} ({})", all.len()), &block(&text, "text", ""))
}

/// `NAME VERSION`, with the environments that have it where they are several.
fn packages(facts: &Facts) -> Vec<String> {
    let mut found: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut environments: Vec<&str> = Vec::new();
    for (package, fact) in facts.all(&python::PACKAGE) {
        found.entry(format!("{} {}", package.name, package.version)).or_default().push(&fact.subject.id);
        if !environments.contains(&fact.subject.id.as_str()) {
            environments.push(&fact.subject.id);
        }
    }
    let place = |prefixes: Vec<&str>| match prefixes[..] {
        _ if environments.len() < 2 => String::new(),
        [one] => format!("  in {one}"),
        _ => format!("  in {} environments", prefixes.len()),
    };
    found.into_iter().map(|(package, prefixes)| package + &place(prefixes)).collect()
}

/// The facts as a table, those that are alike in one row.
fn facts(facts: &Facts, room: usize) -> String {
    let mut at: HashMap<(&str, String), usize> = HashMap::new();
    let mut rows: Vec<(&Fact, String, Vec<&Subject>)> = Vec::new();
    for fact in facts.iter().filter(|fact| !ELSEWHERE.contains(&fact.key.as_ref())) {
        let value = value(fact);
        let place = *at.entry((&fact.key, value.clone())).or_insert(rows.len());
        match rows.get_mut(place) {
            Some((_, _, subjects)) => subjects.push(&fact.subject),
            None => rows.push((fact, value, vec![&fact.subject])),
        }
    }
    let order: HashMap<&str, usize> =
        crate::facts::catalogue().enumerate().map(|(place, key)| (key.name(), place)).collect();
    rows.sort_by_key(|(fact, _, _)| order.get(fact.key.as_ref()).copied().unwrap_or(usize::MAX));
    // Room for the frame, and for the sentence about what is left out.
    let mut out =
        Part::new("| fact | about | value | source |\n|---|---|---|---|\n".to_string(), room.saturating_sub(300));
    let mut left_out = 0;
    for (fact, value, subjects) in &rows {
        let source = chain::cut(fact.source.clone(), SOURCE, "...");
        let cells = [code(&fact.key, Cell), about(subjects), value.clone(), code(&source, Cell)];
        left_out += usize::from(!out.add(&row(&cells)));
    }
    if left_out == rows.len() {
        return String::new();
    }
    if left_out > 0 {
        out.text += &format!("\n{left_out} rows are left out; `gpu-doctor check --json` has everything.\n");
    }
    folded(&format!("What was seen ({} facts)", facts.len()), &out.text)
}

/// What came of looking, as a cell.
fn value(fact: &Fact) -> String {
    words::value(fact, |value| code(&chain::cut(value, VALUE, "..."), Cell), |text| prose(text, VALUE, Cell))
}

/// What a row is about.
fn about(subjects: &[&Subject]) -> String {
    let name = |subject: &&Subject| match subject.kind {
        Kind::Machine => String::new(),
        _ => code(&chain::cut(subject.id.clone(), SOURCE, "..."), Cell),
    };
    let named: Vec<String> = subjects.iter().take(NAMED).map(name).collect();
    let more = subjects.len() - named.len();
    if more > 0 { format!("{} and {more} more", named.join(", ")) } else { named.join(", ") }
}

/// The versions, the command line, and what was replaced.
pub fn tail(report: &Report) -> String {
    let facts = &report.facts;
    let mut out = Part::new("## Versions\n\n| | |\n|---|---|\n".to_string(), VERSIONS);
    for (name, value) in versions(report) {
        out.add(&row(&[name.to_string(), prose(&value, VALUE, Cell)]));
    }
    let mut out = out.text;
    out += "\n## How this was made\n\n";
    if let Some(line) = facts.value(&asked::COMMAND) {
        let line = chain::cut(command::line(&line), super::COMMAND, "...");
        out += &block(&line, "sh", "");
        out.push('\n');
    }
    out += &format!("Seen at {}.", prose(&report.created_at, VALUE, Line));
    out += &format!(" {}\n", words::redacted(report));
    out
}

/// What runs here, from below to above.
pub fn versions(report: &Report) -> Vec<(&'static str, String)> {
    let facts = &report.facts;
    let mut rows = vec![("gpu-doctor", report.tool.version.to_string())];
    let mut add = |name, value: Option<String>| rows.extend(value.filter(|v| !v.is_empty()).map(|value| (name, value)));
    let distro = facts.value(&host::DISTRO).map(|distro| if distro.name.is_empty() { distro.id } else { distro.name });
    add("system", distro.or(facts.value(&host::OS)));
    let arch = facts.value(&host::ARCH).map(|arch| format!(" ({arch})")).unwrap_or_default();
    add("kernel", facts.value(&host::KERNEL).map(|kernel| kernel + &arch));
    add("container", facts.value(&host::CONTAINER).map(|container| container.engine));
    add("WSL", facts.value(&host::WSL).map(|version| version.to_string()));
    add("virtual machine", facts.value(&host::VIRTUALIZATION));
    add("GPUs", Some(gpus(facts)));
    let flavour = facts.value(&kernel::MODULE_FLAVOUR).map(|flavour| format!(" ({flavour})")).unwrap_or_default();
    add("driver in the kernel", facts.value(&kernel::MODULE_VERSION).map(|version| version + &flavour));
    add("driver by NVML", facts.value(&nvidia::NVML_DRIVER));
    add("CUDA of the driver", facts.value(&cuda::DRIVER_VERSION).map(|v| format!("{}.{}", v / 1000, v % 1000 / 10)));
    for (distribution, fact) in facts.all(&python::DISTRIBUTION) {
        let Some((name, prefix)) = fact.subject.framework_parts() else { continue };
        let build = facts.look(&python::BUILD, &fact.subject).seen();
        let cuda =
            build.and_then(|build| build.cuda).map(|cuda| format!(", built for CUDA {cuda}")).unwrap_or_default();
        let interpreter = facts.look(&python::INTERPRETER, &Subject::environment(prefix)).seen();
        let version = interpreter.map(|i| format!(", Python {}", i.version)).unwrap_or_default();
        add("framework", Some(format!("{name} {}{cuda}{version}, in {prefix}", distribution.version)));
    }
    rows
}

/// The GPUs by name, each name once with how many there are.
fn gpus(facts: &Facts) -> String {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for gpu in facts.subjects(Kind::Gpu) {
        let name = [&nvidia::NVML_NAME, &pci::NAME].into_iter().find_map(|key| facts.look(key, &gpu).seen());
        let Some(name) = name else { continue };
        match counts.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += 1,
            None => counts.push((name, 1)),
        }
    }
    let one = |(name, count): (String, usize)| if count > 1 { format!("{count} {name}") } else { name };
    counts.into_iter().map(one).collect::<Vec<_>>().join(", ")
}
