//! What several test programs share.

#[cfg(unix)]
pub mod fake;
pub mod hostile;
pub mod largest;
pub mod program;
#[cfg(target_os = "linux")]
pub mod stage;
#[cfg(unix)]
pub mod tree;
