//! Bytes to lines, whatever they went through on their way: encodings, quoting, colours, line numbers, fences.

use super::Line;
use std::io::{self, BufRead, Read};

/// A longer line is cut: no message that is known here is as long.
const LONGEST: usize = 16 << 10;

/// Calls `each` for every line. UTF-16 is told by its mark, or by the zeros of its ASCII; what is no Unicode is replaced.
pub fn lines(bytes: &mut dyn BufRead, mut each: impl FnMut(Line)) -> io::Result<()> {
    let start = bytes.fill_buf()?;
    match utf16(start) {
        Some(big_endian) => lines_of_utf16(bytes, big_endian, &mut each),
        None => lines_of_utf8(bytes, &mut each),
    }
}

/// Whether this is the beginning of UTF-16, and in which order of bytes (true: the high byte first).
fn utf16(start: &[u8]) -> Option<bool> {
    match start {
        [0xff, 0xfe, ..] => Some(false),
        [0xfe, 0xff, ..] => Some(true),
        [a, 0, b, 0, ..] if *a != 0 && *b != 0 => Some(false),
        [0, a, 0, b, ..] if *a != 0 && *b != 0 => Some(true),
        _ => None,
    }
}

fn lines_of_utf8(bytes: &mut dyn BufRead, each: &mut dyn FnMut(Line)) -> io::Result<()> {
    let mut number = 0;
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        let read = (&mut *bytes).take(LONGEST as u64).read_until(b'\n', &mut buffer)?;
        if read == 0 {
            return Ok(());
        }
        if buffer.last() != Some(&b'\n') {
            skip_line(bytes)?;
        }
        number += 1;
        let whole = String::from_utf8_lossy(&buffer);
        // A progress bar writes many lines into one, with carriage returns between.
        for part in whole.trim_end_matches(['\n', '\r']).split('\r') {
            let text = cleaned(part);
            each(Line { text: &text, number, marks: Default::default() });
        }
    }
}

/// Reads on to the end of a line that was cut.
fn skip_line(bytes: &mut dyn BufRead) -> io::Result<()> {
    loop {
        let buffer = bytes.fill_buf()?;
        if buffer.is_empty() {
            return Ok(());
        }
        if let Some(end) = buffer.iter().position(|b| *b == b'\n') {
            bytes.consume(end + 1);
            return Ok(());
        }
        let all = buffer.len();
        bytes.consume(all);
    }
}

fn lines_of_utf16(bytes: &mut dyn BufRead, big_endian: bool, each: &mut dyn FnMut(Line)) -> io::Result<()> {
    let mut number = 0;
    let mut units: Vec<u16> = Vec::new();
    let mut emit = |units: &mut Vec<u16>| {
        number += 1;
        let whole = String::from_utf16_lossy(units);
        let text = cleaned(whole.trim_start_matches('\u{feff}').trim_end_matches(['\n', '\r']));
        each(Line { text: &text, number, marks: Default::default() });
        units.clear();
    };
    let mut pair = [0; 2];
    loop {
        match bytes.read_exact(&mut pair) {
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => break,
            other => other?,
        }
        let unit = if big_endian { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) };
        if unit == u16::from(b'\n') {
            emit(&mut units);
        } else if units.len() < LONGEST {
            units.push(unit);
        }
    }
    if !units.is_empty() {
        emit(&mut units);
    }
    Ok(())
}

/// A line without what a terminal, a mail program or a ticket put around it.
pub fn cleaned(line: &str) -> String {
    // Nearly every line is plain, and nothing has to be taken out of it.
    if line.bytes().all(|b| (b' '..=b'~').contains(&b)) && !line.trim_start().starts_with('>') {
        return line.trim_end().to_string();
    }
    let mut text = without_escapes(line);
    // `> ` of a quotation, also nested; `$ ` and `# ` of a prompt stay: they tell a command from its output.
    loop {
        let trimmed = text.trim_start();
        match trimmed.strip_prefix("> ").or_else(|| (trimmed == ">").then_some("")) {
            Some(rest) => text = rest.to_string(),
            None => break,
        }
    }
    text.truncate(text.trim_end().len());
    text.replace('\u{ff1a}', ":").replace(['\u{2018}', '\u{2019}'], "'").replace(['\u{201c}', '\u{201d}'], "\"")
}

/// Without terminal escapes, other control characters and marks that turn the direction of text. Tabs become blanks.
fn without_escapes(line: &str) -> String {
    let plain = |c: char| c == '\t' || !(c.is_control() || is_mark(c));
    if line.chars().all(plain) {
        return line.replace('\t', " ");
    }
    let mut out = String::with_capacity(line.len());
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => match chars.peek() {
                // CSI ... final byte; OSC ... BEL.
                Some('[') => {
                    chars.next();
                    while chars.next().is_some_and(|c| !('@'..='~').contains(&c)) {}
                }
                Some(']') => while chars.next().is_some_and(|c| c != '\u{7}') {},
                _ => {
                    chars.next();
                }
            },
            '\t' => out.push(' '),
            c if plain(c) => out.push(c),
            _ => {}
        }
    }
    out
}

/// Marks that are not seen: zero width, directions, byte order.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> Vec<(u64, String)> {
        let mut out = Vec::new();
        let mut bytes = bytes;
        lines(&mut bytes, |line| out.push((line.number, line.text.to_string()))).unwrap();
        out
    }

    #[test]
    fn what_was_put_around_a_line_goes() {
        assert_eq!(cleaned("> > \u{1b}[31mRuntimeError\u{1b}[0m: x  "), "RuntimeError: x");
        assert_eq!(cleaned("\u{202e}abc\u{200b}"), "abc");
        assert_eq!(all(b"a\r\nb\rc\n"), [(1, "a".into()), (2, "b".into()), (2, "c".into())]);
    }

    #[test]
    fn utf16_of_both_orders_is_read() {
        let little: Vec<u8> = "\u{feff}one\ntwo".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = "one\ntwo".encode_utf16().flat_map(u16::to_be_bytes).collect();
        for bytes in [little, big] {
            assert_eq!(all(&bytes), [(1, "one".into()), (2, "two".into())]);
        }
    }

    #[test]
    fn an_endless_line_is_cut_and_the_next_is_read() {
        let mut bytes = vec![b'x'; 1 << 20];
        bytes.extend(b"\nafter\n");
        let got = all(&bytes);
        assert_eq!(got.len(), 2);
        assert_eq!((got[0].1.len(), got[1].1.as_str()), (LONGEST, "after"));
        assert_eq!(all(b"\xff\xfa").len(), 1);
    }
}
