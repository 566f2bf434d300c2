//! Everything that reads what others wrote: files of the system, what children and tools say, snapshots, pages. Any bytes go
//! through each reader without a panic, without a hang and in bounded memory, and what a rule makes of the facts can be shown.
//!
//! Half of GPU_DOCTOR_FUZZ_SECONDS; see `fuzz_triage.rs`.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods)]

#[path = "../common/everything.rs"]
mod everything;
#[path = "../common/fuzz/mod.rs"]
mod fuzz;
#[path = "../common/memory.rs"]
mod memory;
mod readers;
#[path = "../common/tree.rs"]
mod tree;

use fuzz::{Input, Random, change, corpus};
use gpu_doctor::causes::{self};
use gpu_doctor::facts::Facts;
use gpu_doctor::machine::child::{Report as Said, Spec};
use gpu_doctor::probes::programs::{Ask, Question};
use gpu_doctor::probes::{self};
use gpu_doctor::redact::Redactor;
use gpu_doctor::report::Report;
use gpu_doctor::{diff, snapshot, triage};
use readers::{World, children, end, files, pages, stages, text, words};
use std::path::{Path, PathBuf};
use std::time::Duration;

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
    ("src/machine/child", "bytes of a child to lines: tests/runner.rs and tests/hostile/ start children that lie"),
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
