//! libtorch through the second binary, `gpu-doctor-torch`: found beside this one, and run only with the libtorch that it
//! was built for.
//!
//! libtorch is where `LIBTORCH` says, or inside the torch of a Python that was asked.

use super::{Plan, careful};
use crate::facts::python::{self as keys, Libtorch, Tensor};
use crate::facts::{Facts, Look};
use crate::machine::Machine;
use crate::machine::child::{Report, Spec, own_program};
use crate::subject::{Kind, Subject};
use std::path::{Path, PathBuf};

/// The name of the probe.
pub const NAME: &str = "libtorch";
/// The release that tch 0.26 is made for; another one has other symbols.
const RELEASE: &str = "2.13.0";

/// The child that asks libtorch, or why there is none.
pub fn spec(machine: &Machine, plan: &Plan, facts: &Facts) -> Result<(PathBuf, Spec), Option<String>> {
    let own = plan.program.clone().unwrap_or_else(own_program);
    let name = if cfg!(windows) { "gpu-doctor-torch.exe" } else { "gpu-doctor-torch" };
    let helper = own.with_file_name(name);
    if !machine.exists_here(&helper) {
        return Err(None);
    }
    let folder = libtorch(machine, facts)?;
    let spec = careful(Spec::stages(helper, machine.limit));
    // Its own search path first: what the program would have loaded otherwise is another question.
    let path = machine.variable("LD_LIBRARY_PATH").filter(|p| !p.is_empty());
    let path = path.map_or_else(|| folder.display().to_string(), |p| format!("{}:{p}", folder.display()));
    Ok((folder, spec.set("LD_LIBRARY_PATH", path)))
}

/// The folder of a libtorch of the right release.
fn libtorch(machine: &Machine, facts: &Facts) -> Result<PathBuf, Option<String>> {
    if let Some(named) = machine.variable("LIBTORCH").filter(|p| !p.is_empty()) {
        let folder = Path::new(&named);
        let version = machine.text_here(&folder.join("build-version")).unwrap_or_default();
        return match is_release(version.trim()) {
            true => Ok(folder.join("lib")),
            false => Err(Some(format!("LIBTORCH={named} is not libtorch {RELEASE}, which the helper was built for"))),
        };
    }
    let (mut other, mut broken) = (None, None);
    for framework in facts.subjects(Kind::Framework) {
        if facts.look(&keys::IMPORT, &framework).seen().is_some_and(|import| !import.ok) {
            broken = Some(framework.to_string());
            continue;
        }
        if let Look::Seen(torch, _) = facts.look(&keys::DISTRIBUTION, &framework) {
            let lib = Path::new(&torch.location).join("torch").join("lib");
            if is_release(&torch.version) && machine.exists_here(&lib) {
                return Ok(lib);
            }
            other = Some(torch.version);
        }
    }
    Err(Some(match (other, broken) {
        (None, Some(torch)) => format!("{torch} cannot be imported, and this would load the same library"),
        (Some(version), _) => format!("torch here is {version}, and the helper was built for {RELEASE}"),
        (None, None) => {
            format!("no libtorch {RELEASE} was found (neither LIBTORCH nor torch in the Python that was asked)")
        }
    }))
}

fn is_release(version: &str) -> bool {
    version == RELEASE || version.strip_prefix(RELEASE).is_some_and(|rest| rest.starts_with('+'))
}

/// Whether the helper came so far that it could say anything: the loader may find that a library is missing, which is said
/// in the fact and is no crash.
pub fn began(report: &Report) -> bool {
    !report.stages.is_empty()
}

/// What the helper said.
pub fn parse(folder: &Path, report: &Report, facts: &mut Facts) {
    let machine = Subject::machine();
    let source = "gpu-doctor-torch";
    let load_error = report.result("load").and_then(|stage| stage["error"]["message"].as_str());
    let Some(stage) = report.result("libtorch") else {
        let last = report.stderr.trim().lines().next_back().unwrap_or("the helper said nothing");
        let why = load_error.unwrap_or(last);
        facts.failed(&keys::LIBTORCH, &machine, why, source);
        return;
    };
    let seen = Libtorch {
        folder: folder.display().to_string(),
        cuda_available: stage["cuda_available"] == true,
        device_count: stage["device_count"].as_i64().unwrap_or_default(),
        cudnn_available: stage["cudnn_available"] == true,
    };
    facts.seen(&keys::LIBTORCH, &machine, seen, source);
    for stage in report.results("tensor") {
        let message = stage["error"]["message"].as_str();
        let tensor = Tensor {
            index: stage["index"].as_u64().and_then(|n| u32::try_from(n).ok()).unwrap_or_default(),
            device: None,
            ok: stage["ok"] == true,
            step: stage["step"].as_str().map(str::to_string),
            message: message.map(str::to_string),
            code: message.and_then(cuda_code),
        };
        facts.seen(&keys::LIBTORCH_TENSOR, &machine, tensor, source);
    }
}

/// The code of torch's sentences: `CUDA error: no kernel image is available for execution on the device`.
fn cuda_code(message: &str) -> Option<i32> {
    [
        ("no kernel image", 209),
        ("out of memory", 2),
        ("devices are busy or unavailable", 46),
        ("misaligned address", 716),
        ("illegal memory access", 700),
        ("unsupported toolchain", 222),
    ]
    .into_iter()
    .find(|(words, _)| message.contains(words))
    .map(|(_, code)| code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_release_it_was_built_for() {
        assert!(is_release("2.13.0") && is_release("2.13.0+cu130"));
        assert!(!is_release("2.13.01") && !is_release("2.1.0") && !is_release(""));
    }

    #[test]
    fn what_the_helper_saw_becomes_facts() {
        let mut report = Report::not_started("");
        let stages = [
            r#"{"stage":"load","libtorch":"/x/libtorch_cpu.so","libtorch_cuda":"/x/libtorch_cuda.so"}"#,
            r#"{"stage":"libtorch","built_for":"2.13.0","cuda_available":true,"device_count":1,"cudnn_available":true,"errors":{}}"#,
            r#"{"stage":"tensor","index":0,"ok":false,"step":"compute","error":{"message":"CUDA error: no kernel image is available"}}"#,
        ];
        report.stages = stages.iter().map(|s| serde_json::from_str(s).unwrap()).collect();
        let mut facts = Facts::new();
        parse(Path::new("/x"), &report, &mut facts);
        assert!(facts.value(&keys::LIBTORCH).unwrap().cuda_available);
        let tensor = facts.value(&keys::LIBTORCH_TENSOR).unwrap();
        assert_eq!((tensor.ok, tensor.code, tensor.step.as_deref()), (false, Some(209), Some("compute")));
    }

    #[test]
    fn a_helper_that_cannot_start_says_why() {
        let mut report = Report::not_started("");
        report.stderr = "gpu-doctor-torch: error while loading shared libraries: libcupti.so.13".to_string();
        let mut facts = Facts::new();
        parse(Path::new("/x"), &report, &mut facts);
        assert!(facts.machine(&keys::LIBTORCH).why_failed().unwrap().contains("libcupti.so.13"));
    }
}
