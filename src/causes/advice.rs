//! The build of a framework to install into an environment, as values and conditions for the steps of a page.

use super::Finding;
use crate::checks::given;
use crate::facts::{Facts, cuda, host, pci, python};
use crate::subject::{Kind, Subject};
use crate::tables::builds::{self, Capability, Flavour, Plan, Python, System, Wanted};
use crate::tables::drivers::{self, DriverVersion, Platform};
use crate::tables::{archs, gpu_packages, pci_ids};

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

/// What a build has to fit. Nothing on a Jetson, and on systems for which no build has CUDA.
pub fn wanted(facts: &Facts, subject: &Subject, cc: Option<Capability>) -> Option<Wanted> {
    if facts.value(&host::JETSON).is_some() {
        return None;
    }
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
    Some(Wanted {
        system: System::of(&os, &arch)?,
        platform: platform(facts),
        driver: driver(facts),
        gpus: gpus(facts, cc),
        python: python_of(facts, &environment.id),
    })
}

/// The Python of the environment with this prefix, as far as wheels depend on it.
fn python_of(facts: &Facts, prefix: &str) -> Python {
    let Some(python) = given::python_of(facts, prefix) else {
        return Python { version: None, flavour: Flavour::Usual };
    };
    let flavour = match python.kind.as_deref() {
        _ if python.bits == Some(32) => Flavour::Bits32,
        Some("free-threaded") => Flavour::FreeThreaded,
        Some("musl") => Flavour::Musl,
        Some(_) => Flavour::Other,
        None => Flavour::Usual,
    };
    Python { version: python.version.as_deref().and_then(minor_version), flavour }
}

/// The GPUs that a build is to serve, by compute capability, and the one in trouble. A framework sees what CUDA lists: an old
/// second card that the driver no longer serves decides nothing.
fn gpus(facts: &Facts, cc: Option<Capability>) -> Vec<Capability> {
    let listed = facts.subjects_with(&cuda::DEVICE).into_iter();
    let mut all: Vec<Capability> = listed.filter_map(|gpu| given::compute_capability(facts, &gpu)).collect();
    if all.is_empty() {
        let on_bus = given::nvidia_on_bus(facts);
        let of = |wanted: &dyn Fn(&Subject) -> bool| -> Vec<Capability> {
            on_bus.iter().filter(|gpu| wanted(gpu)).filter_map(|gpu| capability(facts, gpu)).collect()
        };
        all = of(&|gpu| is_driven(facts, gpu));
        if all.is_empty() {
            all = of(&|_| true);
        }
    }
    // A text mostly speaks of the one card that is in trouble.
    if all.is_empty() && cc.is_none() {
        let named = given::all_gpus(facts);
        all = named.iter().filter_map(|gpu| given::compute_capability(facts, gpu)).collect();
    }
    all.extend(cc);
    if all.is_empty() {
        // Where no GPU is known, the oldest one that the current builds serve.
        all.push((7, 5));
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// Whether the driver in use, or the current one that is still to be installed, has not dropped the generation of a card.
fn is_driven(facts: &Facts, gpu: &Subject) -> bool {
    let id = facts.look(&pci::DEVICE, gpu).seen();
    let chip = id.and_then(|id| pci_ids::parse_id(&id)).and_then(pci_ids::chip);
    let last = chip.and_then(|chip| drivers::last_branch(chip.architecture));
    match (last, driver(facts)) {
        (Some(last), Some(driver)) => driver.branch <= last,
        (Some(last), None) => last >= NEWEST_FOR_OLD,
        (None, _) => true,
    }
}

/// The branch that still serves Maxwell, Pascal and Volta, and every newer card: what one installs today.
const NEWEST_FOR_OLD: u32 = 580;

fn minor_version(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.split('.').map(|part| part.parse().ok());
    Some((parts.next()??, parts.next()??))
}

/// Adds the build to advise: the values `spec` (its requirement), `specs` (with the packages that go with it), `arguments`
/// (what follows `pip install`), `why` and, where it is not on PyPI, `index` with `index_name`; the condition `index` or
/// `pypi`, or `no_build` with the value `why_none` where none fits. Where no build serves all cards, `why` names the ones that
/// are left out; `apart` says that the card with this compute capability is one of them, and `together` that conda-forge has a
/// build for all of them.
pub fn with_build(finding: Finding, facts: &Facts, cc: Option<Capability>) -> Finding {
    let name = name(&finding.subject).to_string();
    with_build_of(finding, facts, &name, cc)
}

/// The same for a framework of which the finding's subject is no name, as that of a text.
pub fn with_package(finding: Finding, facts: &Facts, framework: &str) -> Finding {
    with_build_of(finding, facts, framework, None)
}

fn with_build_of(finding: Finding, facts: &Facts, framework: &str, cc: Option<Capability>) -> Finding {
    let finding = with_python(finding, facts);
    let framework = if gpu_packages::knows(framework) { framework } else { "torch" };
    let wanted = wanted(facts, &finding.subject, cc);
    let plan = wanted.as_ref().and_then(|wanted| builds::advise(framework, wanted));
    let Some(plan) = plan else {
        let why = match &wanted {
            Some(wanted) => builds::why_none(framework, wanted),
            None => of_no_system(facts, framework).to_string(),
        };
        return finding.tagged("no_build").with("why_none", why);
    };
    let beside = if framework == "torch" { companions(facts, &finding.subject) } else { String::new() };
    let left_out = left_out(facts, framework, &plan);
    let why = match &left_out {
        Some(text) => format!("{}; {text}", plan.advice.why),
        None => plan.advice.why.to_string(),
    };
    let finding = match (cc.and_then(|cc| plan.left_out.iter().find(|(out, _)| *out == cc)), left_out) {
        (Some((_, needs)), Some(text)) => {
            let finding = apart(finding, facts, &plan, text, needs.as_ref().map(|a| a.arguments()));
            // conda-forge compiles torch with CUDA 12 for 5.0 to 12.0 (build.sh and bld.bat of its recipe, 2026-08).
            let driven = plan.left_out.iter().all(|(cc, needs)| *cc >= (5, 0) && needs.is_some());
            if driven && framework == "torch" { finding.tagged("together") } else { finding }
        }
        _ => finding,
    };
    let advice = plan.advice;
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

/// Why there is no build with CUDA for a system that the tables do not know. NVIDIA's index for Windows on ARM: its release
/// policy page, 2026-09.
fn of_no_system(facts: &Facts, framework: &str) -> &'static str {
    match (facts.value(&host::OS).as_deref(), facts.value(&host::ARCH).as_deref()) {
        (Some("macos"), _) => "there is no CUDA for macOS; torch uses Apple's GPUs as the device `mps`",
        (Some("windows"), Some("aarch64")) if framework == "torch" => {
            "PyPI and the PyTorch index have none with CUDA for Windows on ARM; NVIDIA's own index has 2.14.0 for CUDA 13.4 and \
             Python 3.13"
        }
        _ => "there is none with CUDA for this system",
    }
}

/// Which cards the build has nothing for, and what they would need: a sentence without its end.
fn left_out(facts: &Facts, framework: &str, plan: &Plan) -> Option<String> {
    let one = |(cc, needs): &(Capability, Option<builds::Advice>)| {
        let card = card(facts, *cc);
        match needs {
            Some(advice) => {
                format!("{card} is left out, and needs an environment of its own with `{}`", advice.arguments())
            }
            None => format!("{card} is left out, as no build for it runs here"),
        }
    };
    let all: Vec<String> = plan.left_out.iter().map(one).collect();
    (!all.is_empty()).then(|| format!("no build of {framework} serves all cards: {}", all.join("; ")))
}

/// `NVIDIA GeForce GTX 1080 (compute capability 6.1)`.
fn card(facts: &Facts, cc: Capability) -> String {
    let gpu = given::all_gpus(facts).into_iter().find(|gpu| capability(facts, gpu) == Some(cc));
    let name = gpu.map_or("the card".to_string(), |gpu| given::name(facts, &gpu));
    format!("{name} (compute capability {})", dotted(cc))
}

/// The finding about a card that is better left to a build of its own: the condition `apart` with the value `left_out`;
/// `apart_build` with `apart_arguments` where there is such a build; `kept` with the numbers of the other cards where they are
/// known.
fn apart(finding: Finding, facts: &Facts, plan: &Plan, text: String, arguments: Option<String>) -> Finding {
    let mut finding = finding.tagged("apart").with("left_out", text);
    if let Some(arguments) = arguments {
        finding = finding.tagged("apart_build").with("apart_arguments", arguments);
    }
    let is_kept = |cc: Capability| !plan.left_out.iter().any(|(out, _)| *out == cc);
    let devices = facts.subjects_with(&cuda::DEVICE);
    let mut kept: Vec<u32> = devices
        .iter()
        .filter(|gpu| given::compute_capability(facts, gpu).is_some_and(is_kept))
        .filter_map(|gpu| facts.look(&cuda::DEVICE, gpu).seen().map(|device| device.index))
        .collect();
    kept.sort_unstable();
    // A mask that is set already gives the cards other numbers.
    if kept.is_empty() || facts.variable("CUDA_VISIBLE_DEVICES").seen().is_some() {
        return finding;
    }
    let kept: Vec<String> = kept.iter().map(u32::to_string).collect();
    finding.tagged("kept").with("kept", kept.join(","))
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
