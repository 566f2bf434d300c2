//! What this context was given, as several checks need it.

mod environments;

pub use environments::{Python, called, environment, out_of_use, python as python_of};

use crate::facts::python::{self, Build};
use crate::facts::{Facts, host, kernel, pci};
use crate::subject::{Kind, Subject};
use crate::tables::{archs, gpu_names, wheels};

/// The NVIDIA GPUs on the bus, by address.
pub fn nvidia_on_bus(facts: &Facts) -> Vec<Subject> {
    of_vendor(facts, "0x10de")
}

/// The GPUs on the bus of one maker (`0x10de`), by address.
pub fn of_vendor(facts: &Facts, vendor: &str) -> Vec<Subject> {
    facts.all(&pci::VENDOR).filter(|(v, _)| v == vendor).map(|(_, fact)| fact.subject.clone()).collect()
}

/// The NVIDIA GPUs on the bus that are not handed to a virtual machine.
pub fn expected(facts: &Facts) -> Vec<Subject> {
    let mut gpus = nvidia_on_bus(facts);
    gpus.retain(|gpu| facts.look(&pci::DRIVER, gpu).seen().as_deref() != Some("vfio-pci"));
    gpus
}

/// How the machine offers a GPU, if at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// A PCI bus that can be read.
    Bus,
    /// Windows' GPU through /dev/dxg.
    Wsl,
    /// An integrated Tegra GPU.
    Jetson,
    /// Windows itself: no PCI directory; the driver shows by its libraries.
    Windows,
    /// macOS, for which there is no CUDA.
    MacOs,
    /// No PCI directory to read (gVisor, some containers, other systems): nothing is known.
    Blind,
}

/// How the machine offers a GPU.
pub fn platform(facts: &Facts) -> Platform {
    let os: Option<String> = facts.value(&host::OS);
    if facts.value(&host::WSL).is_some() {
        Platform::Wsl
    } else if facts.value(&host::JETSON).is_some() {
        Platform::Jetson
    } else if os.as_deref() == Some("windows") {
        Platform::Windows
    } else if os.as_deref() == Some("macos") {
        Platform::MacOs
    } else if facts.value(&pci::DEVICES).is_some_and(|n| n > 0) {
        Platform::Bus
    } else {
        Platform::Blind
    }
}

/// `/dev/nvidia0`, not `/dev/nvidiactl`.
pub fn is_gpu_node(path: &str) -> bool {
    path.strip_prefix("/dev/nvidia").is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// Whether a GPU's node is kept from this context on purpose: a device cgroup that lets this process have another GPU
/// refuses this one. That is how a batch system hands out the GPUs of a machine, with every node in sight.
pub fn withheld(facts: &Facts, node: &Subject) -> bool {
    let opened = |node: &Subject| facts.look(&kernel::NODE_OPEN, node).seen();
    is_gpu_node(&node.id)
        && opened(node).as_deref() == Some("EPERM")
        && facts
            .subjects_with(&kernel::NODE_OPEN)
            .iter()
            .any(|other| is_gpu_node(&other.id) && opened(other).as_deref() == Some("ok"))
}

/// The node of a GPU, `/dev/nvidiaN`, where its number is known.
pub fn node_of(facts: &Facts, gpu: &Subject) -> Option<Subject> {
    let page = facts.look(&kernel::GPU_INFORMATION, gpu).seen().and_then(|info| info.minor);
    let minor = page.or_else(|| facts.look(&crate::facts::nvidia::NVML_MINOR, gpu).seen())?;
    Some(Subject::file(format!("/dev/nvidia{minor}")))
}

/// Whether a GPU answered in this very run: to NVML, or with the result of a computation.
pub fn answers(facts: &Facts, gpu: &Subject) -> bool {
    use crate::facts::{cuda, nvidia};
    facts.look(&nvidia::NVML_HANDLE, gpu).seen() == Some(0)
        || facts.look(&cuda::COMPUTE, gpu).seen().is_some_and(|c| c.stage == "done")
}

/// The processes with a CUDA context on a GPU: those that only draw do not count for its compute mode.
pub fn holders(facts: &Facts, gpu: &Subject) -> impl Iterator<Item = u32> {
    let processes = facts.look(&crate::facts::nvidia::NVML_PROCESSES, gpu).seen().unwrap_or_default();
    processes.into_iter().filter(|p| p.kind != "graphics").map(|p| p.pid)
}

/// Whether a GPU is a virtual one, by the type in its name: `GRID A40-8A`, `NVIDIA A16-4Q`. A physical one ends in its
/// memory at most (`A100-SXM4-40GB`).
pub fn is_virtual(facts: &Facts, gpu: &Subject) -> bool {
    if let Some(mode) = facts.look(&crate::facts::nvidia::NVML_VIRTUALIZATION, gpu).seen() {
        return mode == "vgpu";
    }
    let name = name(facts, gpu);
    let Some((_, kind)) = name.rsplit_once('-') else { return false };
    let letters = kind.trim_start_matches(|c: char| c.is_ascii_digit());
    let series = letters.trim_end_matches(|c: char| c.is_ascii_digit());
    letters.len() < kind.len() && matches!(series, "A" | "B" | "C" | "Q")
}

/// Whether a kernel module is loaded; nothing where that cannot be known. Under WSL the driver is Windows', and the list of
/// Linux' modules says nothing of it.
pub fn module_loaded(facts: &Facts, name: &str) -> Option<bool> {
    if facts.value(&host::WSL).is_some() {
        return None;
    }
    facts.value(&kernel::MODULES).map(|modules| modules.iter().any(|m| m == name))
}

/// What the files of NVML and of the CUDA driver are called here.
pub fn library_files(facts: &Facts) -> (&'static str, &'static str) {
    match platform(facts) {
        Platform::Windows => ("nvml.dll", "nvcuda.dll"),
        _ => ("libnvidia-ml.so.1", "libcuda.so.1"),
    }
}

/// Whether another maker's GPU is the only one.
pub fn other_maker(facts: &Facts) -> Option<&'static str> {
    if !nvidia_on_bus(facts).is_empty() || platform(facts) != Platform::Bus {
        return None;
    }
    // An Intel or ASPEED display controller is in most machines: only AMD and Intel count, AMD first.
    [("0x1002", "AMD"), ("0x8086", "Intel")]
        .into_iter()
        .find(|(vendor, _)| !of_vendor(facts, vendor).is_empty())
        .map(|(_, name)| name)
}

/// The maker whose GPU this machine computes on, where it is not NVIDIA. AMD's always; Intel's where a framework is built for
/// it, because a display controller by Intel is in most machines.
pub fn maker_in_use(facts: &Facts) -> Option<&'static str> {
    let maker = other_maker(facts)?;
    let built = |wanted: fn(&Build) -> bool| facts.all(&python::BUILD).any(|(build, _)| wanted(&build));
    let intel = !of_vendor(facts, "0x8086").is_empty() && built(|b| b.xpu.is_some()) && !built(|b| b.hip.is_some());
    match (maker, intel) {
        (_, true) => Some("Intel"),
        ("AMD", false) => Some("AMD"),
        _ => None,
    }
}

/// The PCI vendor id of a maker.
pub fn vendor_of(maker: &str) -> &'static str {
    if maker == "AMD" { "0x1002" } else { "0x8086" }
}

/// The name of a GPU, from whatever source knows it.
pub fn name(facts: &Facts, gpu: &Subject) -> String {
    use crate::facts::{cuda, nvidia};
    facts
        .look(&nvidia::NVML_NAME, gpu)
        .seen()
        .or_else(|| facts.look(&cuda::DEVICE, gpu).seen().map(|d| d.name))
        .or_else(|| facts.look(&pci::NAME, gpu).seen())
        .unwrap_or_else(|| "GPU".to_string())
}

/// The compute capability of a GPU as (major, minor), from NVML or CUDA; where neither says, by its name.
pub fn compute_capability(facts: &Facts, gpu: &Subject) -> Option<(u32, u32)> {
    use crate::facts::{cuda, nvidia};
    let text = facts
        .look(&nvidia::NVML_CC, gpu)
        .seen()
        .or_else(|| facts.look(&cuda::DEVICE, gpu).seen().map(|d| d.compute_capability));
    match text {
        Some(text) => {
            let (major, minor) = text.split_once('.')?;
            Some((major.parse().ok()?, minor.parse().ok()?))
        }
        None => gpu_names::compute_capability(&facts.look(&nvidia::NVML_NAME, gpu).seen()?),
    }
}

/// The card that a text names, by a line of it; nothing where lines name cards of several kinds.
pub fn named_card(facts: &Facts) -> Option<((u32, u32), &crate::facts::Fact)> {
    use crate::facts::said;
    let lines = facts.all(&said::MESSAGE).filter(|(said, _)| said.id == "nvidia-gpu-named");
    let mut cards = lines.filter_map(|(said, fact)| Some((gpu_names::compute_capability(&said.text)?, fact)));
    let first = cards.next().filter(|_| is_text(facts))?;
    cards.all(|(cc, _)| cc == first.0).then_some(first)
}

/// The architectures in a build of torch: its own list, else what the table knows of this release and tag. The flag says
/// whether it is the build's own.
pub fn architectures(facts: &Facts, framework: &Subject) -> Option<(Vec<String>, bool)> {
    use crate::facts::python;
    if let Some(list) = facts.look(&python::ARCHITECTURES, framework).seen().filter(|list| !list.is_empty()) {
        return Some((list, true));
    }
    if framework.framework_parts().is_some_and(|(name, _)| name == "cupy") {
        let build = facts.look(&python::BUILD, framework).seen()?.cuda?;
        return Some((archs::compiled_on_the_spot(&build)?, true));
    }
    let version = facts.look(&python::DISTRIBUTION, framework).seen()?.version;
    let is_torch = framework.framework_parts().is_some_and(|(name, _)| name == "torch");
    let release = wheels::parse_release(&version).filter(|_| is_torch && platform(facts) != Platform::Jetson)?;
    // A nightly build has a list of its own.
    let nightly = version.contains("dev");
    let os = facts.value(&host::OS).unwrap_or_else(|| "linux".to_string());
    let arch = facts.value(&host::ARCH).unwrap_or_else(|| "x86_64".to_string());
    let system = wheels::System::of(&os, &arch).filter(|_| is_text(facts) && !nightly)?;
    Some((wheels::architectures(release, wheels::tag(&version)?, system)?, false))
}

/// Whether a tensor of this framework came back right from a device that is none of CUDA's or ROCm's: `mps:0`, `xpu:0`.
pub fn computes_elsewhere(facts: &Facts, framework: &Subject) -> bool {
    facts.all(&python::TENSOR).any(|(tensor, fact)| tensor.ok && tensor.device.is_some() && fact.subject == *framework)
}

/// Whether the facts come out of a text: what it does not say was not looked at.
pub fn is_text(facts: &Facts) -> bool {
    facts.value(&crate::facts::said::LINES).is_some()
}

/// Every GPU that any driver library or the bus speaks of.
pub fn all_gpus(facts: &Facts) -> Vec<Subject> {
    facts.subjects(Kind::Gpu)
}

/// The version of the driver, from whatever source knows it: the loaded module, NVML, the library on disk.
pub fn driver_version(facts: &Facts) -> Option<String> {
    use crate::facts::{cuda, nvidia};
    facts
        .value(&kernel::MODULE_VERSION)
        .or_else(|| facts.value(&nvidia::NVML_DRIVER))
        .or_else(|| facts.value(&cuda::LIBRARY).and_then(|l| l.version))
        .or_else(|| facts.all(&nvidia::LIBRARY).find_map(|(library, _)| library.version))
}
