//! What a text said: messages of tools, and what a person reports, as [`crate::triage`] recognises them.

use super::{AnyKey, Key};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A message that was recognised in a text; the source is `FILE:LINE`.
pub const MESSAGE: Key<Said> = Key::new("said.message");
/// How many lines of text were read in all (machine).
pub const LINES: Key<u64> = Key::new("said.lines");

/// A recognised message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Said {
    /// Id of the message in the table, `torch-not-compiled-with-cuda`.
    pub id: String,
    /// The line, shortened.
    pub text: String,
    /// Values in it, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, String>,
}

/// All keys of this file.
pub const ALL: &[&dyn AnyKey] = &[&MESSAGE, &LINES];
