//! Texts to begin with: the pages' examples, `tests/fuzz_triage.txt`, and every string in the sources and tests of the readers, so
//! that a new reader brings its own.
#![allow(clippy::disallowed_methods)]

use super::Random;
use gpu_doctor::causes::{self, example};
use std::path::Path;

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

    /// One of the words.
    pub fn word(&self, random: &mut Random) -> String {
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
