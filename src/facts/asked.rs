//! What the user asked for. Kept among the facts, so that a snapshot is judged as the run was.

use super::{AnyKey, Key};

/// `--expect-gpus N`: how many GPUs there should be.
pub const EXPECT_GPUS: Key<u32> = Key::new("asked.expect_gpus");
/// `--framework NAME`: the framework that must work.
pub const FRAMEWORK: Key<String> = Key::new("asked.framework");
/// Checks that were left out by `--skip` or `--only`, by id.
pub const DESELECTED: Key<Vec<String>> = Key::new("asked.deselected");
/// `--passive`: no CUDA context was made.
pub const PASSIVE: Key<bool> = Key::new("asked.passive");
/// `--quick`: files were read, and nothing was started.
pub const QUICK: Key<bool> = Key::new("asked.quick");
/// `--busy`: GPUs with other people's processes were used as well.
pub const BUSY: Key<bool> = Key::new("asked.busy");
/// The limit of each probe, in seconds.
pub const TIMEOUT: Key<u64> = Key::new("asked.timeout_s");
/// `--root DIR`: an unpacked image was read, and no child was started.
pub const IMAGE: Key<String> = Key::new("asked.image");
/// The command line that gathered the facts, by its arguments; the first is the name of the program, without its folder.
pub const COMMAND: Key<Vec<String>> = Key::new("asked.command");

/// All keys of this file.
pub const ALL: &[&dyn AnyKey] =
    &[&EXPECT_GPUS, &FRAMEWORK, &DESELECTED, &PASSIVE, &QUICK, &BUSY, &TIMEOUT, &IMAGE, &COMMAND];
