//! Native programs that use a GPU by themselves: ollama, llama.cpp. Their subject is the file of the program.

use super::{AnyKey, Key};
use serde::{Deserialize, Serialize};

/// A program that was found; subject: its file.
pub const PROGRAM: Key<Program> = Key::new("program.found");
/// The devices that a program names as able to run work, in its own words, without the processor; none: an empty list.
/// Subject: its file. Failed: it could not be asked, or must not be.
pub const DEVICES: Key<Vec<String>> = Key::new("program.devices");
/// How much of the model that was loaded last is on a GPU; subject: the file of the program.
pub const OFFLOAD: Key<Offload> = Key::new("program.offload");
/// A line of a program's log that says why a GPU is not used, a fact each; subject: its file.
pub const LOG: Key<String> = Key::new("program.log");

/// The models that a server holds now, and where; subject: the file of the program. From `ollama ps`.
pub const MODELS: Key<Vec<Model>> = Key::new("program.models");
/// The GPU back ends that lie beside a program, by name (`cuda_v12`, `rocm`, `vulkan`); none: an empty list. Subject: its file.
pub const BACK_ENDS: Key<Vec<String>> = Key::new("program.back_ends");

/// A program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// `ollama`, `llama.cpp`.
    pub name: String,
    /// Whether its server runs, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running: Option<bool>,
}

/// Layers of a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Offload {
    /// Those on a GPU.
    pub layers: u32,
    /// All of them.
    pub of: u32,
}

/// A model that a server holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// Its name.
    pub name: String,
    /// Where it is, in the program's words: `100% GPU`, `48%/52% CPU/GPU`.
    pub processor: String,
    /// The part of it that is on a GPU, in percent; nothing where the words do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu_percent: Option<u32>,
}

/// All keys of this file.
pub const ALL: &[&dyn AnyKey] = &[&PROGRAM, &DEVICES, &OFFLOAD, &LOG, &MODELS, &BACK_ENDS];
