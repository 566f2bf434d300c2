//! The frameworks people use, as they are really installed by pip and by uv: what is read of them, what they say, and what is
//! the matter with them on a machine without a GPU and on one with a GPU that works.
//!
//! The packages are real; the GPU and its driver are a described tree with the lab's fakes. See `tests/lab/README.md`.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods)]

mod causes;
#[path = "../common/mod.rs"]
mod common;
mod files;
mod machines;
mod parts;
mod played;
mod quiet;
mod together;
mod words;
