//! What the two fuzzing tests share: texts to begin with, ways to change them, and a loop that watches time and memory.
#![allow(clippy::disallowed_methods, dead_code)]

pub mod change;
pub mod corpus;

pub use change::text;
pub use corpus::Corpus;

use super::memory;
use gpu_doctor::machine::console::Console;
use gpu_doctor::render::{FORMATS, View, escape, terminal};
use gpu_doctor::report::Report;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// xorshift64*: no dependency, and the same texts on every machine.
pub struct Random(u64);

impl Random {
    /// The seed, which GPU_DOCTOR_FUZZ_SEED changes.
    pub fn new() -> Random {
        Random(variable("GPU_DOCTOR_FUZZ_SEED").unwrap_or(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    /// One of several; there must be one.
    pub fn of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// The report in every format. Nothing in it may fool a terminal.
pub fn shown_safely(report: &Report) -> Vec<String> {
    let wide = Console { width: 100, colour: false, unicode: true };
    let view = View { report, console: &wide, verbose: true, strict: true };
    let mut shown: Vec<String> = FORMATS
        .iter()
        .map(|format| String::from_utf8((format.render)(&view).expect(format.name)).expect(format.name))
        .collect();
    let narrow = Console { width: 30, colour: false, unicode: false };
    shown.push(terminal::report(report, &narrow, false));
    for text in &shown {
        let bad = text.lines().find(|line| line.chars().any(escape::is_unsafe));
        assert!(bad.is_none(), "this is shown: {bad:?}");
    }
    shown
}

/// How many seconds one of the two targets runs: half of GPU_DOCTOR_FUZZ_SECONDS, 5 where it is not set.
pub fn seconds() -> Duration {
    Duration::from_millis(variable("GPU_DOCTOR_FUZZ_SECONDS").unwrap_or(10) * 500)
}

/// The most memory of one input, in bytes.
const MOST_MEMORY: usize = 200 << 20;

/// The most processor time of one input: debug builds on a small machine read and judge a text of a megabyte in this time.
fn most_time(length: usize) -> Duration {
    Duration::from_millis(2000 + length as u64 / 100)
}

/// Tries inputs until the time is over. One that panics, that takes too long or too much memory, or of which `judge` says so,
/// is made shorter, kept in a file and printed.
pub fn fuzz<I: Clone + Input>(name: &str, mut next: impl FnMut(&mut Random) -> I, mut judge: impl FnMut(&I)) {
    let mut random = Random::new();
    let end = Instant::now() + seconds();
    note_panics();
    let watch = Watch::start(name);
    let (mut count, mut slowest, mut largest) = (0u32, (Duration::ZERO, 0), (0, 0));
    let mut slow = Vec::new();
    while Instant::now() < end || count < 50 {
        let input = next(&mut random);
        watch.on(&input.bytes());
        match try_one(&input, &mut judge) {
            Ok((time, memory)) => {
                if time > slowest.0 {
                    slowest = (time, input.length());
                    slow = input.bytes();
                }
                largest = largest.max((memory, input.length()));
            }
            Err(why) => {
                let short = shorter(input, &mut |input| try_one(input, &mut judge).is_err());
                let why = try_one(&short, &mut judge).err().unwrap_or(why);
                let kept = keep(name, &short.bytes());
                drop(std::panic::take_hook());
                panic!("{name}: {why}\nthe input, also in {kept}:\n{}", shown(&short.bytes()));
            }
        }
        count += 1;
    }
    watch.over();
    drop(std::panic::take_hook());
    keep(&format!("{name} slowest"), &slow);
    println!(
        "{name}: {count} inputs; the slowest took {:?} for {} bytes, the largest {:.1} MiB for {} bytes",
        slowest.0,
        slowest.1,
        largest.0 as f64 / 1048576.0,
        largest.1
    );
}

/// What a fuzzed function takes.
pub trait Input {
    /// All of it as one text, to be printed and kept.
    fn bytes(&self) -> Vec<u8>;
    /// The parts that can be made shorter.
    fn parts(&mut self) -> Vec<&mut Vec<u8>>;
    /// Bytes in all.
    fn length(&self) -> usize {
        self.bytes().len()
    }
}

thread_local! {
    /// What panicked in this thread, in words.
    static PANICS: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps the words of every panic, and prints none: making an input shorter panics a thousand times.
fn note_panics() {
    let fuzzing = std::thread::current().id();
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if std::thread::current().id() != fuzzing {
            return usual(panic);
        }
        PANICS.with_borrow_mut(|words| {
            if words.is_empty() {
                *words = panic.to_string();
            }
        });
    }));
}

fn try_one<I: Input>(input: &I, judge: &mut impl FnMut(&I)) -> Result<(Duration, usize), String> {
    PANICS.take();
    let start = memory::processor_time();
    let (judged, peak) = memory::peak(|| catch_unwind(AssertUnwindSafe(|| judge(input))));
    let time = memory::processor_time() - start;
    // A check or a rule that panics is caught inside; the note tells.
    let panics = PANICS.take();
    if judged.is_err() || !panics.is_empty() {
        return Err(panics);
    }
    if time > most_time(input.length()) {
        return Err(format!("it took {time:?}"));
    }
    if peak > MOST_MEMORY {
        return Err(format!("it took {} MiB", peak >> 20));
    }
    Ok((time, peak))
}

/// The input without everything that is not needed to break it.
fn shorter<I: Clone + Input>(mut input: I, breaks: &mut impl FnMut(&I) -> bool) -> I {
    let end = Instant::now() + Duration::from_secs(60);
    for part in 0..input.parts().len() {
        let mut size = input.parts()[part].len().div_ceil(2);
        while size > 0 && Instant::now() < end {
            let mut at = 0;
            while at < input.parts()[part].len() && Instant::now() < end {
                let mut less = input.clone();
                let mut parts = less.parts();
                let until = (at + size).min(parts[part].len());
                drop(parts[part].drain(at..until));
                match breaks(&less) {
                    true => input = less,
                    false => at += size,
                }
            }
            size /= 2;
        }
    }
    input
}

fn shown(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string().chars().take(4000).collect()
}

fn keep(name: &str, bytes: &[u8]) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz-{}.bin", name.replace(' ', "-")));
    let _ = std::fs::write(&path, bytes);
    path.display().to_string()
}

/// Ends the whole test when one input does not come back.
struct Watch(Arc<Mutex<Watched>>);

/// Since when which input is tried.
type Watched = Option<(Instant, Vec<u8>)>;

impl Watch {
    fn start(name: &str) -> Watch {
        const HANGS: Duration = Duration::from_secs(120);
        let state: Arc<Mutex<Watched>> = Arc::default();
        let (seen, name) = (Arc::clone(&state), name.to_string());
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(Duration::from_secs(1));
                let Ok(state) = seen.lock() else { return };
                if let Some((since, bytes)) = &*state
                    && since.elapsed() > HANGS
                {
                    eprintln!("{name}: this hangs, also in {}:\n{}", keep(&name, bytes), shown(bytes));
                    std::process::abort();
                }
            }
        });
        Watch(state)
    }

    fn on(&self, bytes: &[u8]) {
        *self.0.lock().expect("the watch") = Some((Instant::now(), bytes.to_vec()));
    }

    fn over(&self) {
        *self.0.lock().expect("the watch") = None;
    }
}
