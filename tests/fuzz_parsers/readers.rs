//! What the targets read from, and how each is read.

use crate::everything;
use crate::fuzz::{Corpus, Random, change};
use crate::tree::Tree;
use gpu_doctor::causes::{self, example, page};
use gpu_doctor::facts::{self, Facts, python::Environment};
use gpu_doctor::machine::child::{End, Report as Said};
use gpu_doctor::machine::{Machine, Scope};
use gpu_doctor::probes::python::{Child, Chosen, Found};
use gpu_doctor::probes::{self, Plan};
use gpu_doctor::subject::Subject;
use gpu_doctor::tables::{archs, drivers, frameworks, gpu_names, pci_ids, wheels, xid};
use gpu_doctor::{render, subject};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What the targets read from.
pub struct World {
    pub corpus: Corpus,
    pub tree: Tree,
    pub machine: Machine,
    /// The user's home, which lies under no other root.
    pub home: Tree,
    /// Every file of the tree, with what it holds.
    pub files: Vec<(PathBuf, Vec<u8>)>,
    pub snapshots: Vec<Value>,
    /// Lines that children say.
    pub lines: Vec<Value>,
}

impl World {
    /// All of it; HOME and PATH of this process are those of the tree from here on.
    pub fn new() -> World {
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

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Puts one file in place of that of the tree, and lets every probe of files look.
pub fn files(world: &World, bytes: &[u8]) -> Option<Facts> {
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

pub fn stages(world: &World, random: &mut Random) -> Vec<u8> {
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

pub fn children(_: &World, bytes: &[u8]) -> Option<Facts> {
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
pub fn end(bytes: &[u8]) -> End {
    match bytes.len() % 6 {
        0 => End::Exited(bytes.len() as i32 % 256),
        1 => End::Signaled(11),
        2 => End::TimedOut { abandoned: true },
        3 => End::Flooded,
        4 => End::NotStarted(text(&bytes[..bytes.len().min(100)])),
        _ => End::Exited(0),
    }
}

pub fn snapshots() -> Vec<Value> {
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

pub fn pages(page: &str) {
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

pub fn words(line: &str) {
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
        wheels::pythons(release, wheels::System::LinuxX86);
    }
    probes::host::group_name(line, 44);
}
