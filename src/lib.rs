//! gpu-doctor: why does my program not use the GPU, and what exactly do I do about it?
//!
//! The data flows one way: [`machine`] (the only door to the outside) -> `probes` -> [`facts`] -> [`checks`] ->
//! [`causes`] -> [`diagnosis`] -> [`report`] -> `render`.

pub mod causes;
pub mod checks;
pub mod cli;
pub mod commands;
pub mod diagnosis;
pub mod diff;
pub mod experiments;
pub mod facts;
pub mod machine;
pub mod probes;
pub mod redact;
pub mod render;
pub mod report;
pub mod snapshot;
pub mod subject;
pub mod symptom;
pub mod tables;
pub mod triage;
