//! What several test programs share.

#[cfg(unix)]
pub mod fake;
pub mod program;
#[cfg(unix)]
pub mod tree;
