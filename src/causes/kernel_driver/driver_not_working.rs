//! The driver cannot be reached, and nothing says why: a name for it, until a better one is found.

use crate::causes::{Case, Cause, Finding, Level, Occurrence, advice, seen};
use crate::checks::Evidence;
use crate::checks::given::{self, Platform};
use crate::facts::{cuda, host, kernel, nvidia, pci};
use crate::report::Severity;
use crate::subject::Subject;
use crate::symptom::{AFTER_KERNEL_DRIVER, Kind};
use crate::tables::drivers;
use crate::tables::pci_ids::Architecture;

const MORE: &[Kind] = &[Kind::NvmlDevice, Kind::FewerGpusThanExpected];

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("driver-not-working.md"), explains: &[AFTER_KERNEL_DRIVER, MORE], assess };

/// What says that the driver as a whole cannot be reached.
const OF_THE_MACHINE: &[Kind] =
    &[Kind::DriverNotLoaded, Kind::NodeOpen, Kind::NodeMissing, Kind::SmiFails, Kind::NvmlMissing, Kind::NvmlInit];
/// What says that it does not serve one GPU.
const OF_A_GPU: &[Kind] = &[Kind::BoundTo, Kind::Unclaimed, Kind::NvmlDevice, Kind::NvmlFewer];

fn assess(case: &Case) -> Vec<Finding> {
    // Where no GPU is known of, a driver is not to blame.
    let a_gpu = !given::expected(case.facts).is_empty() || given::platform(case.facts) != Platform::Bus;
    let a_mac = case.value(&host::OS).as_deref() == Some("macos");
    if !a_gpu || a_mac {
        return Vec::new();
    }
    let works = case.value(&nvidia::NVML_INIT) == Some(0);
    let mut gpus: Vec<Subject> =
        case.all_symptoms().filter(|o| OF_A_GPU.contains(&o.symptom.kind)).map(|o| o.subject).collect();
    gpus.dedup();
    let mut findings = seen::about_gpus(case, &gpus, Level::Generic, &[AFTER_KERNEL_DRIVER, MORE]);
    let whole = findings.iter().any(|finding| finding.subject == Subject::machine());
    for finding in &mut findings {
        let first = case.all_symptoms().find(|o| gpus.contains(&o.subject) && OF_A_GPU.contains(&o.symptom.kind));
        *finding = finding.clone().with("first", first.map(|o| in_words(case, &o)).unwrap_or_default());
    }
    let mut machine = case.all_symptoms().filter(|o| OF_THE_MACHINE.contains(&o.symptom.kind));
    if let Some(first) = machine.find(|o| !works || is_of_the_driver(case, o, &gpus)).filter(|_| !whole) {
        findings.push(Finding::machine(Level::Generic).with("first", in_words(case, &first)));
    }
    findings.into_iter().map(|finding| explained(case, finding)).collect()
}

/// What the check said about a symptom.
fn in_words(case: &Case, occurrence: &Occurrence) -> String {
    let row = case.rows.iter().find(|row| row.id == occurrence.check && row.subject == occurrence.subject);
    row.map(|row| row.summary.clone()).unwrap_or_else(|| occurrence.symptom.to_string())
}

/// Whether a symptom speaks of the driver although NVML answers: not a node of nvidia-uvm, which is CUDA's alone, and not
/// what nvidia-smi says of a GPU that has a finding of its own.
fn is_of_the_driver(case: &Case, o: &Occurrence, gpus: &[Subject]) -> bool {
    match o.symptom.kind {
        Kind::NodeMissing => false,
        Kind::NodeOpen => {
            let of_cuda = o.symptom.code().starts_with("nvidia-uvm") && case.cuinit().is_some();
            let of_a_gpu = gpus.iter().any(|gpu| given::node_of(case.facts, gpu).as_ref() == Some(&o.subject));
            !of_cuda && !of_a_gpu
        }
        Kind::SmiFails => !gpus.iter().any(|gpu| seen::smi_names(case, o, gpu)),
        _ => true,
    }
}

fn explained(case: &Case, mut finding: Finding) -> Finding {
    let facts = case.facts;
    match seen::nvidia_loaded(case) {
        Some(false) => {
            finding = finding.because_of(&facts.machine(&kernel::MODULES), "the nvidia module is not loaded");
            finding = finding.tagged("not_loaded");
        }
        Some(true) if facts.look(&kernel::NODE, &Subject::file("/dev/nvidiactl")).is_absent() => {
            let look = facts.look(&kernel::NODE, &Subject::file("/dev/nvidiactl"));
            finding = finding.because_of(&look, "the nvidia module is loaded, and there is no /dev/nvidiactl");
            finding = finding.tagged("nodes_missing");
        }
        _ => {}
    }
    if let Some(code) = facts.value(&nvidia::NVML_INIT).filter(|code| *code != 0) {
        let name = crate::tables::nvml_errors::name(code);
        finding = finding.because_of(&facts.machine(&nvidia::NVML_INIT), format!("nvmlInit gives {code} ({name})"));
    }
    let mut why = "nothing that could be seen says why".to_string();
    if facts.value(&cuda::INIT) == Some(0) && finding.subject == Subject::machine() {
        why = "CUDA starts all the same".to_string();
        finding = finding.severity(Severity::Warning).because_of(&facts.machine(&cuda::INIT), "cuInit succeeds");
    }
    // The reason is known where the driver or the kernel gave it, and where the flavour alone rules the GPU out. Nodes that
    // refuse are another matter.
    let open = seen::refused(case, "EPERM").is_empty() && seen::refused(case, "EACCES").is_empty();
    let mut told = seen::log_lines(case, TELLING);
    // A refusal that names no module may be of another one, unless this one has no signature either.
    let unsigned = facts.value(&kernel::MODINFO).is_some_and(|m| m.signer.is_none());
    let refusals = super::secure_boot_unsigned_module::REFUSED;
    told.retain(|(line, _)| {
        let line = line.to_lowercase();
        unsigned || line.contains("nvidia") || !refusals.iter().any(|words| line.contains(words))
    });
    if let Some(gpu) = seen::unserved(case).first().filter(|_| open) {
        let (flavour, architecture) = (&gpu.flavour, gpu.architecture.title());
        why = format!("the installed module is of the {flavour} flavour, which does not serve {architecture} GPUs");
        finding.level = Level::Supported;
        finding = finding.because(Evidence::of(gpu.fact, format!("the module is of the {flavour} flavour")));
        let text = format!("{} is {architecture}", given::name(facts, &gpu.gpu));
        finding = finding.because_of(&facts.look(&pci::ARCHITECTURE, &gpu.gpu), text);
        finding = finding.tagged(if flavour == "open" { "needs_closed" } else { "needs_open" });
        let branch = given::driver_version(facts).and_then(|v| v.split('.').next().map(str::to_string));
        finding = finding.with("branch", branch.unwrap_or_else(|| "580".to_string()));
    } else if let Some((gpu, architecture, first)) = too_new(case).filter(|_| open) {
        let title = architecture.title();
        why = format!("the driver is older than branch {first}, the first that knows {title} GPUs");
        finding.level = Level::Supported;
        let text = format!("{} is {title}, served from branch {first} on", given::name(facts, &gpu));
        finding = finding.because_of(&facts.look(&pci::ARCHITECTURE, &gpu), text);
        finding = finding.because_of(&facts.machine(&kernel::MODULE_VERSION), "the loaded driver is older");
        finding = finding.tagged("needs_newer").with("first_branch", first.to_string());
    } else if let Some((line, _)) = told.first().filter(|_| open) {
        why = format!("the kernel log says: {}", words(line));
        finding.level = Level::Supported;
    }
    let lines = if told.is_empty() { seen::log_lines(case, &["nvrm"]) } else { told };
    for (line, fact) in lines.iter().take(3) {
        finding = finding.because(Evidence::of(fact, format!("kernel log: {line}")));
    }
    if let Some(why) = facts.machine(&kernel::LOG).why_failed() {
        let text = format!("the kernel log could not be read: {why}");
        finding = finding.because_of(&facts.machine(&kernel::LOG), text);
    }
    finding = finding.with("why", why);
    finding.unknown(
        "what the driver says in the kernel log",
        "sudo journalctl -k -b | grep -iE 'nvrm|nvidia|nouveau'",
        &[
            "kernel-module-not-loaded",
            "secure-boot-unsigned-module",
            "gpu-too-old-for-driver-branch",
            "gpu-fell-off-bus",
        ],
    )
}

/// A GPU that came after the driver: its branch does not know this generation yet.
fn too_new(case: &Case) -> Option<(Subject, Architecture, u32)> {
    let branch = advice::driver(case.facts)?.branch;
    given::expected(case.facts).into_iter().find_map(|gpu| {
        let architecture = Architecture::from_name(&case.facts.look(&pci::ARCHITECTURE, &gpu).seen()?)?;
        let first = drivers::first_branch(architecture)?;
        (branch < first && !given::answers(case.facts, &gpu)).then_some((gpu, architecture, first))
    })
}

/// What the driver or the kernel says when it gives up a GPU or the module.
const TELLING: &[&str] = &[
    "is not supported by open",
    "requires use of the nvidia open kernel modules",
    "rminitadapter failed",
    "gpu initialization failed",
    "assigned to your nvidia device is invalid",
    "already up",
    "probe routine failed",
    "unsigned module loading is restricted",
    "key was rejected by service",
    "loading of unsigned module is rejected",
    "loading of module with unavailable key is rejected",
    "unknown symbol",
    "disagrees about version of symbol",
];

/// A line of the log without its stamp, no longer than a message bears.
fn words(line: &str) -> String {
    let line = line.trim();
    let line = line.strip_prefix('[').and_then(|rest| rest.split_once("] ")).map_or(line, |(_, rest)| rest);
    line.chars().take(160).collect::<String>().trim_end_matches('.').to_string()
}
