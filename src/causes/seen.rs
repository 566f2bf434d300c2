//! What several rules ask of the facts.

use super::{Case, Finding, Level, Occurrence};
use crate::checks::given::{self, Platform};
use crate::facts::{Fact, host, kernel, nvidia, pci};
use crate::subject::{Subject, pci_address};
use crate::symptom::Kind;
use crate::tables::drivers::{Flavours, flavours};
use crate::tables::pci_ids::Architecture;

/// What tells a missing driver from a missing GPU on Windows, where the bus is not read.
pub const WINDOWS_NEED: &str = "whether this machine has an NVIDIA GPU";
/// How to ask it.
pub const WINDOWS_ASK: &str =
    "powershell -Command \"Get-CimInstance Win32_VideoController | Format-List Name,DriverVersion\"";

/// The lines of the kernel log that hold one of these words, in any case of letters.
pub fn log_lines<'a>(case: &Case<'a>, words: &[&str]) -> Vec<(String, &'a Fact)> {
    let wanted = |line: &str| {
        let line = line.to_lowercase();
        words.iter().any(|word| line.contains(&word.to_lowercase()))
    };
    case.facts.all(&kernel::LOG_LINE).filter(|(line, _)| wanted(line)).collect()
}

/// Whether the nvidia module is loaded; nothing where that cannot be known.
pub fn nvidia_loaded(case: &Case) -> Option<bool> {
    given::module_loaded(case.facts, "nvidia").or_else(|| case.value(&kernel::MODULE_VERSION).map(|_| true))
}

/// Whether an NVIDIA GPU on the bus waits for a driver that is known not to be loaded.
pub fn waits_for_driver(case: &Case) -> bool {
    given::platform(case.facts) == Platform::Bus
        && nvidia_loaded(case) == Some(false)
        && !given::expected(case.facts).is_empty()
}

/// The GPUs on the bus that this driver owns.
pub fn bound_to(case: &Case, drivers: &[&str]) -> Vec<Subject> {
    let mut gpus = given::nvidia_on_bus(case.facts);
    gpus.retain(|gpu| {
        case.facts.look(&pci::DRIVER, gpu).seen().is_some_and(|driver| drivers.contains(&driver.as_str()))
    });
    gpus
}

/// What is known of the driver's files on this machine's disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Installed {
    /// A module for the running kernel.
    ForThisKernel,
    /// Modules for other kernels, or sources under DKMS.
    ForOtherKernels,
    /// Only the libraries.
    LibrariesOnly,
    /// Nothing at all.
    Nothing,
    /// Not everything was looked at.
    Unknown,
}

/// What is known of the driver's files on this machine's disk. A container's disk is not the host's.
pub fn installed(case: &Case) -> Installed {
    let file = case.facts.machine(&kernel::MODULE_FILE);
    if case.in_container().is_some() {
        return Installed::Unknown;
    }
    if matches!(file, crate::facts::Look::Seen(..)) {
        return Installed::ForThisKernel;
    }
    if !file.is_absent() {
        return Installed::Unknown;
    }
    let others = case.value(&kernel::MODULE_OTHER_KERNELS);
    let dkms = case.facts.machine(&kernel::DKMS);
    if others.as_ref().is_some_and(|list| !list.is_empty()) || case.value(&kernel::DKMS).is_some_and(|l| !l.is_empty())
    {
        return Installed::ForOtherKernels;
    }
    if others.is_none() || !dkms.is_absent() {
        return Installed::Unknown;
    }
    match case.value(&nvidia::LIBRARIES) {
        Some(0) => Installed::Nothing,
        Some(_) => Installed::LibrariesOnly,
        None => Installed::Unknown,
    }
}

/// `NAME (ADDRESS)` of each, in one line.
pub fn names(case: &Case, gpus: &[Subject]) -> String {
    let names: Vec<String> = gpus.iter().map(|g| format!("{} ({})", given::name(case.facts, g), g.id)).collect();
    names.join(", ")
}

/// A finding about GPUs. Where they are all that the machine has, it is the machine's, and explains what follows; else
/// there is one for each, which explains what is about that GPU and that one is missing from the counts.
pub fn about_gpus(case: &Case, gpus: &[Subject], level: Level, kinds: &[&[Kind]]) -> Vec<Finding> {
    let Some(first) = gpus.first() else { return Vec::new() };
    let mut all = given::nvidia_on_bus(case.facts);
    if all.is_empty() {
        all = given::all_gpus(case.facts);
    }
    if all.iter().all(|gpu| gpus.contains(gpu)) {
        let finding = Finding::machine(level)
            .with("gpus", names(case, gpus))
            .with("gpu", given::name(case.facts, first))
            .with("address", first.id.clone());
        return vec![finding];
    }
    gpus.iter()
        .map(|gpu| {
            Finding::new(gpu, level)
                .with("gpus", names(case, std::slice::from_ref(gpu)))
                .explaining(of_one_gpu(case, gpu, kinds))
        })
        .collect()
}

/// The symptoms of these kinds about one GPU or its node, and those that count one too few.
fn of_one_gpu(case: &Case, gpu: &Subject, kinds: &[&[Kind]]) -> Vec<Occurrence> {
    let counts = |kind: Kind| matches!(kind, Kind::CudaFewer | Kind::FewerGpusThanExpected);
    let wanted = |kind: Kind| kinds.iter().any(|k| k.contains(&kind));
    let node = given::node_of(case.facts, gpu);
    // Where nobody says which node is whose, one that does not answer is that of the GPU in question.
    let dead =
        |o: &Occurrence| node.is_none() && given::is_gpu_node(&o.subject.id) && o.symptom.code().ends_with("EIO");
    let about =
        |o: &Occurrence| o.subject == *gpu || node.as_ref() == Some(&o.subject) || dead(o) || smi_names(case, o, gpu);
    case.all_symptoms().filter(|o| wanted(o.symptom.kind) && (about(o) || counts(o.symptom.kind))).collect()
}

/// Whether this is nvidia-smi, and it failed over this GPU: `Unable to determine the device handle for GPU0000:41:00.0`.
pub fn smi_names(case: &Case, o: &Occurrence, gpu: &Subject) -> bool {
    let run = case.facts.look(&nvidia::SMI, &o.subject).seen().filter(|_| o.symptom.kind == Kind::SmiFails);
    run.is_some_and(|run| {
        let said = run.message.to_lowercase();
        let words = said.split(|c: char| !c.is_ascii_hexdigit() && c != ':' && c != '.');
        words.filter_map(|word| pci_address(word.trim_end_matches(['.', ':']))).any(|address| address == gpu.id)
    })
}

/// A GPU that the flavour of the module (open or closed) does not serve.
pub struct Unserved<'a> {
    /// The GPU.
    pub gpu: Subject,
    /// Its generation.
    pub architecture: Architecture,
    /// `open` or `closed`.
    pub flavour: String,
    /// What tells the flavour.
    pub fact: &'a Fact,
}

/// The GPUs that the flavour of the loaded module does not serve; of the one on disk, where none is loaded.
pub fn unserved<'a>(case: &Case<'a>) -> Vec<Unserved<'a>> {
    let (loaded, file) = (case.facts.machine(&kernel::MODULE_FLAVOUR), case.facts.machine(&kernel::MODINFO));
    let on_disk = || {
        let license = file.clone().seen()?.license?;
        Some((if license.contains("GPL") { "open" } else { "closed" }.to_string(), file.fact()?))
    };
    let of_loaded = || Some((loaded.clone().seen()?, loaded.fact()?));
    let Some((flavour, fact)) = of_loaded().or_else(on_disk) else { return Vec::new() };
    let refuses = |architecture: Architecture| match flavours(architecture) {
        Flavours::ClosedOnly => flavour == "open",
        Flavours::OpenOnly => flavour == "closed",
        Flavours::Both => false,
    };
    let of = |gpu: Subject| {
        let architecture = Architecture::from_name(&case.facts.look(&pci::ARCHITECTURE, &gpu).seen()?)?;
        let unserved = refuses(architecture) && !given::answers(case.facts, &gpu);
        unserved.then(|| Unserved { gpu, architecture, flavour: flavour.clone(), fact })
    };
    given::expected(case.facts).into_iter().filter_map(of).collect()
}

/// The nodes of NVIDIA's driver whose opening gave this errno and that the checks call refused, with the fact: not those that
/// nobody needs, nor those of GPUs that this context was not meant to have.
pub fn refused<'a>(case: &Case<'a>, errno: &str) -> Vec<(Subject, &'a Fact)> {
    refused_of(case, errno, |path| !is_other_makers(path))
}

/// The same for the nodes of other makers' drivers: `/dev/kfd` and the render nodes.
pub fn refused_elsewhere<'a>(case: &Case<'a>, errno: &str) -> Vec<(Subject, &'a Fact)> {
    refused_of(case, errno, is_other_makers)
}

fn is_other_makers(path: &str) -> bool {
    path == "/dev/kfd" || path.starts_with("/dev/dri/")
}

fn refused_of<'a>(case: &Case<'a>, errno: &str, ours: impl Fn(&str) -> bool) -> Vec<(Subject, &'a Fact)> {
    let matters =
        |fact: &Fact| ours(&fact.subject.id) && case.symptoms(Kind::NodeOpen).any(|o| o.subject == fact.subject);
    let nodes = case.facts.all(&kernel::NODE_OPEN).filter(|(got, fact)| got == errno && matters(fact));
    nodes.map(|(_, fact)| (fact.subject.clone(), fact)).collect()
}

/// A job of this scheduler that was granted no GPU.
pub fn job_without_gpu(case: &Case, scheduler: &str) -> bool {
    case.value(&host::JOB).is_some_and(|job| job.scheduler == scheduler && job.gpus.is_none())
}
