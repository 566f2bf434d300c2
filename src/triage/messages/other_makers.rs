//! Messages: other_makers.

use super::Message;

/// The rows.
pub static ROWS: &[Message] = &[];
