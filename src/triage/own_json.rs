//! `gpu-doctor check --json`, pasted: its facts as they are.

use super::{Found, Line, Reader};
use crate::snapshot;

/// The longest report that is kept, in bytes.
const LONGEST: usize = 4 << 20;

/// Reads it.
#[derive(Default)]
pub struct OwnJson {
    open: Option<(String, u64)>,
    /// How often the text so far was no whole report.
    tried: u32,
}

impl Reader for OwnJson {
    fn waits(&self) -> bool {
        self.open.is_some()
    }

    fn line(&mut self, line: Line, found: &mut Found) {
        let text = line.text;
        match &mut self.open {
            None if text.trim() == "{" => self.open = Some(("{\n".to_string(), line.number)),
            None if text.starts_with("{\"schema_version\"") => {
                self.open = Some((text.to_string(), line.number));
                self.close(found);
            }
            None => {}
            Some((document, _)) => {
                // Only a report of ours is worth keeping; it begins with its version.
                let second = document.len() == 2;
                if document.len() + text.len() > LONGEST || (second && !text.contains("\"schema_version\"")) {
                    self.open = None;
                    return;
                }
                document.push_str(text);
                document.push('\n');
                // The outermost brace stands at the beginning of its line.
                if text == "}" {
                    self.close(found);
                }
            }
        }
    }
}

impl OwnJson {
    fn close(&mut self, found: &mut Found) {
        let Some((document, line)) = self.open.take() else { return };
        match snapshot::parse(document.as_bytes()) {
            Ok(snapshot) => found.take(snapshot.facts, line),
            // An inner brace, where quoting took the indentation away.
            Err(_) if self.tried < 8 => {
                self.tried += 1;
                self.open = Some((document, line));
            }
            Err(_) => {}
        }
    }
}
