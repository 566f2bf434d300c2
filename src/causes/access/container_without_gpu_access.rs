//! The container was started without asking for a GPU: no nodes, no driver libraries.

use super::pods;
use crate::causes::{Case, Cause, Finding, Level, seen};
use crate::checks::given::{self, Platform};
use crate::facts::{Look, cuda, host, kernel, nvidia};
use crate::subject::Subject;
use crate::symptom::{AFTER_ACCESS, Kind};

/// The cause.
pub static CAUSE: Cause = Cause {
    page: include_str!("container-without-gpu-access.md"),
    explains: &[AFTER_ACCESS, &[Kind::NvmlMissing, Kind::LibcudaMissing, Kind::SmiMissing, Kind::MaskHidesAll]],
    assess,
};

fn assess(case: &Case) -> Vec<Finding> {
    let facts = case.facts;
    let Some(container) = case.in_container() else { return Vec::new() };
    let loaded = seen::nvidia_loaded(case);
    let no_gpu = given::platform(facts) == Platform::Bus && given::nvidia_on_bus(facts).is_empty();
    // Without a driver on the host there is nothing that could be given to a container.
    if no_gpu || loaded == Some(false) {
        return Vec::new();
    }
    // NVML that answers shows that a GPU was given: what is missing then is another matter.
    if facts.value(&nvidia::NVML_INIT) == Some(0) {
        return Vec::new();
    }
    let path = if given::platform(facts) == Platform::Wsl { "/dev/dxg" } else { "/dev/nvidiactl" };
    let node = facts.look(&kernel::NODE, &Subject::file(path));
    let count = facts.machine(&nvidia::LIBRARIES);
    let libcuda = facts.machine(&cuda::LIBRARY);
    let no_libraries = facts.value(&nvidia::LIBRARIES) == Some(0) || libcuda.is_absent();
    let granted = facts.variable("NVIDIA_VISIBLE_DEVICES");
    let named = matches!(&granted, Look::Seen(v, _) if v.starts_with("GPU-") || v.starts_with("MIG-"));
    // A pod that was granted a GPU asked for it.
    if named && pods::granted(case).is_some() && case.value(&host::JOB).is_some_and(|j| j.scheduler == "kubernetes") {
        return Vec::new();
    }
    let pod = seen::job_without_gpu(case, "kubernetes") && !named;
    let level = match (node.is_absent(), no_libraries) {
        (true, _) if pod => Level::Possible,
        (true, true) if loaded == Some(true) => Level::Decided,
        // Where neither bus nor modules can be read, the host may have no GPU at all.
        (true, true) if loaded.is_none() && given::platform(facts) == Platform::Blind => Level::Possible,
        (true, true) => Level::Supported,
        (true, false) if facts.value(&cuda::INIT).is_some_and(|code| code != 0) => Level::Supported,
        (true, false) => Level::Possible,
        (false, true) if matches!(node, Look::Seen(..)) => Level::Supported,
        _ => return Vec::new(),
    };
    let engine = match container.engine.as_str() {
        "unknown" => "container".to_string(),
        engine => format!("{engine} container"),
    };
    let missing = match (node.is_absent(), no_libraries) {
        (true, true) => "neither the GPU's device nodes nor the driver's libraries",
        (true, false) => "no device nodes of a GPU",
        _ => "no libraries of the NVIDIA driver",
    };
    let text = format!("this is a {engine} ({})", container.signals.join(", "));
    let mut finding = Finding::machine(level)
        .with("engine", engine)
        .with("missing", missing)
        .because_of(&facts.machine(&host::CONTAINER), text);
    if loaded == Some(true) {
        finding = finding.because_of(&facts.machine(&kernel::MODULES), "the host has the nvidia module loaded");
    }
    if node.is_absent() {
        finding = finding.because_of(&node, format!("there is no {path}"));
    }
    if no_libraries {
        let look = if libcuda.is_absent() { libcuda.fact() } else { count.fact() };
        if let Some(fact) = look {
            finding = finding.because(crate::checks::Evidence::of(fact, "there is no libcuda.so.1 in the container"));
        }
    }
    if let Look::Seen(value, _) = &granted {
        let text = format!("NVIDIA_VISIBLE_DEVICES is \"{value}\"");
        finding = finding.because_of(&granted, text);
    }
    if level != Level::Decided {
        finding = finding.unknown(
            "what the container was started with",
            match container.engine.as_str() {
                "podman" => "podman inspect --format '{{json .HostConfig.Devices}}' CONTAINER",
                "kubernetes" => {
                    "kubectl get pod $HOSTNAME -o jsonpath='{.spec.runtimeClassName} {.spec.containers[*].resources}'"
                }
                "apptainer" => "echo $APPTAINER_COMMAND $SINGULARITY_COMMAND; tr '\\0' ' ' < /proc/$PPID/cmdline",
                "lxc" => "grep -E 'nvidia|devices' /etc/pve/lxc/*.conf /var/lib/lxc/*/config",
                _ => "docker inspect --format '{{json .HostConfig.DeviceRequests}}' CONTAINER",
            },
            &["container-without-gpu-access", "scheduler-no-gpu-allocated"],
        );
    }
    vec![finding]
}
