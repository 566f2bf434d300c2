//! What several test programs share.

pub mod program;
#[cfg(unix)]
pub mod tree;
