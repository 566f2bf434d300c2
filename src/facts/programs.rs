//! Native programs that use a GPU by themselves: ollama, llama.cpp, what Rust builds with libtorch. Their subject is the file
//! of the program.

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

/// A Rust project that uses libtorch: the version of its `torch-sys`; subject: its folder.
pub const TORCH_SYS: Key<String> = Key::new("rust.torch_sys");
/// A libtorch that Rust programs are built with; subject: its folder. Failed: what is named is no libtorch.
pub const LIBTORCH_BUILD: Key<LibtorchBuild> = Key::new("libtorch.build");
/// Whether a program that was built with libtorch loads the part for a GPU with it; subject: its file. `false`: its list of
/// needed libraries has neither `libtorch_cuda.so` nor `libtorch.so` nor `libtorch_hip.so`.
pub const LINKED: Key<bool> = Key::new("libtorch.linked");

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

/// A libtorch, as its files tell of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LibtorchBuild {
    /// `2.13.0+cu126`; from `build-version`, or from Python's torch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Whether `libtorch_cuda.so` lies there.
    pub cuda: bool,
    /// Whether `libtorch_hip.so` does.
    pub hip: bool,
    /// What chose it: `LIBTORCH`, `LIBTORCH_USE_PYTORCH`, `download` (the feature of torch-sys), `system`.
    pub chosen_by: String,
}

/// All keys of this file.
pub const ALL: &[&dyn AnyKey] =
    &[&PROGRAM, &DEVICES, &OFFLOAD, &LOG, &MODELS, &BACK_ENDS, &TORCH_SYS, &LIBTORCH_BUILD, &LINKED];
