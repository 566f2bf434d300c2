//! Containers, sandboxes and WSL, in which much cannot be seen.

use super::{NO_CUDA, causes, report, slugs};
use gpu_doctor::report::{Confidence, Verdict};

/// Under WSL a container has its own /dev, and Linux' list of modules says nothing about Windows' driver.
#[test]
fn a_container_under_wsl_was_not_given_what_windows_offers() {
    let report = report(
        "host.os = \"linux\"\nhost.arch = \"x86_64\"\nhost.kernel = \"5.15.153.1-microsoft-standard-WSL2\"\nhost.wsl = 2\nhost.container = {\"engine\": \"docker\", \"signals\": [\"/.dockerenv\", \"cgroup\"]}\npci.devices absent\nkernel.modules = []\nnode.file file /dev/dxg absent\nnode.open file /dev/dxg absent\nsmi.found absent\nlibrary.count = 0\nnvml.library absent\ncuda.library absent",
    );
    assert_eq!(causes(&report), [("container-without-gpu-access", Confidence::Likely)]);
}

/// NVML answers, so the container was given a GPU; that it has no libcuda has another reason.
#[test]
fn a_container_in_which_nvml_answers_was_given_a_gpu() {
    let report = report(&format!(
        "from healthy\nhost.container = {{\"engine\": \"docker\", \"signals\": [\"/.dockerenv\", \"cgroup\"]}}\nhost.variable variable NVIDIA_VISIBLE_DEVICES = \"all\"\ncuda.library absent\n- cuda.init\n- cuda.driver_version\n{NO_CUDA}"
    ));
    assert_eq!(causes(&report), [("container-driver-capabilities-missing", Confidence::Possible)]);
    let commands: String = report.root_causes[0].remedy.steps.iter().filter_map(|s| s.command.clone()).collect();
    assert!(commands.contains("NVIDIA_DRIVER_CAPABILITIES=compute"), "{commands}");
}

/// A sandbox in which neither the bus nor the modules can be read: nobody knows whether there is a GPU below it.
#[test]
fn a_blind_sandbox_is_not_accused_for_sure() {
    let report = report(
        "host.os = \"linux\"\nhost.container = {\"engine\": \"gvisor\", \"signals\": [\"/proc/version\", \"dmesg\"]}\npci.devices absent\nkernel.modules failed \"no /proc/modules\"\nnode.file file /dev/nvidiactl absent\nnode.open file /dev/nvidiactl absent\nlibrary.count = 0\nnvml.library absent\ncuda.library absent",
    );
    assert_eq!(causes(&report), [("container-without-gpu-access", Confidence::Possible)]);
    assert!(!slugs(&report).contains(&"no-nvidia-gpu-present"));
}

/// `void` is also what remains in a pod to which a device plugin hands its GPU in another way.
#[test]
fn a_variable_of_the_container_toolkit_hides_nothing_that_is_seen() {
    let report = report("from healthy\nhost.variable variable NVIDIA_VISIBLE_DEVICES = \"void\"");
    assert_eq!((report.verdict, slugs(&report)), (Verdict::Ready, vec![]));
}
