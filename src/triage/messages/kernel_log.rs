//! Messages: kernel_log.

use super::Message;

/// The rows.
pub static ROWS: &[Message] = &[];
