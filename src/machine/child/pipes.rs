//! Reading a child's pipes in threads of their own: bounded, and able to be left behind.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes kept of the beginning, and of the end, of a text.
const HEAD: usize = 32 << 10;
const TAIL: usize = 32 << 10;
/// A line of stages is never longer; the probes bound their texts.
const LINE: usize = 1 << 20;
/// Nor are there ever more of them.
const LINES: usize = 20_000;

/// What a reading thread says.
#[derive(Debug)]
pub enum Event {
    /// One line, without its end; also a last one that has no end.
    Line(Vec<u8>),
    /// The pipe is closed.
    End,
    /// The pipe gave more than its share, and is read no more.
    Flooded,
}

/// The beginning and the end of a text, filled by a reading thread.
#[derive(Clone, Debug, Default)]
pub struct Kept(Arc<Mutex<Parts>>);

#[derive(Debug, Default)]
struct Parts {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    dropped: usize,
}

impl Kept {
    fn add(&self, bytes: &[u8]) {
        let mut parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let room = HEAD.saturating_sub(parts.head.len()).min(bytes.len());
        parts.head.extend_from_slice(&bytes[..room]);
        parts.tail.extend(&bytes[room..]);
        let over = parts.tail.len().saturating_sub(TAIL);
        parts.tail.drain(..over);
        parts.dropped += over;
    }

    /// The text so far, with what is no UTF-8 replaced, and a note where its middle was dropped.
    pub fn text(&self) -> String {
        let parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut bytes = parts.head.clone();
        if parts.dropped > 0 {
            bytes.extend_from_slice(format!("\n[{} bytes left out]\n", parts.dropped).as_bytes());
        }
        bytes.extend(&parts.tail);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// Reads a text to its end, or to `flood` bytes, in a new thread. The thread blocks for as long as anything holds the
/// other end of the pipe; it is left behind then, with no more than one buffer in its hands.
pub fn keep(pipe: impl Read + Send + 'static, kept: Kept, flood: usize, events: Sender<Event>) {
    start(pipe, flood, events, move |bytes, _| {
        kept.add(bytes);
        true
    });
}

/// Lines that are no JSON objects and are sent all the same, so that somebody may wonder.
const NOISE: usize = 5;

/// The same for lines that may be JSON objects, which are sent one by one. What stands before an object on its line was
/// printed without an end of line, and is sent as a line of its own.
pub fn lines(pipe: impl Read + Send + 'static, flood: usize, events: Sender<Event>) {
    let mut line: Vec<u8> = Vec::new();
    let mut count = 0;
    let mut noise = 0;
    start(pipe, flood, events, move |bytes, events| {
        let ends = if bytes.is_empty() { &b"\n"[..] } else { bytes };
        let mut parts = ends.split(|b| *b == b'\n').peekable();
        while let Some(part) = parts.next() {
            line.extend_from_slice(part);
            if parts.peek().is_some() {
                count += 1;
                let whole = std::mem::take(&mut line);
                let object = whole.windows(2).position(|two| two == b"{\"");
                let (before, object) = whole.split_at(object.unwrap_or(whole.len()));
                for part in [before, object].into_iter().filter(|part| !part.is_empty()) {
                    noise += usize::from(!part.starts_with(b"{"));
                    let sent = part.starts_with(b"{") || noise <= NOISE;
                    if sent && events.send(Event::Line(part.to_vec())).is_err() {
                        return false;
                    }
                }
            }
        }
        line.len() <= LINE && count <= LINES
    });
}

/// Gives what is read to `sink`, and at the end an empty slice. The sink says whether to go on.
fn start(
    mut pipe: impl Read + Send + 'static,
    flood: usize,
    events: Sender<Event>,
    mut sink: impl FnMut(&[u8], &Sender<Event>) -> bool + Send + 'static,
) {
    let body = move || {
        let mut buffer = vec![0; 16 << 10];
        let mut total = 0;
        loop {
            let n = match pipe.read(&mut buffer) {
                Ok(n) => n,
                Err(e) if e.kind() == ErrorKind::Interrupted => continue,
                Err(_) => 0,
            };
            total += n;
            if !sink(&buffer[..n], &events) || total > flood {
                let _ = events.send(Event::Flooded);
                return;
            }
            if n == 0 {
                let _ = events.send(Event::End);
                return;
            }
        }
    };
    // Where no thread can be had, the pipe closes, and the child is seen to say nothing.
    let _ = std::thread::Builder::new().name("pipe".to_string()).stack_size(128 << 10).spawn(body);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn the_middle_of_a_long_text_is_left_out() {
        let kept = Kept::default();
        kept.add(b"first ");
        for _ in 0..1000 {
            kept.add(&[b'x'; 1000]);
        }
        kept.add(b" last");
        let text = kept.text();
        // 6 + 1,000,000 + 5 bytes, of which 64 KiB stay.
        assert!(text.starts_with("first xxx") && text.ends_with("xxx last"));
        assert!(text.contains("\n[934475 bytes left out]\n"), "{}", &text[HEAD..HEAD + 40]);
    }

    #[test]
    fn a_last_line_without_an_end_is_a_line() {
        let (sender, events) = mpsc::channel();
        lines(&b"{\"one\nnoise\n\nmore{\"two"[..], 1 << 10, sender);
        let lines: Vec<String> = events
            .iter()
            .filter_map(|event| match event {
                Event::Line(line) => Some(String::from_utf8_lossy(&line).into_owned()),
                _ => None,
            })
            .collect();
        assert_eq!(lines, ["{\"one", "noise", "more", "{\"two"]);
    }
}
