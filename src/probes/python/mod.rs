//! Python and its frameworks: which interpreters are asked, what they are asked, and what their answers mean as facts.
//!
//! Each child asks one framework in one interpreter, so that a hang or a crash in one takes no other with it. Its script is
//! `core.py` with one file of `frameworks/`; the first child of an interpreter asks torch, and also says where it looks
//! and which frameworks are there (`packages.py`), so that only these are asked after it. What is installed is then read from
//! the files ([`installed`]), for which no interpreter is needed.

pub mod environments;
mod framework;
pub mod installed;
pub mod libraries;
mod parse;
mod pool;
mod quiet;
pub mod startup;

pub use environments::{Environments, Found, Kernel, find, kernel};
pub use parse::{parse, read, rename};
pub(super) use pool::Pool;

use crate::machine::child::{Report, Spec};
use crate::machine::scratch::Scratch;
use crate::tables::frameworks::{self, Framework};
use std::path::PathBuf;
use std::time::Duration;

const CORE: &str = include_str!("core.py");
const PACKAGES: &str = include_str!("packages.py");

/// The file of a framework.
fn file(name: &str) -> &'static str {
    match name {
        "bitsandbytes" => include_str!("frameworks/bitsandbytes.py"),
        "ctranslate2" => include_str!("frameworks/ctranslate2.py"),
        "cupy" => include_str!("frameworks/cupy.py"),
        "flash-attn" => include_str!("frameworks/flash_attn.py"),
        "jax" => include_str!("frameworks/jax.py"),
        "llama-cpp-python" => include_str!("frameworks/llama_cpp.py"),
        "numba" => include_str!("frameworks/numba.py"),
        "onnxruntime" => include_str!("frameworks/onnxruntime.py"),
        "paddle" => include_str!("frameworks/paddle.py"),
        "tensorflow" => include_str!("frameworks/tensorflow.py"),
        "triton" => include_str!("frameworks/triton.py"),
        "vllm" => include_str!("frameworks/vllm.py"),
        "xformers" => include_str!("frameworks/xformers.py"),
        _ => include_str!("frameworks/torch.py"),
    }
}

/// An interpreter that is to be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// The program.
    pub path: PathBuf,
    /// Why this one; of [`REASONS`].
    pub by: &'static str,
    /// Variables that it is started with: those of a notebook's kernel.
    pub variables: Vec<(String, String)>,
}

/// Why an interpreter can have been chosen.
pub const REASONS: &[&str] = &[
    "--python",
    "--kernel",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    ".venv",
    "uv project",
    "pixi project",
    "pdm project",
    "poetry project",
    "hatch project",
    "PATH",
    "--all-envs",
];

impl Chosen {
    /// An interpreter, without variables of its own.
    pub fn new(path: &std::path::Path, by: &'static str) -> Chosen {
        Chosen { path: path.to_path_buf(), by, variables: Vec::new() }
    }
}

/// One framework in one interpreter.
#[derive(Clone, Debug)]
pub struct Child {
    /// The interpreter.
    pub chosen: Chosen,
    /// The framework.
    pub framework: &'static Framework,
    /// The prefix of the environment; nothing for the first child, which is the one to say it.
    pub prefix: Option<String>,
}

impl PartialEq for Child {
    fn eq(&self, other: &Child) -> bool {
        self.chosen == other.chosen && self.framework.name == other.framework.name && self.prefix == other.prefix
    }
}

impl Eq for Child {}

impl Child {
    /// The first child of an interpreter.
    pub fn first(chosen: Chosen) -> Child {
        Child { chosen, framework: frameworks::torch(), prefix: None }
    }

    /// The others, once the first has said what is there.
    pub fn others(&self, stages: &[serde_json::Value]) -> Vec<Child> {
        let of = |name: &str| stages.iter().find(|line| line["stage"] == name);
        let (Some(interpreter), Some(packages)) = (of("interpreter"), of("packages")) else { return Vec::new() };
        let prefix = interpreter["prefix"].as_str().map(str::to_string);
        let is_there = |framework: &&Framework| {
            framework.name != self.framework.name && packages["present"][framework.module].is_string()
        };
        let child = |framework| Child { framework, prefix: prefix.clone(), ..self.clone() };
        frameworks::ALL.iter().filter(is_there).map(child).collect()
    }

    /// The child. The caller says which variables an experiment takes away.
    pub fn spec(&self, limit: Duration, scratch: &Scratch) -> Spec {
        // -B: nothing is written into the environment.
        let arguments = ["-B".to_string(), "-c".to_string(), self.script()];
        let spec = Spec::stages(&self.chosen.path, limit).arguments(arguments);
        let spec = self.chosen.variables.iter().fold(spec, |spec, (name, value)| spec.set(name, value));
        quiet::quiet(spec, scratch)
    }

    fn script(&self) -> String {
        let file = file(self.framework.name);
        if self.prefix.is_some() {
            return format!("{CORE}{file}\n\nmain(FRAMEWORK())\n");
        }
        let modules: Vec<&str> = frameworks::ALL.iter().map(|framework| framework.module).collect();
        let modules = modules.join(" ");
        format!("{CORE}{PACKAGES}{file}\n\nmain(FRAMEWORK(), lambda: packages('{modules}'.split()))\n")
    }

    /// How a person calls it.
    pub fn label(&self) -> String {
        format!("{} in {}", self.framework.name, self.chosen.path.display())
    }
}

/// Whether a child came to an end that says that no computation on the device comes back.
pub(super) fn hung(report: &Report) -> bool {
    let timed_out = matches!(report.end, crate::machine::child::End::TimedOut { .. });
    timed_out && report.unfinished().last().is_some_and(|stage| *stage == "tensor")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn child(framework: &'static Framework, prefix: Option<&str>) -> Child {
        let chosen = Chosen::new("/venv/bin/python".as_ref(), "PATH");
        Child { chosen, framework, prefix: prefix.map(str::to_string) }
    }

    #[test]
    fn every_script_fits_into_a_command_line_of_windows() {
        // 32,767 characters in all, and each quote takes another one; some room is for the program's path.
        for framework in frameworks::ALL {
            let others = child(framework, Some("/venv")).script();
            let first = Child::first(child(framework, None).chosen).script();
            for script in [others, first] {
                let quotes = script.matches(['"', '\\']).count();
                assert!(script.len() + quotes < 32_000, "{}: {} and {quotes}", framework.name, script.len());
            }
        }
    }

    #[test]
    fn every_framework_has_a_file_of_its_own() {
        for framework in frameworks::ALL {
            let name = format!("name = module = '{}'", framework.name);
            let both = format!("name, module = '{}', '{}'", framework.name, framework.module);
            let file = file(framework.name);
            assert!(file.contains(&name) || file.contains(&both), "{}", framework.name);
        }
    }

    #[test]
    fn only_what_is_there_is_asked() {
        let first = Child::first(child(frameworks::torch(), None).chosen);
        let stages = crate::probes::child::test::report(
            r#"{"stage":"interpreter","prefix":"/venv"}
               {"stage":"packages","present":{"torch":"/x","onnxruntime":"/y","os":"/z"}}"#,
        )
        .stages;
        let names: Vec<&str> = first.others(&stages).iter().map(|child| child.framework.name).collect();
        assert_eq!(names, ["onnxruntime"]);
        assert_eq!(first.others(&stages)[0].prefix.as_deref(), Some("/venv"));
        assert_eq!(first.others(&stages[..1]), []);
    }
}
