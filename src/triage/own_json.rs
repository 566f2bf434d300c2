//! `gpu-doctor check --json`, pasted: its facts as they are.

use super::{Found, Line};
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

impl OwnJson {
    /// Takes a line in; whether it belongs to a report.
    pub fn takes(&mut self, line: Line, found: &mut Found) -> bool {
        let text = line.text;
        let Some((document, _)) = &mut self.open else {
            if text.starts_with("{\"schema_version\"") {
                self.open = Some((text.to_string(), line.number));
                self.close(found);
                return true;
            }
            if text.trim() == "{" {
                self.open = Some(("{\n".to_string(), line.number));
            }
            return false;
        };
        // Only a report of ours is worth keeping; it begins with its version.
        let second = document.len() == 2;
        if document.len() + text.len() > LONGEST || (second && !text.contains("\"schema_version\"")) {
            self.open = None;
            return false;
        }
        document.push_str(text);
        document.push('\n');
        // The outermost brace stands at the beginning of its line.
        if text == "}" {
            self.close(found);
        }
        true
    }

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
