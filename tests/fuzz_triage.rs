//! Any bytes at all, in any number of files: `triage` reads and judges them and shows the answer without a panic, without a
//! hang, in bounded memory, each time the same, and without a character that could fool a terminal.
//!
//! Texts of all kinds are cut, joined and changed for half of GPU_DOCTOR_FUZZ_SECONDS (5 seconds where it is not set), always
//! from the same seed unless GPU_DOCTOR_FUZZ_SEED says another; `fuzz_parsers.rs` has the other half.

#![allow(clippy::disallowed_methods)]

#[path = "common/fuzz/mod.rs"]
mod fuzz;
#[path = "common/memory.rs"]
mod memory;

use fuzz::{Corpus, Input, Random};
use gpu_doctor::facts::kernel;
use gpu_doctor::report::Report;
use gpu_doctor::subject::Subject;
use gpu_doctor::triage::{Text, read, read_str};
use std::time::{Duration, Instant};

/// The files of one ticket.
#[derive(Clone)]
struct Ticket {
    files: Vec<(String, Vec<u8>)>,
}

impl Input for Ticket {
    fn bytes(&self) -> Vec<u8> {
        self.files.iter().flat_map(|(name, bytes)| [format!("\n==> {name} <==\n").as_bytes(), bytes].concat()).collect()
    }

    fn parts(&mut self) -> Vec<&mut Vec<u8>> {
        self.files.iter_mut().map(|(_, bytes)| bytes).collect()
    }
}

impl Ticket {
    fn of(bytes: &[u8]) -> Ticket {
        Ticket { files: vec![("-".to_string(), bytes.to_vec())] }
    }

    fn report(&self) -> Report {
        let several = self.files.len() > 1;
        let mut files: Vec<(&str, &[u8])> =
            self.files.iter().map(|(name, bytes)| (name.as_str(), &bytes[..])).collect();
        let mut texts: Vec<Text> =
            files.iter_mut().map(|(name, bytes)| Text { name, view: several.then_some(*name), bytes }).collect();
        let facts = read(&mut texts).expect("reading memory does not fail");
        Report::of(facts, "2026-01-01T00:00:00Z".to_string())
    }
}

fn judge(ticket: &Ticket) {
    let report = ticket.report();
    assert!(report.facts.len() <= 20_001, "{} facts", report.facts.len());
    let shown = fuzz::shown_safely(&report);
    // Long inputs are not judged twice: what makes an answer depend on chance does so on short ones.
    if ticket.length() < 20_000 {
        assert!(fuzz::shown_safely(&ticket.report()) == shown, "another answer the second time");
    }
}

fn ticket(corpus: &Corpus, random: &mut Random) -> Ticket {
    const NAMES: &[&str] =
        &["-", "host.txt", "container.log", "a b.txt", "\u{1b}[31mred", "\u{202e}txt.a", "line\nbreak", "\u{9b}J"];
    let count = if random.below(3) == 0 { 2 + random.below(3) } else { 1 };
    let files = (0..count).map(|_| (random.of(NAMES).to_string(), fuzz::text(corpus, random))).collect();
    Ticket { files }
}

#[test]
fn no_text_breaks_it() {
    let corpus = Corpus::new();
    fuzz::fuzz("triage", |random| ticket(&corpus, random), judge);
}

/// A text of one kind that goes on and on, with other numbers each time: what is kept of it does not grow.
#[test]
fn no_kind_of_line_fills_the_memory() {
    const ONCE: usize = 60_000;
    let corpus = Corpus::new();
    let mut random = Random::new();
    let end = Instant::now() + fuzz::seconds() / 2;
    let held = |text: &[u8], length: usize| {
        let mut endless = fuzz::change::endless(text, length);
        let mut texts = [Text { name: "-", view: None, bytes: &mut endless }];
        memory::peak(|| read(&mut texts).expect("it can be read")).1
    };
    let mut count = 0;
    while Instant::now() < end || count < 3 {
        let text = random.of(&corpus.texts).clone();
        let (once, more) = (held(&text, ONCE), held(&text, 5 * ONCE));
        // What is kept is full by then: at most 20,000 facts, and lists and tables that are smaller.
        assert!(more < 2 * once + (12 << 20), "{once} and {more} bytes for {}", String::from_utf8_lossy(&text));
        count += 1;
    }
    println!("{count} kinds of lines");
}

/// Inputs that broke something once.
#[test]
fn what_broke_it_once_no_longer_does() {
    for bytes in include_str!("fuzz_triage.txt").split("\n----\n") {
        judge(&Ticket::of(bytes.as_bytes()));
    }
}

/// A log of a cluster, as text and as a snapshot: what explained each GPU's symptom was compared with what explained every other.
#[test]
fn hundreds_of_gpus_do_not_take_minutes() {
    let line = |n: u32| format!("NVRM: Xid (PCI:{n:04x}:01:00): 79, pid={n}, GPU has fallen off the bus.");
    // nvidia-smi answers, so each GPU is judged by itself.
    let list = "GPU 0: NVIDIA A10 (UUID: GPU-00000000-0000-0000-0000-000000000000)\n";
    let text: String = std::iter::once(list.to_string()).chain((0..400).map(|n| line(n) + "\n")).collect();
    let mut facts = read_str(list);
    (0..400).for_each(|n| facts.seen(&kernel::LOG_LINE, &Subject::machine(), line(n), "kernel log"));
    let start = memory::processor_time();
    let ticket = Ticket::of(text.as_bytes()).report();
    let snapshot = Report::of(facts, "2026-01-01T00:00:00Z".to_string());
    let taken = memory::processor_time() - start;
    assert!(taken < Duration::from_secs(15), "{taken:?}");
    // Of a text 128 are kept, with that of the list; a snapshot is taken as it is.
    let fallen = |report: &Report| report.root_causes.iter().filter(|cause| cause.slug == "gpu-fell-off-bus").count();
    assert_eq!((fallen(&ticket), fallen(&snapshot)), (127, 400));
}
