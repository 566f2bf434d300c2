//! Any bytes at all: `triage` reads them without a panic, without a hang, in bounded memory. Texts of all kinds are cut, joined
//! and changed for GPU_DOCTOR_FUZZ_SECONDS (10 where it is not set), always from the same seed unless GPU_DOCTOR_FUZZ_SEED says
//! another; the text that broke something is printed.
#![allow(clippy::disallowed_methods)]

use gpu_doctor::causes::{self, example};
use gpu_doctor::report::Report;
use gpu_doctor::triage::{Text, read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// xorshift64*: no dependency, and the same texts on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn no_text_breaks_it() {
    let mut random = Random(number("GPU_DOCTOR_FUZZ_SEED", 0x9e37_79b9_7f4a_7c15) | 1);
    let end = Instant::now() + Duration::from_secs(number("GPU_DOCTOR_FUZZ_SECONDS", 10));
    let corpus = corpus();
    let mut slowest = (Duration::ZERO, Vec::new());
    let mut count = 0;
    while Instant::now() < end || count < 50 {
        let text = mutated(&corpus, &mut random);
        let start = Instant::now();
        let judged = catch_unwind(AssertUnwindSafe(|| judge(&text)));
        let taken = start.elapsed();
        assert!(judged.is_ok(), "this text breaks it: {:?}", String::from_utf8_lossy(&text));
        if taken > slowest.0 {
            slowest = (taken, text);
        }
        count += 1;
    }
    println!("{count} texts; the slowest took {:?} for {} bytes", slowest.0, slowest.1.len());
    let shown: String = String::from_utf8_lossy(&slowest.1).chars().take(4000).collect();
    assert!(slowest.0 < Duration::from_secs(5), "{:?} for {shown:?}", slowest.0);
    #[cfg(target_os = "linux")]
    {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        let kib: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
        assert!(kib < 200 << 10, "{kib} KiB at most");
    }
}

fn judge(text: &[u8]) {
    let mut bytes = text;
    let facts = read(&mut [Text { name: "-", view: None, bytes: &mut bytes }]).expect("reading memory does not fail");
    let report = Report::of(facts, "2026-01-01T00:00:00Z".to_string());
    assert!(report.facts.len() <= 20_001);
    // A rule that panics is caught inside, and named.
    assert!(report.root_causes.iter().all(|cause| cause.slug != "doctor-internal-error"), "a rule broke");
}

/// Texts to begin with: the examples of the pages, the words of the messages, and one of every kind that is read.
fn corpus() -> Vec<Vec<u8>> {
    let mut corpus: Vec<Vec<u8>> = include_str!("fuzz_triage.txt").split("\n----\n").map(Vec::from).collect();
    for cause in causes::all() {
        for one in example::examples(cause.page, cause.head().slug) {
            corpus.push(one.text.as_bytes().to_vec());
        }
    }
    for message in gpu_doctor::triage::messages::all() {
        corpus.extend(message.words.iter().map(|words| words.replace('*', " 802 ").into_bytes()));
    }
    corpus
}

fn mutated(corpus: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    const LONGEST: usize = 1 << 20;
    let mut text = corpus[random.below(corpus.len())].clone();
    for _ in 0..1 + random.below(8) {
        let at = random.below(text.len() + 1);
        match random.below(11) {
            0 => text.truncate(at),
            1 if !text.is_empty() => {
                let at = random.below(text.len());
                text[at] = random.next() as u8;
            }
            2 => drop(text.drain(at..(at + random.below(40)).min(text.len()))),
            3 => text.splice(at..at, (0..random.below(40)).map(|_| random.next() as u8)).for_each(drop),
            4 => {
                let other = &corpus[random.below(corpus.len())];
                let from = random.below(other.len() + 1);
                text.splice(at..at, other[from..].iter().copied()).for_each(drop);
            }
            5 => {
                let special = [
                    "\n",
                    "\r",
                    "|",
                    ":",
                    "{",
                    "}",
                    "\"",
                    "\u{1b}[",
                    "> ",
                    "\u{e9}",
                    "\u{1f600}",
                    "\0",
                    "99999999999999999999",
                    "\t",
                    "=",
                    "==",
                    "/",
                    "'",
                    "[",
                    "(",
                    "GPU 0: ",
                    "NVRM: ",
                ];
                text.splice(at..at, special[random.below(special.len())].bytes()).for_each(drop);
            }
            6 => {
                text.splice(at..at, std::iter::repeat_n(b"|: {=9x"[random.below(7)], random.below(5000))).for_each(drop)
            }
            7 if !text.is_empty() => {
                let digits: Vec<usize> = (0..text.len()).filter(|i| text[*i].is_ascii_digit()).collect();
                if !digits.is_empty() {
                    text[digits[random.below(digits.len())]] = b'0' + random.below(10) as u8;
                }
            }
            8 => {
                let copy = text.clone();
                for _ in 0..random.below(4) {
                    if text.len() < LONGEST / 2 {
                        text.extend_from_slice(&copy);
                    }
                }
            }
            9 => {
                let wide: Vec<u8> = String::from_utf8_lossy(&text).encode_utf16().flat_map(u16::to_le_bytes).collect();
                if wide.len() < 20_000 {
                    text = wide;
                }
            }
            _ => {
                let mut lines: Vec<&[u8]> = text.split(|b| *b == b'\n').collect();
                let (a, b) = (random.below(lines.len()), random.below(lines.len()));
                lines.swap(a, b);
                text = lines.join(&b'\n');
            }
        }
        text.truncate(LONGEST);
    }
    text
}
