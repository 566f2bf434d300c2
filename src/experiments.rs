//! Which probe is worth repeating with one thing changed. If it then works, the cause is decided and not guessed.

use crate::facts::{Facts, Look, Variant, cuda, python};
use crate::subject::{Kind as SubjectKind, Subject};
use std::path::Path;

/// The variables that hide GPUs from a process.
pub const MASKS: &[&str] = &["CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"];
/// The variables that change which libraries are loaded.
pub const LIBRARY_PATHS: &[&str] = &["LD_LIBRARY_PATH", "LD_PRELOAD"];
/// More than these would keep a person waiting.
const MOST: usize = 4;

/// What is repeated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// The probe of libcuda. cuInit makes no context.
    Cuda,
    /// The probe of this framework.
    Python(Subject),
}

/// One thing repeated with one thing changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Experiment {
    /// What is repeated.
    pub what: What,
    /// What is changed.
    pub variant: Variant,
}

/// The experiments that could decide something, most telling first. None where everything works.
pub fn wanted(facts: &Facts) -> Vec<Experiment> {
    let is_set = |names: &[&str], even_empty: bool| {
        names.iter().any(|name| facts.variable(name).seen().is_some_and(|value| even_empty || !value.is_empty()))
    };
    // An empty mask hides everything; an empty search path changes nothing.
    let masked = is_set(MASKS, true);
    let redirected = is_set(LIBRARY_PATHS, false);
    let init = facts.value(&cuda::INIT);
    let cuda_fails = init.is_some_and(|code| code != 0);
    let cuda_empty = facts.value(&cuda::COUNT) == Some(0);
    let unloadable = matches!(facts.machine(&cuda::LIBRARY), Look::Absent(_) | Look::Failed(..));
    // What hung would hang again, for as long.
    let cuda_ended =
        facts.look(&cuda::PROBE_END, &Subject::probe("cuda")).seen().is_some_and(|end| end.how != "timed_out");

    let mut wanted = Vec::new();
    let mut add = |what: What, variant: Variant| wanted.push(Experiment { what, variant });
    if masked && (cuda_fails || cuda_empty) {
        add(What::Cuda, Variant::WithoutMasks);
    }
    if redirected && (cuda_fails || unloadable || cuda_ended) {
        add(What::Cuda, Variant::WithoutLibraryPath);
    }
    for framework in facts.subjects(SubjectKind::Framework) {
        let again = What::Python(framework.clone());
        let import = facts.look(&python::IMPORT, &framework).seen();
        let broken = import.as_ref().is_some_and(|import| !import.ok);
        let blind = facts.look(&python::AVAILABLE, &framework).seen() == Some(false);
        let foreign = !built_for_gpu(facts, &framework) && lies_outside(facts, &framework);
        if redirected && broken {
            add(again.clone(), Variant::WithoutLibraryPath);
        }
        // Where cuInit fails too, its own experiment says it.
        if masked && blind && init == Some(0) && !cuda_empty {
            add(again.clone(), Variant::WithoutMasks);
        }
        if (broken && lies_outside(facts, &framework)) || foreign {
            add(again, Variant::WithoutUserSite);
        }
    }
    wanted.truncate(MOST);
    wanted
}

/// Whether the build could use a GPU; a build of which nothing is known could.
fn built_for_gpu(facts: &Facts, framework: &Subject) -> bool {
    let build = facts.look(&python::BUILD, framework).seen();
    build.is_none_or(|build| build.cuda.is_some() || build.hip.is_some() || build.xpu.is_some())
}

/// Whether the framework comes from outside its environment: the user's own site-packages, PYTHONPATH.
fn lies_outside(facts: &Facts, framework: &Subject) -> bool {
    let Some((_, prefix)) = framework.framework_parts() else { return false };
    let interpreter = facts.look(&python::INTERPRETER, &Subject::environment(prefix)).seen();
    let inside = |file: &str| {
        let file = Path::new(file);
        file.starts_with(prefix)
            || interpreter.as_ref().is_some_and(|i| !i.base_prefix.is_empty() && file.starts_with(&i.base_prefix))
    };
    let imported = facts.look(&python::IMPORT, framework).seen().and_then(|import| import.file);
    let installed = facts.look(&python::DISTRIBUTION, framework).seen().map(|d| d.location);
    imported.or(installed).is_some_and(|file| !inside(&file))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::causes::example::facts;

    fn on_healthy(lines: &str) -> Vec<Experiment> {
        wanted(&facts(&format!("from healthy\n{lines}"), false).unwrap())
    }

    const TORCH: &str = "torch@/home/u/venv";

    fn python() -> What {
        What::Python(Subject::framework("torch", "/home/u/venv"))
    }

    #[test]
    fn nothing_is_repeated_where_all_works() {
        assert_eq!(on_healthy(""), []);
        assert_eq!(on_healthy("host.variable variable CUDA_VISIBLE_DEVICES = \"0\""), []);
        assert_eq!(on_healthy("host.variable variable LD_LIBRARY_PATH = \"/opt/lib\""), []);
        assert_eq!(on_healthy("cuda.init = 999"), []);
    }

    #[test]
    fn masks_are_taken_off_when_cuda_lists_nothing() {
        let without_masks = [Experiment { what: What::Cuda, variant: Variant::WithoutMasks }];
        let empty = "host.variable variable CUDA_VISIBLE_DEVICES = \"\"\n";
        assert_eq!(on_healthy(&format!("{empty}cuda.init = 100")), without_masks);
        assert_eq!(on_healthy(&format!("{empty}cuda.count = 0")), without_masks);
        let blind = format!("{empty}framework.available framework {TORCH} = false");
        assert_eq!(on_healthy(&blind), [Experiment { what: python(), variant: Variant::WithoutMasks }]);
    }

    #[test]
    fn library_paths_are_taken_off_when_loading_fails() {
        let path = "host.variable variable LD_LIBRARY_PATH = \"/usr/local/cuda/lib64/stubs\"\n";
        let cuda = [Experiment { what: What::Cuda, variant: Variant::WithoutLibraryPath }];
        assert_eq!(on_healthy(&format!("{path}cuda.init = 34")), cuda);
        assert_eq!(on_healthy(&format!("{path}- cuda.init\ncuda.library failed \"no\"")), cuda);
        let end = |how: &str| {
            format!("{path}probe.end probe cuda = {{\"how\": \"{how}\", \"stage\": \"cuInit\", \"detail\": \"\"}}")
        };
        assert_eq!(on_healthy(&end("crashed")).len(), 1);
        assert_eq!(on_healthy(&end("timed_out")), []);
        let import = format!("framework.import framework {TORCH} = {{\"ok\": false, \"error\": \"OSError\"}}");
        let torch = Experiment { what: python(), variant: Variant::WithoutLibraryPath };
        assert_eq!(on_healthy(&format!("{path}{import}")), [torch]);
        assert_eq!(on_healthy(&format!("host.variable variable LD_LIBRARY_PATH = \"\"\n{import}")), []);
    }

    #[test]
    fn a_build_from_outside_the_environment_is_looked_past() {
        let outside = "/home/u/.local/lib/python3.12/site-packages";
        let cpu = format!(
            "framework.build framework {TORCH} = {{}}\n\
             framework.import framework {TORCH} = {{\"ok\": true, \"file\": \"{outside}/torch/__init__.py\"}}"
        );
        assert_eq!(on_healthy(&cpu), [Experiment { what: python(), variant: Variant::WithoutUserSite }]);
        let inside = cpu.replace(outside, "/home/u/venv/lib/python3.12/site-packages");
        assert_eq!(on_healthy(&inside), []);
    }

    #[test]
    fn there_are_never_many() {
        let mut lines = "host.variable variable LD_LIBRARY_PATH = \"/x\"\ncuda.init = 34\n".to_string();
        for n in 0..9 {
            lines += &format!("framework.import framework torch@/env/{n} = {{\"ok\": false}}\n");
        }
        assert_eq!(on_healthy(&lines).len(), 4);
    }
}
