//! JSON: the API and the snapshot.

use super::Format;
use super::escape::is_unsafe;
use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};
use std::io::{self, Write};

/// The API, and the snapshot.
pub static FORMAT: Format = Format::new("json", "for programs; also the snapshot", |view| Ok(document(view.report)?));

/// A value as indented JSON with a line break at its end. Characters that could fool a terminal are written as `\uXXXX`,
/// which means the same to every reader of JSON.
pub fn document(value: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    value.serialize(&mut Serializer::with_formatter(&mut bytes, Safe(PrettyFormatter::new())))?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// The same on one line.
pub fn line(value: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    value.serialize(&mut Serializer::with_formatter(&mut bytes, Safe(CompactFormatter)))?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// The layout of another formatter, with safe strings.
struct Safe<F>(F);

impl<F: Formatter> Formatter for Safe<F> {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(at) = rest.find(is_unsafe) {
            let (before, tail) = rest.split_at(at);
            writer.write_all(before.as_bytes())?;
            let mut chars = tail.chars();
            let mut units = [0; 2];
            for unit in chars.next().unwrap_or_default().encode_utf16(&mut units) {
                write!(writer, "\\u{unit:04x}")?;
            }
            rest = chars.as_str();
        }
        writer.write_all(rest.as_bytes())
    }

    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_array(writer)
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array(writer)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(writer, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array_value(writer)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object(writer)
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object_value(writer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_cannot_fool_a_terminal_and_mean_the_same() {
        let text = "\u{1b}[2J\u{9b}\u{202e}\u{7f}\u{e0041} \"é\" \\ \n";
        let bytes = document(&[text]).unwrap();
        let written = String::from_utf8(bytes.clone()).unwrap();
        assert_eq!(written, "[\n  \"\\u001b[2J\\u009b\\u202e\\u007f\\udb40\\udc41 \\\"é\\\" \\\\ \\n\"\n]\n");
        assert_eq!(serde_json::from_slice::<[String; 1]>(&bytes).unwrap(), [text]);
    }
}
