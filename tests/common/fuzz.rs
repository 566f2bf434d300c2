//! What the two fuzzing tests share: texts to begin with, ways to change them, and a loop that watches time and memory.
//!
//! Texts come from the pages' examples, from `tests/fuzz_triage.txt`, and from every string in the sources and tests of the
//! readers, so that a new reader brings its own. They are changed by their structure: lines, columns, numbers, encodings.
#![allow(clippy::disallowed_methods, dead_code)]

use super::memory;
use gpu_doctor::causes::{self, example};
use gpu_doctor::machine::console::Console;
use gpu_doctor::render::{escape, json as document, terminal};
use gpu_doctor::report::Report;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The most bytes of an input.
const LONGEST: usize = 1 << 20;

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

/// Texts to begin with, and words that readers look for.
pub struct Corpus {
    /// Whole texts.
    pub texts: Vec<Vec<u8>>,
    /// Words and short lines.
    pub words: Vec<Vec<u8>>,
}

impl Corpus {
    /// From everything that is in the repository.
    pub fn new() -> Corpus {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let file = |path: &str| std::fs::read_to_string(root.join(path)).expect(path);
        let mut corpus = Corpus { texts: Vec::new(), words: Vec::new() };
        corpus.texts.extend(file("tests/fuzz_triage.txt").split("\n----\n").map(Vec::from));
        for cause in causes::all() {
            for one in example::examples(cause.page, cause.head().slug) {
                corpus.texts.push(one.text.as_bytes().to_vec());
            }
        }
        for message in gpu_doctor::triage::messages::all() {
            corpus.words.extend(message.words.iter().map(|words| words.replace('*', " 802 ").into_bytes()));
        }
        for folder in ["src/triage", "src/probes", "src/tables", "src/machine", "src/snapshot.rs", "src/causes/page.rs"]
        {
            for path in sources(&root.join(folder)) {
                corpus.add_strings(&std::fs::read_to_string(path).expect("a source"));
            }
        }
        for path in ["tests/triage.rs", "tests/triage_readers.rs", "tests/snapshots.rs"] {
            corpus.add_strings(&file(path));
        }
        assert!(corpus.texts.len() > 500 && corpus.words.len() > 2000, "the strings of the sources are not found");
        corpus
    }

    fn word(&self, random: &mut Random) -> String {
        let word: &Vec<u8> = random.of(&self.words);
        String::from_utf8_lossy(word).into_owned()
    }

    fn add_strings(&mut self, source: &str) {
        for text in strings(source) {
            let list = if text.len() > 60 || text.contains('\n') { &mut self.texts } else { &mut self.words };
            list.push(text.into_bytes());
        }
    }
}

/// The Rust files in a folder, or the file itself, in order.
pub fn sources(path: &Path) -> Vec<std::path::PathBuf> {
    if path.is_file() {
        return vec![path.to_path_buf()];
    }
    let mut names: Vec<_> =
        std::fs::read_dir(path).expect("a folder").map(|entry| entry.expect("a name").path()).collect();
    names.sort();
    let (folders, files): (Vec<_>, Vec<_>) = names.into_iter().partition(|path| path.is_dir());
    let mut found: Vec<_> = files.into_iter().filter(|path| path.extension().is_some_and(|e| e == "rs")).collect();
    found.extend(folders.iter().flat_map(|folder| sources(folder)));
    found
}

/// The strings of a Rust source, without what a comment holds.
fn strings(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = source;
    while let Some(at) = rest.find(['"', '/', '\'']) {
        let (before, tail) = rest.split_at(at);
        if tail.starts_with("//") {
            rest = tail.split_once('\n').map_or("", |(_, rest)| rest);
        } else if tail.starts_with("'\"'") || tail.starts_with("'\\") {
            rest = &tail[3..];
        } else if let Some(body) = tail.strip_prefix('"') {
            let marks = before.len() - before.trim_end_matches('#').len();
            let raw = before[..before.len() - marks].ends_with('r');
            let mut end = 0;
            let close = format!("\"{}", "#".repeat(marks));
            while end < body.len() && (raw && !body[end..].starts_with(&close) || !raw && !body[end..].starts_with('"'))
            {
                end += if !raw && body[end..].starts_with('\\') { 2 } else { 1 };
                while end < body.len() && !body.is_char_boundary(end) {
                    end += 1;
                }
            }
            let end = end.min(body.len());
            found.push(if raw { body[..end].to_string() } else { unescaped(&body[..end]) });
            rest = body.get(end + 1..).unwrap_or_default();
        } else {
            rest = &tail[1..];
        }
    }
    found.retain(|text| text.len() > 1);
    found
}

/// Without the escapes that matter.
fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, if c == '\\' { chars.next() } else { None }) {
            ('\\', Some('n')) => out.push('\n'),
            ('\\', Some('t')) => out.push('\t'),
            ('\\', Some('r')) => out.push('\r'),
            ('\\', Some('\n')) => while chars.next_if(|c| c.is_whitespace()).is_some() {},
            ('\\', Some('u')) => {
                let digits: String = chars.by_ref().skip(1).take_while(|c| *c != '}').collect();
                out.extend(u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32));
            }
            ('\\', Some(other)) => out.push(other),
            (c, _) => out.push(c),
        }
    }
    out
}

/// What readers trip over: ends of lines and of tables, marks of terminals and of directions, letters that change their length
/// in lower case, numbers beyond every type.
const SPECIAL: &[&str] = &[
    "\n",
    "\r",
    "\r\n",
    "\t",
    "\0",
    "|",
    ":",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "\"",
    "'",
    "`",
    "=",
    "==",
    "/",
    "\\",
    "*",
    ",",
    "-",
    "\u{1b}[",
    "\u{1b}[31m",
    "\u{1b}]8;;x\u{7}",
    "\u{9b}2J",
    "\u{7f}",
    "\u{8}",
    "\u{202e}",
    "\u{2066}",
    "\u{200b}",
    "\u{feff}",
    "\u{ad}",
    "\u{2028}",
    "\u{e0041}",
    "\u{a0}",
    "\u{3000}",
    "\u{ff1a}",
    "\u{2018}",
    "\u{130}",
    "\u{212a}",
    "\u{1e9e}",
    "\u{e9}",
    "\u{1f600}",
    "> ",
    "> > ",
    "$ ",
    "# ",
    "```\n",
    "    ",
    "GPU 0: ",
    "NVRM: ",
    "0000:01:00.0",
    "-1",
    "0",
    "4294967296",
    "99999999999999999999",
    "18446744073709551615",
    "1e999",
    "NaN",
    "0x",
    "00",
    "N/A",
    "null",
    "true",
    "0.0.0.0.0",
    "\\u0000",
    "\u{ff}\u{fe}",
    "%s",
    "{}",
    "Xid (PCI:0000:01:00): 79, ",
    "\n}\n",
    "\n{\n",
];

/// A text made from those of the corpus.
pub fn text(corpus: &Corpus, random: &mut Random) -> Vec<u8> {
    changed(random.of(&corpus.texts).clone(), corpus, random)
}

/// A text after some changes.
pub fn changed(mut text: Vec<u8>, corpus: &Corpus, random: &mut Random) -> Vec<u8> {
    for _ in 0..1 + random.below(8) {
        change(&mut text, corpus, random);
        text.truncate(LONGEST);
    }
    text
}

fn change(text: &mut Vec<u8>, corpus: &Corpus, random: &mut Random) {
    let at = random.below(text.len() + 1);
    let insert = |text: &mut Vec<u8>, bytes: &[u8]| text.splice(at..at, bytes.iter().copied()).for_each(drop);
    match random.below(20) {
        0 => text.truncate(at),
        1 if at < text.len() => text[at] = random.next() as u8,
        2 => drop(text.drain(at..(at + random.below(40)).min(text.len()))),
        3 => {
            let noise: Vec<u8> = (0..random.below(40)).map(|_| random.next() as u8).collect();
            insert(text, &noise);
        }
        4 | 5 => {
            let other = random.of(&corpus.texts);
            let from = random.below(other.len() + 1);
            insert(text, &other[from..]);
        }
        6 | 7 => insert(text, corpus.word(random).as_bytes()),
        8 | 9 => insert(text, random.of(SPECIAL).as_bytes()),
        10 => insert(text, &vec![*random.of(b"|: {=9x[\x1b\xe2"); random.below(20_000)]),
        11 => insert(text, random.of(SPECIAL).repeat(random.below(200)).as_bytes()),
        12 => {
            let digits: Vec<usize> = (0..text.len()).filter(|i| text[*i].is_ascii_digit()).collect();
            if !digits.is_empty() {
                text[*random.of(&digits)] = b'0' + random.below(10) as u8;
            }
        }
        13 => {
            let copy = text.clone();
            for _ in 0..random.below(4) {
                if text.len() < LONGEST / 2 {
                    text.extend_from_slice(&copy);
                }
            }
        }
        14 => {
            let wide: Vec<u16> = String::from_utf8_lossy(text).encode_utf16().collect();
            if wide.len() < 20_000 {
                let marked = random.below(2) == 0;
                let mark = marked.then_some(0xfeff);
                let all = mark.into_iter().chain(wide);
                *text = match random.below(2) {
                    0 => all.flat_map(u16::to_le_bytes).collect(),
                    _ => all.flat_map(u16::to_be_bytes).collect(),
                };
            }
        }
        _ => lines(text, random),
    }
}

/// Changes that know of lines.
fn lines(text: &mut Vec<u8>, random: &mut Random) {
    let mut lines: Vec<Vec<u8>> = text.split(|b| *b == b'\n').map(Vec::from).collect();
    let (a, b) = (random.below(lines.len()), random.below(lines.len()));
    match random.below(8) {
        0 => lines.swap(a, b),
        1 => drop(lines.remove(a)),
        2 => lines[a] = lines[b].clone(),
        3 => {
            // One line over and over, with another number each time.
            let line = lines[a].clone();
            let more = random.below(if line.len() < 200 { 2000 } else { 20 });
            lines.splice(a..a, (0..more).map(|n| numbered(&line, n)));
        }
        4 => lines[a].truncate(random.below(200)),
        5 => {
            let before = *random.of(&["> ", "   ", "12: ", "\u{1b}[1m", "| ", "- ", "[ 12.5] ", "\u{202e}"]);
            lines.iter_mut().for_each(|line| drop(line.splice(0..0, before.bytes())));
        }
        6 => lines.iter_mut().for_each(|line| line.push(b'\r')),
        _ => {
            // Two lines in one, as a terminal that wraps or an editor that joins makes it.
            let tail = lines.remove(a);
            let at = random.below(lines.len().max(1));
            match lines.get_mut(at) {
                Some(line) => line.extend(tail),
                None => lines.push(tail),
            }
        }
    }
    *text = lines.join(&b'\n');
}

fn numbered(line: &[u8], n: usize) -> Vec<u8> {
    let Some(at) = line.iter().position(u8::is_ascii_digit) else { return line.to_vec() };
    let end = line[at..].iter().position(|b| !b.is_ascii_digit()).map_or(line.len(), |length| at + length);
    [&line[..at], n.to_string().as_bytes(), &line[end..]].concat()
}

/// One change in a JSON value, at any depth.
pub fn json(value: &mut serde_json::Value, corpus: &Corpus, random: &mut Random) {
    use serde_json::{Value, json};
    let inside = random.below(4) != 0;
    match value {
        Value::Object(map) if inside && !map.is_empty() => {
            let key = map.keys().nth(random.below(map.len())).cloned().unwrap_or_default();
            match random.below(8) {
                0 => drop(map.remove(&key)),
                1 => {
                    let value = map.get(&key).cloned().unwrap_or_default();
                    map.insert(corpus.word(random), value);
                }
                _ => json_at(map.get_mut(&key), corpus, random),
            }
        }
        Value::Array(list) if inside && !list.is_empty() => {
            let at = random.below(list.len());
            match random.below(6) {
                0 => drop(list.remove(at)),
                1 if list.len() < 5000 => {
                    let one = list[at].clone();
                    list.extend(std::iter::repeat_n(one, random.below(2000)));
                }
                _ => json_at(list.get_mut(at), corpus, random),
            }
        }
        Value::String(text) if inside => {
            let bytes = changed(std::mem::take(text).into_bytes(), corpus, random);
            *text = String::from_utf8_lossy(&bytes[..bytes.len().min(5000)]).into_owned();
        }
        _ => {
            let wide = || json!(u64::MAX);
            *value = match random.below(10) {
                0 => Value::Null,
                1 => json!(random.next() as i64),
                2 => wide(),
                3 => json!(-1),
                4 => json!(1e300),
                5 => json!(random.below(2) == 0),
                6 => json!(corpus.word(random)),
                7 => json!(*random.of(SPECIAL)),
                8 => json!([value.take()]),
                _ => json!({ "a": value.take() }),
            };
        }
    }
}

fn json_at(value: Option<&mut serde_json::Value>, corpus: &Corpus, random: &mut Random) {
    if let Some(value) = value {
        json(value, corpus, random);
    }
}

/// The report in every form in which it is shown. Nothing in it may fool a terminal.
pub fn shown_safely(report: &Report) -> Vec<String> {
    let console = |width, unicode| Console { width, colour: false, unicode };
    let whole = document::document(report).expect("a document");
    let shown = vec![
        String::from_utf8(whole).expect("JSON is UTF-8"),
        terminal::report(report, &console(100, true), true),
        terminal::report(report, &console(30, false), false),
    ];
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
struct Watch(Arc<Mutex<Option<(Instant, Vec<u8>)>>>);

impl Watch {
    fn start(name: &str) -> Watch {
        const HANGS: Duration = Duration::from_secs(120);
        let state: Arc<Mutex<Option<(Instant, Vec<u8>)>>> = Arc::default();
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
