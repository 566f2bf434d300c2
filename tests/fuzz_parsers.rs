//! Everything that reads what others wrote: files of the system, what children and tools say, snapshots, pages. Any bytes go
//! through each reader without a panic, without a hang and in bounded memory, and what a rule makes of the facts can be shown.
//!
//! Half of GPU_DOCTOR_FUZZ_SECONDS; see `fuzz_triage.rs`.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods)]

#[path = "common/everything.rs"]
mod everything;
#[path = "common/fuzz/mod.rs"]
mod fuzz;
#[path = "common/memory.rs"]
mod memory;
#[path = "common/tree.rs"]
mod tree;

use fuzz::{Corpus, Input, Random, change, corpus};
use gpu_doctor::causes::{self, example, page};
use gpu_doctor::facts::{self, Facts, python::Environment};
use gpu_doctor::machine::child::{End, Report as Said, Spec};
use gpu_doctor::machine::{Machine, Scope};
use gpu_doctor::probes::programs::{Ask, Question};
use gpu_doctor::probes::python::{Child, Chosen, Found};
use gpu_doctor::probes::{self, Plan};
use gpu_doctor::redact::Redactor;
use gpu_doctor::report::Report;
use gpu_doctor::subject::Subject;
use gpu_doctor::tables::{archs, drivers, frameworks, gpu_names, pci_ids, wheels, xid};
use gpu_doctor::{diff, render, snapshot, subject, triage};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tree::Tree;

/// One reader, or several that read the same.
struct Target {
    name: &'static str,
    /// The sources whose readers this reaches; a test looks that none is left out.
    covers: &'static [&'static str],
    /// Texts for it.
    make: fn(&World, &mut Random) -> Vec<u8>,
    /// Reads one, and gives the facts, where it gives facts.
    read: fn(&World, &[u8]) -> Option<Facts>,
}

static TARGETS: &[Target] = &[
    Target {
        name: "files",
        covers: &[
            "src/machine/files.rs",
            "src/machine/kernel_log.rs",
            "src/probes/host.rs",
            "src/probes/host/container.rs",
            "src/probes/host/distro.rs",
            "src/probes/host/identity.rs",
            "src/probes/host/switches.rs",
            "src/probes/host/virtualization.rs",
            "src/probes/kernel.rs",
            "src/probes/kernel/blacklist.rs",
            "src/probes/kernel/dkms.rs",
            "src/probes/kernel/log.rs",
            "src/probes/kernel/modinfo.rs",
            "src/probes/makers.rs",
            "src/probes/programs/ollama.rs",
            "src/probes/programs/ollama/log.rs",
            "src/probes/programs/sockets.rs",
            "src/probes/nodes.rs",
            "src/probes/pci.rs",
            "src/probes/python/environments/conda.rs",
            "src/probes/python/environments/condition.rs",
            "src/probes/python/environments/in_use.rs",
            "src/probes/python/environments/kernels.rs",
            "src/probes/python/environments/layout.rs",
            "src/probes/python/environments/poetry.rs",
            "src/probes/python/environments/pyenv.rs",
            "src/probes/python/installed/builds.rs",
            "src/probes/python/installed/folders.rs",
            "src/probes/python/installed/listing.rs",
            "src/probes/python/installed/origin.rs",
            "src/probes/python/installed/overlaps.rs",
            "src/probes/python/installed/places.rs",
            "src/probes/runtime/loader.rs",
            "src/probes/runtime/toolkit.rs",
        ],
        make: |world, random| {
            // The number of the file in front, so that one text is one input.
            let at = random.below(world.files.len());
            let text = change::changed(world.files[at].1.clone(), &world.corpus, random);
            [&(at as u16).to_le_bytes()[..], &text].concat()
        },
        read: files,
    },
    Target {
        name: "children",
        covers: &[
            "src/probes/cuda.rs",
            "src/probes/libtorch.rs",
            "src/probes/loading.rs",
            "src/probes/mod.rs",
            "src/probes/nodes.rs",
            "src/probes/nvml.rs",
            "src/probes/proc_pages.rs",
            "src/probes/python/framework.rs",
            "src/probes/python/parse.rs",
            "src/probes/python/startup.rs",
        ],
        make: stages,
        read: children,
    },
    Target {
        name: "programs",
        covers: &[
            "src/probes/programs/llama.rs",
            "src/probes/programs/mod.rs",
            "src/probes/programs/ollama/models.rs",
            "src/probes/smi.rs",
        ],
        make: |world, random| fuzz::text(&world.corpus, random),
        read: |_, bytes| {
            let mut facts = Facts::new();
            let said = Said { stdout: text(bytes), end: end(bytes), ..Said::not_started("") };
            probes::smi::parse_plain("/usr/bin/nvidia-smi", &said, &mut facts);
            probes::smi::parse_query("/usr/bin/nvidia-smi", &said, &mut facts);
            for question in [Question::Devices, Question::Models, Question::Log] {
                let (path, spec) = (PathBuf::from("/usr/bin/ollama"), Spec::text("/usr/bin/ollama", Duration::ZERO));
                probes::programs::answered(&Ask { path, spec, question }, &said, &mut facts);
            }
            Some(facts)
        },
    },
    Target {
        name: "triage",
        covers: &["src/triage/"],
        make: |world, random| fuzz::text(&world.corpus, random),
        read: |_, mut bytes| {
            triage::read(&mut [triage::Text { name: "-", view: None, bytes: &mut bytes }]).expect("memory can be read");
            // Judging what is read is the other test.
            None
        },
    },
    Target {
        name: "snapshot",
        covers: &["src/diff.rs", "src/redact.rs", "src/redact/", "src/snapshot.rs"],
        make: |world, random| {
            let mut document = random.of(&world.snapshots).clone();
            for _ in 0..1 + random.below(6) {
                change::json(&mut document["facts"], &world.corpus, random);
            }
            let bytes = document.to_string().into_bytes();
            if random.below(8) == 0 { change::changed(bytes, &world.corpus, random) } else { bytes }
        },
        read: |_, bytes| snapshot::parse(bytes).ok().map(|snapshot| snapshot.facts),
    },
    Target {
        name: "pages",
        covers: &["src/causes/example.rs", "src/causes/page.rs", "src/render/page.rs"],
        make: |world, random| {
            let all: Vec<&str> = causes::all().map(|cause| cause.page).collect();
            change::changed(random.of(&all).as_bytes().to_vec(), &world.corpus, random)
        },
        read: |_, bytes| {
            pages(&text(bytes));
            None
        },
    },
    Target {
        name: "words",
        covers: &[
            "src/subject.rs",
            "src/tables/archs.rs",
            "src/tables/drivers.rs",
            "src/tables/gpu_names.rs",
            "src/tables/pci_ids.rs",
            "src/tables/wheels.rs",
            "src/tables/xid.rs",
        ],
        make: |world, random| change::changed(random.of(&world.corpus.words).clone(), &world.corpus, random),
        read: |_, bytes| {
            text(bytes).lines().take(100).for_each(words);
            None
        },
    },
];

/// Sources that the search for readers finds, and that read nothing foreign of their own.
const NO_READERS: &[(&str, &str)] = &[
    ("src/causes/", "rules: they get facts"),
    ("src/checks/", "rules: they get facts"),
    ("src/facts/", "data"),
    ("src/diagnosis", "rules: they get facts"),
    ("src/render/", "writes"),
    ("src/machine/child", "bytes of a child to lines: tests/runner.rs and tests/hostile.rs start children that lie"),
    ("src/probes/child.rs", "the child's side"),
    ("src/probes/cuda/driver.rs", "the child's side: strings of libcuda"),
    ("src/probes/experiment.rs", "hands on what children say"),
    ("src/probes/acs.rs", "bytes of configuration space, by number: tests of its own"),
    ("src/probes/python/libraries/elf.rs", "the crate object reads the file"),
    ("src/probes/raw.rs", "hands on text as it is"),
    ("src/commands/", "hands on what others read"),
    ("src/probes/python/mod.rs", "starts children"),
    ("src/probes/run", "hands on what children say"),
];

/// What the targets read from.
struct World {
    corpus: Corpus,
    tree: Tree,
    machine: Machine,
    /// The user's home, which lies under no other root.
    home: Tree,
    /// Every file of the tree, with what it holds.
    files: Vec<(PathBuf, Vec<u8>)>,
    snapshots: Vec<Value>,
    /// Lines that children say.
    lines: Vec<Value>,
}

impl World {
    fn new() -> World {
        let corpus = Corpus::new();
        let (tree, home) = (everything::tree(), everything::home());
        // SAFETY: nothing in this process asks for variables but by Rust's own functions, which take turns.
        unsafe {
            std::env::set_var("HOME", home.path());
            std::env::set_var("PATH", home.at("bin"));
        }
        let mut files = Vec::new();
        regular_files(tree.path(), &mut files);
        regular_files(home.path(), &mut files);
        files.sort();
        let texts = corpus.texts.iter().chain(&corpus.words).map(|bytes| text(bytes));
        let lines: Vec<Value> = texts
            .flat_map(|text| {
                text.lines().filter_map(|line| serde_json::from_str(line.trim()).ok()).collect::<Vec<Value>>()
            })
            .filter(|value| value["stage"].is_string() || value["begin"].is_string())
            .chain(PYTHON.iter().map(|line| serde_json::from_str(line).expect("a line of the probe")))
            .collect();
        assert!(lines.len() > 30 && files.len() > 60, "{} lines, {} files", lines.len(), files.len());
        let machine = Machine::new(Scope::RootLive(tree.path().to_path_buf()), Duration::from_secs(1));
        World { corpus, machine, files, snapshots: snapshots(), lines, home, tree }
    }
}

fn regular_files(folder: &Path, found: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("a name").path();
        let kind = std::fs::symlink_metadata(&path).expect("a file").file_type();
        if kind.is_dir() {
            regular_files(&path, found);
        } else if kind.is_file() {
            found.push((path.clone(), std::fs::read(path).expect("a file")));
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Puts one file in place of that of the tree, and lets every probe of files look.
fn files(world: &World, bytes: &[u8]) -> Option<Facts> {
    let (number, bytes) = bytes.split_at_checked(2)?;
    let at = usize::from(u16::from_le_bytes([number[0], number[1]])) % world.files.len();
    let (path, before) = &world.files[at];
    std::fs::write(path, bytes).expect("the file can be written");
    let mut facts = Facts::new();
    if path.starts_with(world.home.path()) {
        let plan = Plan { all_environments: true, ..Plan::default() };
        for found in probes::python::find(&world.machine, &plan).all {
            // What is found on this machine beside the home is not what is read here.
            if found.prefix.starts_with(world.home.path()) {
                facts.seen(
                    &facts::python::ENVIRONMENT,
                    &Subject::environment(found.prefix.display().to_string()),
                    found.about,
                    "x",
                );
            }
        }
        let _ = probes::python::kernel(&world.machine, "k");
        probes::programs::look(&world.machine, &mut facts);
        std::fs::write(path, before).expect("the file can be written");
        return Some(facts);
    }
    let about = Environment { version: Some("3.12.3".to_string()), ..Environment::default() };
    let chosen = Chosen::new(Path::new("/v/bin/python"), "--all-envs");
    probes::python::installed::guessed(
        &world.machine,
        &Found { prefix: "/v".into(), about, chosen, troubles: Vec::new(), leave: None },
        &mut facts,
    );
    probes::host::look(&world.machine, &mut facts);
    probes::pci::look(&world.machine, &mut facts);
    probes::kernel::look(&world.machine, &mut facts);
    probes::runtime::look(&world.machine, &mut facts);
    probes::makers::look(&world.machine, &mut facts);
    probes::python::libraries::look(&world.machine, &mut facts);
    probes::nodes::look(&world.machine, true, &mut facts);
    std::fs::write(path, before).expect("the file can be written");
    assert!(world.tree.path().is_dir());
    Some(facts)
}

/// Lines of `probe.py`; those of the other children stand in their sources.
const PYTHON: &[&str] = &[
    r#"{"stage":"interpreter","version":"3.12.3","prefix":"/v","base_prefix":"/usr","bits":64,"pyvenv":{"uv":"0.5"},"conda":false}"#,
    r#"{"stage":"packages","torch":{"version":"2.7.0+cu126"},"list":[{"name":"torch","version":"2.7.0+cu126","path":"/v/lib"}]}"#,
    r#"{"stage":"import","framework":"torch","ok":false,"error":{"type":"OSError","message":"libcudnn.so.9: cannot open shared object file"}}"#,
    r#"{"stage":"import","framework":"torch","ok":true,"version":"2.7.0+cu126","cuda":"12.6","archs":["sm_80","compute_90"]}"#,
    r#"{"stage":"cuda","framework":"torch","available":false,"count":0,"error":{"message":"CUDA unknown error"},"warnings":["x"]}"#,
    r#"{"stage":"tensor","framework":"torch","index":0,"ok":false,"step":"compute","error":{"message":"no kernel image"}}"#,
    r#"{"stage":"tensor-skipped","framework":"torch","reason":"no"}"#,
    r#"{"stage":"tensor-stopped","framework":"torch","after":0,"not_run":[1,2]}"#,
    r#"{"begin":"tensor","framework":"torch"}"#,
];

fn stages(world: &World, random: &mut Random) -> Vec<u8> {
    let mut lines = vec![PYTHON[0].to_string()];
    for _ in 0..random.below(25) {
        let mut line = random.of(&world.lines).clone();
        for _ in 0..random.below(4) {
            change::json(&mut line, &world.corpus, random);
        }
        lines.push(line.to_string());
    }
    let bytes = lines.join("\n").into_bytes();
    if random.below(8) == 0 { change::changed(bytes, &world.corpus, random) } else { bytes }
}

fn children(_: &World, bytes: &[u8]) -> Option<Facts> {
    let mut facts = Facts::new();
    // As the runner takes them: lines that are objects.
    let stages: Vec<Value> =
        text(bytes).lines().filter_map(|line| serde_json::from_str(line).ok()).filter(Value::is_object).collect();
    let done = bytes.len().is_multiple_of(2);
    let said =
        Said { stages, done, end: end(bytes), stderr: text(&bytes[..bytes.len().min(500)]), ..Said::not_started("") };
    probes::nodes::parse(&said, &mut facts);
    probes::nvml::parse(&said, &[], &mut facts);
    probes::cuda::parse(&said, &mut facts);
    probes::cuda::devices(&said.stages);
    probes::libtorch::parse(Path::new("/x"), &said, &mut facts);
    let first = Child::first(Chosen::new(Path::new("/v/bin/python"), "PATH"));
    facts.extend(probes::python::parse(&first, &said));
    let framework = &frameworks::ALL[bytes.len() % frameworks::ALL.len()];
    facts.extend(probes::python::parse(&Child { framework, prefix: Some("/v".to_string()), ..first }, &said));
    Some(facts)
}

/// A way to end for each length.
fn end(bytes: &[u8]) -> End {
    match bytes.len() % 6 {
        0 => End::Exited(bytes.len() as i32 % 256),
        1 => End::Signaled(11),
        2 => End::TimedOut { abandoned: true },
        3 => End::Flooded,
        4 => End::NotStarted(text(&bytes[..bytes.len().min(100)])),
        _ => End::Exited(0),
    }
}

fn snapshots() -> Vec<Value> {
    let mut found = Vec::new();
    for cause in causes::all() {
        for one in example::examples(cause.page, cause.head().slug) {
            let facts = one.facts(false).expect("facts of an example");
            found.push(serde_json::json!({
                "schema_version": 1, "created_at": "2026-01-31T12:00:00Z", "facts": facts.iter().collect::<Vec<_>>(),
            }));
        }
    }
    found
}

fn pages(page: &str) {
    let head = page::Head::of(page);
    let values: BTreeMap<&str, String> = [
        ("kernel", "6.1 $(x)".to_string()),
        ("gpu", "a \"b\" 'c'\n".to_string()),
        ("python", r"C:\a b\p.exe".to_string()),
    ]
    .into();
    let tags: Vec<String> = ["apt", "container", "linux"].map(str::to_string).to_vec();
    page::first_command(page::section(page, "How to confirm"));
    page::steps(page, &tags, &values);
    for fix in page::fixes(page) {
        page::holds(fix.condition, &tags);
        page::may_hold(fix.condition, &tags, |word| word.len() % 2 == 0);
    }
    for text in [head.message, head.summary, head.verify, page] {
        page::names(text);
        page::fill(text, &values);
        page::command(text, &values);
        page::word(text);
    }
    for one in example::examples(page, head.slug) {
        let _ = one.facts(false);
        let _ = one.facts(true);
    }
    render::page::page(page, &gpu_doctor::machine::console::Console { width: 30, colour: true, unicode: true });
}

fn words(line: &str) {
    subject::pci_address(line);
    archs::parse(line);
    archs::parse_cc(line);
    archs::serves(&[line.to_string()], (9, 0), false, Some((12, 4)));
    drivers::DriverVersion::parse(line);
    drivers::parse_cuda(line);
    gpu_names::compute_capability(line);
    gpu_names::architecture(line);
    pci_ids::parse_id(line);
    pci_ids::Architecture::from_name(line);
    wheels::tag(line);
    xid::parse(line);
    if let Some(release) = wheels::parse_release(line) {
        wheels::pythons(release);
    }
    probes::host::group_name(line, 44);
}

/// An input of one target.
#[derive(Clone)]
struct Bytes {
    target: usize,
    bytes: Vec<u8>,
}

impl Input for Bytes {
    fn bytes(&self) -> Vec<u8> {
        [TARGETS[self.target].name.as_bytes(), b": ", &self.bytes].concat()
    }

    fn parts(&mut self) -> Vec<&mut Vec<u8>> {
        vec![&mut self.bytes]
    }
}

fn judge(world: &World, input: &Bytes) {
    if let Some(facts) = (TARGETS[input.target].read)(world, &input.bytes) {
        let report = |facts| Report::of(facts, "2026-01-01T00:00:00Z".to_string());
        // Left out is what names somebody; the rest is judged and compared as any other report.
        let redacted = report(Redactor::of(&facts).facts(facts.clone()));
        let whole = report(facts);
        fuzz::shown_safely(&whole);
        diff::compare(("a", &whole), ("b", &redacted));
    }
}

#[test]
fn nothing_that_is_read_breaks_a_reader() {
    let world = World::new();
    let mut turn = 0;
    let next = |random: &mut Random| {
        turn += 1;
        let target = turn % TARGETS.len();
        Bytes { target, bytes: (TARGETS[target].make)(&world, random) }
    };
    fuzz::fuzz("parsers", next, |input| judge(&world, input));
}

#[test]
fn no_reader_is_left_out() {
    const SIGNS: &[&str] = &[
        "machine.text(",
        "machine.line(",
        "machine.bytes(",
        "machine.range(",
        "kernel_log(",
        "impl Reader for",
        "fn parse",
        ": &Report",
        "from_utf8",
        "serde_json::from_",
    ];
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut readers, mut left_out) = (0, Vec::new());
    for path in corpus::sources(&root.join("src")) {
        let name = path.strip_prefix(root).expect("a source").to_str().expect("a name").to_string();
        // What tests of a source do is not what it does.
        let source = std::fs::read_to_string(&path).expect("a source");
        let source = source.split("#[cfg(test)]").next().unwrap_or_default();
        if name.contains("tests.rs") || !SIGNS.iter().any(|sign| source.contains(sign)) {
            continue;
        }
        let covered = TARGETS.iter().any(|target| target.covers.iter().any(|start| name.starts_with(start)));
        let excused = NO_READERS.iter().any(|(start, _)| name.starts_with(start));
        readers += usize::from(covered);
        if !covered && !excused {
            left_out.push(name);
        }
    }
    assert!(left_out.is_empty(), "these read what others wrote; name them in a target that reaches them: {left_out:?}");
    assert!(readers > 30, "{readers} readers");
    for name in TARGETS.iter().flat_map(|target| target.covers) {
        assert!(root.join(name).exists(), "{name} is named and is not there");
    }
}

/// Inputs that broke something once, each with what it was.
#[test]
fn what_broke_a_reader_once_no_longer_does() {
    let world = World::new();
    let cases: &[(&str, &str)] = &[
        // The name of a key that this version does not know, in a table of Markdown.
        (
            "snapshot",
            r#"{"created_at":"2026-01-31T12:00:00Z","facts":[{"key":"\r\u202e","source":"","state":"seen","subject":{"id":"","kind":"machine"},"value":{"":""}}],"schema_version":1}"#,
        ),
    ];
    for (name, text) in cases {
        let target = TARGETS.iter().position(|target| target.name == *name).expect(name);
        judge(&world, &Bytes { target, bytes: text.as_bytes().to_vec() });
    }
}
