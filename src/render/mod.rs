//! One file per format. A renderer decides nothing: all it shows is in the report.

pub mod answer;
pub mod escape;
pub mod json;
pub mod page;
pub mod paint;
pub mod terminal;
