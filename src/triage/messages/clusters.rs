//! Messages: clusters.

use super::Message;

/// The rows.
pub static ROWS: &[Message] = &[];
