//! A framework is built for a CUDA family that this driver does not serve.

use crate::causes::framework::cpu_build;
use crate::causes::{Case, Cause, Evidence, Finding, Level, Occurrence, advice};
use crate::checks::given;
use crate::facts::{Facts, cuda, host, kernel, nvidia, pci, python};
use crate::subject::Subject;
use crate::symptom::Kind;
use crate::tables::drivers::{self, DriverVersion};
use crate::tables::gpu_packages;
use crate::tables::pci_ids::Architecture;
use crate::tables::wheels::{self, Pypi, System};

/// The check `cuda-runtime` compared the build with the driver; what the framework says about the driver is not asked.
pub static CAUSE: Cause = Cause {
    page: include_str!("driver-too-old-for-cuda-runtime.md"),
    explains: &[&[Kind::RuntimeTooNew, Kind::FrameworkSeesNoGpu, Kind::Tensor]],
    assess,
};

fn assess(case: &Case) -> Vec<Finding> {
    let fails = case.cuinit().is_some();
    let mut findings = silent(case);
    findings.extend(seen(case, fails));
    findings
}

/// A torch that sees no GPU and names no build, from a text that names its release and the driver: what pip installs for that
/// release may be for a newer CUDA than the driver's.
fn silent(case: &Case) -> Vec<Finding> {
    let facts = case.facts;
    let Some(offers) = given::driver_version(facts)
        .and_then(|version| DriverVersion::parse(&version))
        .and_then(|version| drivers::native_cuda(version, advice::platform(facts)))
    else {
        return Vec::new();
    };
    let newer = |o: &Occurrence| {
        let version = facts.look(&python::DISTRIBUTION, &o.subject).seen()?.version;
        let system = system(facts)?;
        let Pypi::Cuda(tag) = wheels::pypi(wheels::parse_release(&version)?, system)? else { return None };
        let build = drivers::parse_cuda(tag)?;
        (wheels::tag(&version).is_none() && !drivers::runs_on_cuda(offers, build)).then_some((version, build))
    };
    let silent = cpu_build::silent(case).into_iter();
    let findings = silent.filter_map(|o| {
        let (version, (major, minor)) = newer(&o)?;
        let distribution = facts.look(&python::DISTRIBUTION, &o.subject);
        let finding = Finding::new(&o.subject, Level::Possible)
            .because_of(&distribution, format!("pip's torch {version} for Linux is built for CUDA {major}.{minor}"))
            .because_of(
                &facts.machine(&nvidia::NVML_DRIVER),
                format!("the driver offers CUDA {}.{}", offers.0, offers.1),
            )
            .with("runtime", format!("{major}.{minor}"))
            .unknown(
                "what torch was built for",
                "python -c \"import torch; print(torch.__version__, torch.version.cuda)\"",
                &["driver-too-old-for-cuda-runtime", "torch-cpu-only-wheel"],
            );
        Some(advice::with_build(finding.tagged("torch"), facts, None))
    });
    findings.collect()
}

/// What wheels the machine takes; Linux on x86-64 where the text does not say.
fn system(facts: &Facts) -> Option<System> {
    let os = facts.value(&host::OS).unwrap_or_else(|| "linux".to_string());
    let arch = facts.value(&host::ARCH).unwrap_or_else(|| "x86_64".to_string());
    System::of(&os, &arch)
}

/// A build that is known to be too new.
fn seen(case: &Case, fails: bool) -> Vec<Finding> {
    case.symptoms(Kind::RuntimeTooNew)
        .map(|o| {
            let finding = about(case, &o.subject, o.symptom.code());
            // Where cuInit itself fails, that is why the framework sees no GPU; this build would be the next reason.
            if fails { finding.explaining(vec![o]) } else { finding }
        })
        .collect()
}

fn about(case: &Case, framework: &crate::subject::Subject, runtime: &str) -> Finding {
    let offers = case.facts.machine(&cuda::DRIVER_VERSION);
    let module = case.facts.machine(&kernel::MODULE_VERSION);
    let version = given::driver_version(case.facts);
    // What a libcuda that started says of itself leaves nothing to guess. One that did not start may be of another driver.
    let started = case.facts.value(&cuda::INIT) == Some(0) && offers.clone().seen().is_some_and(|v| v > 0);
    let library = case.facts.value(&cuda::LIBRARY).and_then(|l| l.version);
    let one_driver = library.is_some() && library == module.clone().seen();
    let level = if started || one_driver { Level::Decided } else { Level::Supported };
    let mut finding = Finding::new(framework, level);
    let build = case.facts.look(&python::BUILD, framework);
    if build.clone().seen().is_some() {
        finding = finding.because_of(&build, format!("the build is for CUDA {runtime}"));
    }
    if let Some(code) = offers.clone().seen().and_then(|v| u32::try_from(v).ok()) {
        let (major, minor) = drivers::cuda_of_code(code);
        finding = finding.because_of(&offers, format!("the driver offers CUDA {major}.{minor}"));
    }
    if let Some(version) = module.clone().seen() {
        finding = finding.because_of(&module, format!("the loaded driver is {version}"));
    } else if let Some((library, fact)) = case.facts.all(&nvidia::LIBRARY).find(|(l, _)| l.version.is_some()) {
        let version = library.version.unwrap_or_default();
        finding = finding.because(Evidence::of(fact, format!("the driver's libraries on disk are {version}")));
    } else if let Some(version) = case.value(&nvidia::NVML_DRIVER) {
        finding = finding.because_of(&case.facts.machine(&nvidia::NVML_DRIVER), format!("the driver is {version}"));
    }
    if level != Level::Decided {
        finding = finding.unknown(
            "which CUDA version libcuda offers",
            "nvidia-smi",
            &["driver-too-old-for-cuda-runtime", "cuda-compat-on-geforce"],
        );
    }
    let floor = drivers::parse_cuda(runtime).and_then(|cuda| drivers::floor(cuda, advice::platform(case.facts)));
    let needed = floor.map(|f| format!("{} or newer", f.driver)).unwrap_or_else(|| "a newer one".to_string());
    let branch = floor.map(|f| f.driver.branch.to_string()).unwrap_or_default();
    finding = finding
        .with("runtime", runtime)
        .with("needed", needed)
        .with("branch", branch)
        .with("have", version.map(|v| format!("driver {v}")).unwrap_or_else(|| "the installed driver".to_string()));
    let name = framework.framework_parts().map(|(name, _)| name).unwrap_or("the framework");
    let mut fix =
        format!("Update the driver, or install a build of {name} for the CUDA family that this driver serves.");
    if let Some((gpu, last)) = floor.and_then(|f| dropped(case, f.driver.branch)) {
        fix = format!(
            "Install a build of {name} for the CUDA family that this driver serves; no newer driver serves this card."
        );
        finding = finding.with("card", given::name(case.facts, &gpu)).with("last", last.to_string()).tagged("old_card");
    }
    finding = finding.with("fix", fix);
    match name {
        "torch" | "the framework" => advice::with_build(finding.tagged("torch"), case.facts, None),
        "jax" => advice::with_build(finding.tagged("jax"), case.facts, None),
        "cupy" => advice::with_build(finding.tagged("cupy"), case.facts, None),
        name if gpu_packages::knows(name) => advice::with_build(finding.tagged("other"), case.facts, None),
        // No table says which of its releases are for which CUDA.
        _ => advice::with_python(finding.tagged("unlisted"), case.facts),
    }
}

/// The card that the needed branch no longer serves, with the last branch that does: for it a newer driver is no way out.
fn dropped(case: &Case, needed: u32) -> Option<(Subject, u32)> {
    let last = |gpu: &Subject| {
        let name = case.facts.look(&pci::ARCHITECTURE, gpu).seen()?;
        drivers::last_branch(Architecture::from_name(&name)?)
    };
    let gpus: Vec<(Subject, Option<u32>)> =
        given::expected(case.facts).into_iter().map(|gpu| (gpu.clone(), last(&gpu))).collect();
    // A younger card beside it is worth the new driver.
    let all = gpus.iter().all(|(_, last)| last.is_some_and(|last| last < needed));
    gpus.into_iter().next().filter(|_| all).and_then(|(gpu, last)| Some((gpu, last?)))
}
