//! Builds of frameworks and what they see: which of it is a fault, and which one.

use super::{SECOND, causes, report, slugs};
use gpu_doctor::report::{Confidence, Report, Severity, Verdict};

/// The user hid the old card from the framework: it need not be served.
#[test]
fn a_hidden_gpu_needs_no_code_in_the_build() {
    let old = "pci.architecture gpu 0000:02:00.0 = \"pascal\"\nnvml.count = 2\nnvml.handle gpu 0000:02:00.0 = 0\nnvml.compute_capability gpu 0000:02:00.0 = \"6.1\"\nnode.open file /dev/nvidia1 = \"ok\"";
    let hidden = report(&format!("from healthy{SECOND}{old}\nhost.variable variable CUDA_VISIBLE_DEVICES = \"0\""));
    assert_eq!((hidden.verdict, slugs(&hidden)), (Verdict::Ready, vec![]));
    let seen = report(&format!(
        "from healthy{SECOND}{old}\ncuda.count = 2\ncuda.device gpu 0000:02:00.0 = {{\"index\": 1, \"name\": \"NVIDIA GeForce GTX 1080\", \"compute_capability\": \"6.1\", \"memory\": 8000000000}}\ncuda.compute gpu 0000:02:00.0 = {{\"stage\": \"done\", \"code\": 0}}\nframework.device_count framework torch@/home/u/venv = 2\nframework.tensor framework torch@/home/u/venv = {{\"index\": 1, \"ok\": false, \"step\": \"compute\", \"code\": 209}}"
    ));
    assert_eq!(causes(&seen), [("gpu-arch-too-old-for-build", Confidence::Certain)]);
}

/// A ROCm build beside an NVIDIA GPU is the wrong build; beside an AMD GPU it is the right one, whatever else is there.
#[test]
fn a_build_for_another_maker_is_the_wrong_build() {
    let rocm = "framework.distribution framework torch@/home/u/venv = {\"version\": \"2.9.0+rocm6.4\", \"location\": \"/x\", \"installer\": \"pip\"}\nframework.build framework torch@/home/u/venv = {\"hip\": \"6.4\"}\n- framework.architectures\n- framework.tensor";
    let wrong = report(&format!("from healthy\n{rocm}\nframework.available framework torch@/home/u/venv = false"));
    assert_eq!(causes(&wrong), [("torch-cpu-only-wheel", Confidence::Certain)]);
    let amd = "pci.vendor gpu 0000:0a:00.0 = \"0x1002\"\npci.driver gpu 0000:0a:00.0 = \"amdgpu\"\nframework.tensor framework torch@/home/u/venv = {\"index\": 0, \"ok\": true}";
    let right = report(&format!("from healthy\n{rocm}\n{amd}"));
    assert_eq!((right.verdict, slugs(&right)), (Verdict::Ready, vec![]));
}

/// An old second card that the driver no longer serves is on the bus; CUDA lists the other one alone.
#[test]
fn a_card_that_cuda_does_not_list_does_not_choose_the_build() {
    let old = "pci.vendor gpu 0000:02:00.0 = \"0x10de\"\npci.device gpu 0000:02:00.0 = \"0x128b\"\n\
               pci.name gpu 0000:02:00.0 = \"GeForce GT 710\"\n";
    let cpu = "framework.build framework torch@/home/u/venv = {}\nframework.available framework torch@/home/u/venv = false\n\
               framework.device_count framework torch@/home/u/venv = 0\n- framework.tensor\n- framework.architectures";
    let command = |cards: &str| {
        let report = report(&format!("from healthy\n{cards}{cpu}"));
        let cause = report.root_causes.iter().find(|c| c.slug == "torch-cpu-only-wheel").expect("found");
        cause
            .remedy
            .steps
            .iter()
            .filter_map(|step| step.command.clone())
            .find(|c| c.contains("pip install"))
            .expect("command")
    };
    assert_eq!(command(old), command(""));
}

/// A JAX with its CUDA plugin that computes on the processor.
const JAX: &str = r#"from healthy
- framework.distribution
- framework.build
- framework.import
- framework.architectures
- framework.available
- framework.device_count
- framework.tensor
python.package environment /home/u/venv = {"name": "jaxlib", "version": "0.10.2"}
python.package environment /home/u/venv = {"name": "jax-cuda13-plugin", "version": "0.10.2"}
framework.distribution framework jax@/home/u/venv = {"version": "0.10.2", "location": "/home/u/venv/lib/python3.12/site-packages", "installer": "pip"}
framework.build framework jax@/home/u/venv = {"cuda": "13.0"}
framework.import framework jax@/home/u/venv = {"ok": true}
framework.available framework jax@/home/u/venv = false
framework.backends framework jax@/home/u/venv = ["cpu"]
"#;

/// JAX computes on the first platform of its list; a list that begins with the GPU has another fault.
#[test]
fn a_variable_that_asks_for_the_processor_is_told_from_one_that_asks_for_the_gpu() {
    for (value, expected) in [
        ("cpu", ("framework-switched-off", Confidence::Certain)),
        ("cpu,cuda", ("framework-switched-off", Confidence::Certain)),
        ("cuda", ("framework-sees-no-gpu", Confidence::Possible)),
        ("cuda,cpu", ("framework-sees-no-gpu", Confidence::Possible)),
        ("", ("framework-sees-no-gpu", Confidence::Possible)),
    ] {
        let report = report(&format!("{JAX}host.variable variable JAX_PLATFORMS = \"{value}\""));
        assert_eq!(causes(&report), [expected], "{value}");
    }
    // The variable of another framework says nothing of this one.
    let report = report(&format!("{JAX}host.variable variable NUMBA_DISABLE_CUDA = \"1\""));
    assert_eq!(slugs(&report), ["framework-sees-no-gpu"]);
}

/// A framework is asked in its own language.
#[test]
fn what_is_not_torch_is_not_asked_with_torch() {
    let report = report(JAX);
    let cause = &report.root_causes[0];
    let commands = cause.remedy.steps.iter().filter_map(|step| step.command.as_deref());
    let all: Vec<&str> = commands.chain(report.unknowns.iter().map(|unknown| unknown.ask.as_str())).collect();
    assert!(all.iter().all(|command| !command.contains("torch")), "{all:?}");
    assert!(all.iter().any(|command| command.contains("import jax")), "{all:?}");
    assert!(report.unknowns.iter().all(|unknown| !unknown.separates.contains(&"torch-cpu-only-wheel")));
}

/// A mask that start-up code sets to a GPU that is there hides nothing.
#[test]
fn a_mask_set_at_start_up_is_no_fault_where_the_framework_computes() {
    let set = r#"python.trouble environment /home/u/venv = {"kind": "startup_variable", "detail": "CUDA_VISIBLE_DEVICES=\"0\""}"#;
    let report = report(&format!("from healthy\n{set}"));
    assert_eq!((report.verdict, causes(&report)), (Verdict::Ready, vec![]));
}

/// torchvision of the same release stays installed where only torch is replaced, and then belongs to another CUDA.
#[test]
fn what_was_built_with_torch_is_replaced_with_it() {
    let report = report(
        r#"from healthy
kernel.nvidia.version = "550.54.14"
nvml.driver_version = "550.54.14"
cuda.driver_version = 12040
framework.available framework torch@/home/u/venv = false
framework.device_count framework torch@/home/u/venv = 0
- framework.tensor
python.package environment /home/u/venv = {"name": "torch", "version": "2.13.0"}
python.package environment /home/u/venv = {"name": "torchvision", "version": "0.28.0"}"#,
    );
    assert_eq!(slugs(&report), ["driver-too-old-for-cuda-runtime"]);
    let command = report.root_causes[0].remedy.steps[0].command.clone().unwrap_or_default();
    assert!(command.contains("uninstall -y torch torchvision && "), "{command}");
    assert!(command.contains("\"torch<2.15\" torchvision --index-url"), "{command}");
}

/// TensorFlow for Windows has no CUDA by design: one fault, not two.
#[test]
fn tensorflow_without_cuda_on_windows_has_one_name() {
    let report = report(
        r#"from healthy
- framework.distribution
- framework.build
- framework.import
- framework.architectures
- framework.available
- framework.device_count
- framework.tensor
host.os = "windows"
python.package environment /home/u/venv = {"name": "tensorflow", "version": "2.21.0"}
framework.distribution framework tensorflow@/home/u/venv = {"version": "2.21.0", "location": "/home/u/venv/Lib/site-packages", "installer": "pip"}
framework.build framework tensorflow@/home/u/venv = {}
framework.import framework tensorflow@/home/u/venv = {"ok": true}
framework.available framework tensorflow@/home/u/venv = false"#,
    );
    assert_eq!(causes(&report), [("tf-native-windows-no-gpu", Confidence::Certain)]);
}

/// TensorFlow for Windows beside a torch that computes on the GPU: worth a note.
#[test]
fn tensorflow_on_windows_is_a_note_where_torch_computes_or_nothing_is_missed() {
    for more in [
        "",
        "framework.distribution framework tensorflow@/home/u/venv = {\"version\": \"2.21.0\", \"location\": \"/x\", \"installer\": \"pip\"}\n\
         framework.build framework tensorflow@/home/u/venv = {}\n\
         framework.import framework tensorflow@/home/u/venv = {\"ok\": true}\n\
         framework.available framework tensorflow@/home/u/venv = false",
    ] {
        let report = report(&format!(
            "from healthy\nhost.os = \"windows\"\n\
             python.package environment /home/u/venv = {{\"name\": \"tensorflow\", \"version\": \"2.21.0\"}}\n{more}"
        ));
        assert_eq!(report.verdict, Verdict::Ready, "{more}");
        let tensorflow = report.root_causes.iter().find(|c| c.slug == "tf-native-windows-no-gpu").expect("the note");
        assert_eq!(tensorflow.severity, Severity::Note, "{more}");
    }
}

/// CuPy compiles where it runs: the compiler of CUDA 13 begins with Turing, that of CUDA 12 with Maxwell.
#[test]
fn cupy_serves_the_gpus_of_its_cuda() {
    let on = |capability: &str, cuda: &str, tensor: &str| {
        report(&format!(
            r#"from healthy
- framework.distribution
- framework.build
- framework.import
- framework.architectures
- framework.available
- framework.device_count
- framework.tensor
cuda.device gpu 0000:01:00.0 = {{"index": 0, "name": "a card", "compute_capability": "{capability}", "memory": 8589934592}}
nvml.compute_capability gpu 0000:01:00.0 = "{capability}"
framework.distribution framework cupy@/home/u/venv = {{"version": "14.2.0", "location": "/home/u/venv/lib/python3.12/site-packages", "installer": "pip"}}
framework.build framework cupy@/home/u/venv = {{"cuda": "{cuda}"}}
framework.import framework cupy@/home/u/venv = {{"ok": true}}
framework.available framework cupy@/home/u/venv = true
framework.device_count framework cupy@/home/u/venv = 1
framework.tensor framework cupy@/home/u/venv = {tensor}"#
        ))
    };
    let fails = r#"{"index": 0, "ok": false, "step": "compute", "message": "nvrtc: error: invalid value for --gpu-architecture (-arch)"}"#;
    let works = r#"{"index": 0, "ok": true}"#;
    let old = on("6.1", "13", fails);
    assert_eq!(causes(&old), [("gpu-arch-too-old-for-build", Confidence::Certain)]);
    assert_eq!(on("6.1", "12", works).verdict, Verdict::Ready);
    assert_eq!(on("12.0", "13", works).verdict, Verdict::Ready);
    // What computed has the code, whatever a list says.
    assert_eq!(on("6.1", "13", works).verdict, Verdict::Ready);
    let step = |report: &Report| report.root_causes[0].remedy.steps[0].command.clone().unwrap_or_default();
    assert!(step(&old).contains("cupy-cuda12x"), "{}", step(&old));
}

/// torch of a Mac names no version of CUDA, and computes on the Mac's own GPU.
#[test]
fn a_mac_whose_own_gpu_computes_is_ready() {
    let mac = |available: bool, tensor: &str| {
        report(&format!(
            r#"host.os = "macos"
host.arch = "aarch64"
host.container absent
python.interpreter environment /Users/u/venv = {{"path": "/Users/u/venv/bin/python", "version": "3.12.3", "prefix": "/Users/u/venv", "base_prefix": "/opt/homebrew", "bits": 64, "chosen_by": "VIRTUAL_ENV", "manager": "pip"}}
framework.distribution framework torch@/Users/u/venv = {{"version": "2.13.0", "location": "/Users/u/venv/lib/python3.12/site-packages"}}
framework.build framework torch@/Users/u/venv = {{}}
framework.import framework torch@/Users/u/venv = {{"ok": true}}
framework.available framework torch@/Users/u/venv = {available}
{tensor}"#
        ))
    };
    let works =
        mac(true, r#"framework.tensor framework torch@/Users/u/venv = {"index": 0, "device": "mps:0", "ok": true}"#);
    assert_eq!((works.verdict, causes(&works)), (Verdict::Ready, vec![]));
    let without = mac(false, "");
    assert_eq!((without.verdict, slugs(&without)), (Verdict::NotReady, vec!["macos-no-cuda"]));
}
