//! Ways to change a text by its structure: lines, columns, numbers, encodings, JSON.

use super::{Corpus, Random};
use std::io::{BufRead, BufReader, Read};

/// The most bytes of an input.
const LONGEST: usize = 1 << 20;

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

/// The lines of a text over and over, each time with other numbers, up to a length; they are made as they are read.
pub fn endless(text: &[u8], length: usize) -> impl BufRead + use<> {
    let lines: Vec<Vec<u8>> = text.split(|b| *b == b'\n').map(|line| [line, b"\n"].concat()).collect();
    BufReader::new(Endless { lines, at: 0, left: length, rest: Vec::new() })
}

struct Endless {
    lines: Vec<Vec<u8>>,
    at: usize,
    left: usize,
    rest: Vec<u8>,
}

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.left == 0 {
            return Ok(0);
        }
        if self.rest.is_empty() {
            self.rest = numbered(&self.lines[self.at % self.lines.len()], self.at);
            self.at += 1;
        }
        let n = buffer.len().min(self.rest.len()).min(self.left);
        buffer[..n].copy_from_slice(&self.rest[..n]);
        self.rest.drain(..n);
        self.left -= n;
        Ok(n)
    }
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
