//! Messages: cuda.

use super::Message;

/// The rows.
pub static ROWS: &[Message] = &[];
