//! The torch build to install into an environment, as values and conditions for the steps of a page.

use super::Finding;
use crate::checks::given;
use crate::facts::{Facts, cuda, host, pci, python};
use crate::subject::{Kind, Subject};
use crate::tables::drivers::{DriverVersion, Platform};
use crate::tables::{archs, gpu_packages, pci_ids, wheels};

/// Whose driver numbers hold here: WSL runs on the Windows driver.
pub fn platform(facts: &Facts) -> Platform {
    let windows = facts.value(&host::OS).is_some_and(|os| os == "windows");
    if windows || facts.value(&host::WSL).is_some() { Platform::Windows } else { Platform::Linux }
}

/// The driver's version as numbers, where it is known.
pub fn driver(facts: &Facts) -> Option<DriverVersion> {
    DriverVersion::parse(&given::driver_version(facts)?)
}

/// The compute capability of a GPU: as a driver says it, else from its device id.
pub fn capability(facts: &Facts, gpu: &Subject) -> Option<(u32, u32)> {
    given::compute_capability(facts, gpu).or_else(|| {
        let id = facts.look(&pci::DEVICE, gpu).seen()?;
        Some(pci_ids::chip(pci_ids::parse_id(&id)?)?.compute_capability)
    })
}

/// The prefix of the environment that a subject is or lives in.
pub fn prefix(subject: &Subject) -> Option<&str> {
    match subject.framework_parts() {
        Some((_, prefix)) => Some(prefix),
        None => (subject.kind == Kind::Environment).then_some(subject.id.as_str()),
    }
}

/// The build to advise for the environment of a subject, and for the GPU with this compute capability; without one, for
/// the oldest NVIDIA GPU here. Nothing on a Jetson, and where no build fits.
pub fn build(facts: &Facts, subject: &Subject, cc: Option<(u32, u32)>) -> Option<wheels::Advice> {
    build_of(facts, name(subject), subject, cc)
}

fn build_of(facts: &Facts, framework: &str, subject: &Subject, cc: Option<(u32, u32)>) -> Option<wheels::Advice> {
    let wanted = wanted(facts, subject, cc)?;
    match gpu_packages::knows(framework) {
        true => gpu_packages::advise(framework, &wanted),
        false => wheels::advise(&wanted),
    }
}

/// The framework whose package the page of a cause asks to install.
pub fn framework_of(slug: &str) -> &'static str {
    const STARTS: [(&str, &str); 6] = [
        ("jax", "jax"),
        ("tf-", "tensorflow"),
        ("tensorflow", "tensorflow"),
        ("onnxruntime", "onnxruntime"),
        ("cupy", "cupy"),
        ("numba", "numba"),
    ];
    STARTS.iter().find(|(start, _)| slug.starts_with(start)).map_or("torch", |(_, name)| name)
}

fn name(subject: &Subject) -> &str {
    subject.framework_parts().map_or("torch", |(name, _)| name)
}

/// What a build has to fit.
fn wanted(facts: &Facts, subject: &Subject, cc: Option<(u32, u32)>) -> Option<wheels::Wanted> {
    if facts.value(&host::JETSON).is_some() {
        return None;
    }
    // A framework sees what CUDA lists: an old second card that the driver no longer serves decides nothing.
    let of_cuda =
        || facts.subjects_with(&cuda::DEVICE).iter().filter_map(|gpu| given::compute_capability(facts, gpu)).min();
    let of_gpus = || given::nvidia_on_bus(facts).iter().filter_map(|gpu| capability(facts, gpu)).min();
    let named = || given::all_gpus(facts).iter().filter_map(|gpu| given::compute_capability(facts, gpu)).min();
    // A text that does not name the system mostly comes from the commonest one.
    let text = given::is_text(facts);
    let usual = |word: &str| text.then(|| word.to_string());
    let os = facts.value(&host::OS).or_else(|| usual("linux"))?;
    let arch = facts.value(&host::ARCH).or_else(|| usual("x86_64"))?;
    let environment = match prefix(subject) {
        Some(prefix) => Subject::environment(prefix),
        None if text => crate::triage::environment(),
        // Of no environment: its Python is not known.
        None => Subject::environment(""),
    };
    let version = given::python_of(facts, &environment.id).and_then(|python| python.version);
    Some(wheels::Wanted {
        system: wheels::System::of(&os, &arch)?,
        platform: platform(facts),
        driver: driver(facts),
        // Where no GPU is known, the oldest one that the current builds serve.
        cc: cc.or_else(of_cuda).or_else(of_gpus).or_else(named).unwrap_or((7, 5)),
        python: version.as_deref().and_then(minor_version),
    })
}

fn minor_version(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.split('.').map(|part| part.parse().ok());
    Some((parts.next()??, parts.next()??))
}

/// Adds the build to advise: the values `spec` (its requirement), `specs` (with the packages that go with it), `arguments`
/// (what follows `pip install`), `why` and, where it is not on PyPI, `index` with `index_name`; the condition `index` or
/// `pypi`, or `no_build` with the value `why_none` where none fits.
pub fn with_build(finding: Finding, facts: &Facts, cc: Option<(u32, u32)>) -> Finding {
    let name = name(&finding.subject).to_string();
    with_build_of(finding, facts, &name, cc)
}

/// The same for a framework of which the finding's subject is no name, as that of a text.
pub fn with_package(finding: Finding, facts: &Facts, framework: &str) -> Finding {
    with_build_of(finding, facts, framework, None)
}

fn with_build_of(finding: Finding, facts: &Facts, framework: &str, cc: Option<(u32, u32)>) -> Finding {
    let finding = with_python(finding, facts);
    let is_torch = !gpu_packages::knows(framework);
    let Some(advice) = build_of(facts, framework, &finding.subject, cc) else {
        let why = match wanted(facts, &finding.subject, cc) {
            Some(wanted) if is_torch => wheels::why_none(&wanted),
            _ => "the driver, the GPU and the Python together are served by none".to_string(),
        };
        return finding.tagged("no_build").with("why_none", why);
    };
    // Without a driver the choice is for one that is still to be installed.
    let why = match driver(facts) {
        None if advice.index.is_none() && is_torch => "the current build; it needs a driver of branch 580 or newer",
        _ => advice.why,
    };
    let beside = if is_torch { companions(facts, &finding.subject) } else { String::new() };
    let specs = format!("{}{beside}", advice.specs());
    let finding = finding.with("spec", advice.spec).with("why", why).with("specs", specs.clone());
    match (advice.index_url(), advice.index) {
        (Some(url), Some(tag)) => finding
            .with("arguments", format!("{specs} --index-url {url}"))
            .with("index", url)
            .with("index_name", format!("pytorch-{tag}"))
            .tagged("index"),
        _ => finding.with("arguments", specs).tagged("pypi"),
    }
}

/// The packages beside torch whose build has to match its own, where they are installed: ` torchvision torchaudio`.
fn companions(facts: &Facts, subject: &Subject) -> String {
    let Some(prefix) = prefix(subject) else { return String::new() };
    let place = Subject::environment(prefix);
    let installed = |name: &&&str| {
        facts.all(&python::PACKAGE).any(|(package, fact)| package.name == **name && fact.subject == place)
    };
    ["torchvision", "torchaudio"].iter().filter(installed).map(|name| format!(" {name}")).collect()
}

/// Adds the value `python` (the interpreter of the finding's environment, else `python`), and where the finding is of no
/// environment the condition that names who manages the packages: of the only environment there is, of conda where packages
/// of conda are listed, else pip.
pub fn with_python(finding: Finding, facts: &Facts) -> Finding {
    if let Some(python) = given::python_of(facts, prefix(&finding.subject).unwrap_or_default()) {
        return finding.with("python", python.path);
    }
    let mut all = facts.all(&python::INTERPRETER).map(|(interpreter, _)| interpreter);
    if let (Some(only), None) = (all.next(), all.next()) {
        let manager = MANAGERS.iter().copied().find(|manager| *manager == only.manager).unwrap_or("pip");
        return finding.with("python", only.path).with("prefix", only.prefix).tagged(manager);
    }
    let of_conda = facts.all(&python::PACKAGE).any(|(package, _)| package.build.is_some());
    finding.with("python", "python").tagged(if of_conda { "conda" } else { "pip" })
}

/// Who may manage the packages of an environment.
const MANAGERS: [&str; 6] = ["pip", "uv", "conda", "poetry", "pixi", "system"];

/// `8.9` for (8, 9).
pub fn dotted(cc: (u32, u32)) -> String {
    format!("{}.{}", cc.0, cc.1)
}

/// The compute capability in a symptom's code, `sm_120`.
pub fn of_code(code: &str) -> Option<(u32, u32)> {
    archs::parse(code).map(|target| target.cc)
}

/// The value of a search path without the folders for which `drop` holds; nothing where no folder is left.
pub fn path_without(path: &str, drop: impl Fn(&str) -> bool) -> Option<String> {
    let kept: Vec<&str> = path.split(':').filter(|folder| !folder.is_empty() && !drop(folder)).collect();
    (!kept.is_empty()).then(|| kept.join(":"))
}

/// Adds how to take folders out of LD_LIBRARY_PATH: the condition `library_path` and the value `library_path_fix`, where the
/// variable names such a folder.
pub fn with_library_path(finding: Finding, facts: &Facts, drop: impl Fn(&str) -> bool) -> Finding {
    let Some(path) = facts.variable("LD_LIBRARY_PATH").seen() else { return finding };
    if !path.split(':').any(&drop) {
        return finding;
    }
    let command = match path_without(&path, drop) {
        Some(rest) => format!("export LD_LIBRARY_PATH={}", super::page::word(&rest)),
        None => "unset LD_LIBRARY_PATH".to_string(),
    };
    finding.tagged("library_path").with("library_path_fix", command)
}

/// Whether a path has a folder of this name.
pub fn has_folder(path: &str, name: &str) -> bool {
    path.split('/').any(|part| part == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_taken_out_of_a_search_path() {
        let stubs = |folder: &str| has_folder(folder, "stubs");
        assert_eq!(path_without("/usr/local/cuda/lib64/stubs:/opt/lib::", stubs).as_deref(), Some("/opt/lib"));
        assert_eq!(path_without("/usr/local/cuda/lib64/stubs", stubs), None);
        assert!(!has_folder("/opt/mystubs/lib", "stubs"));
    }

    #[test]
    fn versions_and_codes_are_read() {
        assert_eq!(minor_version("3.12.3"), Some((3, 12)));
        assert_eq!(minor_version("3"), None);
        assert_eq!(of_code("sm_120"), Some((12, 0)));
        assert_eq!(dotted((8, 9)), "8.9");
    }
}
