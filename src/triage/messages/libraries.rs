//! Messages: libraries.

use super::Message;

/// The rows.
pub static ROWS: &[Message] = &[];
