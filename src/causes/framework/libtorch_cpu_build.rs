//! The libtorch that a Rust program uses has no part for the GPU.

use crate::causes::{Case, Cause, Finding, Level, Occurrence, advice};
use crate::checks::program::rust::{Wanted, wanted};
use crate::facts::{host, programs, python};
use crate::symptom::Kind;
use crate::tables::archs::{Served, serves};
use crate::tables::{drivers, wheels};

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("libtorch-cpu-build.md"), explains: &[&[Kind::ProgramCpuBuild]], assess };

fn assess(case: &Case) -> Vec<Finding> {
    case.symptoms(Kind::ProgramCpuBuild).filter_map(|o| about(case, &o)).collect()
}

fn about(case: &Case, symptom: &Occurrence) -> Option<Finding> {
    let look = case.facts.look(&programs::LIBTORCH_BUILD, &symptom.subject);
    let build = look.clone().seen()?;
    let folder = &symptom.subject.id;
    let version = build.version.clone();
    let mut text = format!("there is no libtorch_cuda in {folder}/lib");
    let mut part = "CUDA";
    let amd = wanted(case.facts) == Some(Wanted::Hip);
    if amd {
        (text, part) = (format!("there is no libtorch_hip in {folder}/lib"), "ROCm");
    }
    if let Some(version) = &version {
        text = format!("{text}, and its version is {version}");
    }
    // Without a version, the release that the newest tch wants.
    let release = version.as_deref().map(|v| v.split('+').next().unwrap_or(v).to_string());
    let release = release.unwrap_or_else(|| "2.13.0".to_string());
    let tag = tag(case, &release);
    let finding = Finding::new(&symptom.subject, Level::Decided)
        .because_of(&look, text)
        .with("folder", folder.clone())
        .with("part", part)
        .with("release", release)
        // torch-sys downloads no build for CUDA 13.
        .with("download_tag", if tag.starts_with("cu13") { "cu126" } else { tag })
        .with("tag", tag);
    let finding = with_python(finding, case);
    Some(finding.tagged(if amd { "amd" } else { "nvidia" }).tagged(match build.chosen_by.as_str() {
        "download" => "download",
        "LIBTORCH_USE_PYTORCH" => "pytorch",
        "system" => "packaged",
        _ => "manual",
    }))
}

/// Adds the Python that this libtorch lies in, where it is known.
fn with_python(finding: Finding, case: &Case) -> Finding {
    let mut all = case.facts.all(&python::INTERPRETER).map(|(interpreter, _)| interpreter);
    let folder = &finding.subject.id;
    let its = all.find(|python| folder.strip_prefix(&python.prefix).is_some_and(|rest| rest.starts_with(['/', '\\'])));
    let path = its.map_or("python".to_string(), |python| python.path);
    finding.with("python", path)
}

/// The newest CUDA tag of a release that the driver runs and that has code for the GPUs.
fn tag(case: &Case, release: &str) -> &'static str {
    const USUAL: &str = "cu126";
    let arch = case.value(&host::ARCH).unwrap_or_else(|| "x86_64".to_string());
    let os = case.value(&host::OS).unwrap_or_else(|| "linux".to_string());
    let (Some(release), Some(system)) = (wheels::parse_release(release), wheels::System::of(&os, &arch)) else {
        return USUAL;
    };
    let driver = advice::driver(case.facts);
    let gpus = crate::checks::given::nvidia_on_bus(case.facts);
    let capabilities: Vec<_> = gpus.iter().filter_map(|gpu| advice::capability(case.facts, gpu)).collect();
    let fits = |tag: &&str| {
        let Some(cuda) = drivers::parse_cuda(tag) else { return false };
        let starts = driver.is_none_or(|d| drivers::runs_on(d, cuda, advice::platform(case.facts)) != Some(false));
        let list = wheels::architectures(release, tag, system);
        let code = |cc: &(u32, u32)| {
            list.as_ref().is_none_or(|list| !matches!(serves(list, *cc, false, Some(cuda)), Served::No(_)))
        };
        starts && capabilities.iter().all(code)
    };
    // Archives of libtorch are made for the main tags of a release; these two are wheels beside them.
    let main = |tag: &&str| !matches!(*tag, "cu129" | "cu132");
    wheels::index_tags(release, system).into_iter().rev().filter(main).find(fits).unwrap_or(USUAL)
}
