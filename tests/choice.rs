//! The build that a page advises on a machine with cards of different age, and for a Python that is not the usual one.

use gpu_doctor::causes::{self, example};
use gpu_doctor::report::{Report, RootCause};

fn report(text: &str) -> Report {
    let facts = example::facts(text, false).unwrap_or_else(|e| panic!("{e}"));
    Report::of(facts, "2026-12-01T00:00:00Z".to_string())
}

fn find<'a>(report: &'a Report, slug: &str) -> &'a RootCause {
    let slugs: Vec<&str> = report.root_causes.iter().map(|c| c.slug).collect();
    report.root_causes.iter().find(|c| c.slug == slug).unwrap_or_else(|| panic!("no {slug} in {slugs:?}"))
}

/// Sentences and commands of the remedy, one a line.
fn steps(cause: &RootCause) -> String {
    let lines = cause.remedy.steps.iter().map(|s| format!("{} {}\n", s.text, s.command.as_deref().unwrap_or_default()));
    lines.collect()
}

/// A page that has something to install also says what is the matter where nothing can be.
#[test]
fn every_page_that_installs_a_build_says_why_where_there_is_none() {
    let mut pages = 0;
    for cause in causes::all().filter(|cause| cause.page.contains("!no_build")) {
        pages += 1;
        let told = cause.page.lines().any(|line| line.starts_with("### ") && line.contains("{no_build"));
        assert!(told && cause.page.contains("{why_none}"), "{}", cause.head().slug);
    }
    assert!(pages > 15, "{pages}");
}

/// Two cards, of which CUDA numbers the newer one 0, and the system.
fn two(newer: (&str, &str), older: (&str, &str), system: &str, driver: &str) -> String {
    let card = |address: &str, index: u32, (name, cc): (&str, &str)| {
        format!(
            "nvml.name gpu {address} = \"{name}\"\nnvml.compute_capability gpu {address} = \"{cc}\"\n\
             cuda.device gpu {address} = {{\"index\": {index}, \"name\": \"{name}\", \"compute_capability\": \"{cc}\", \
             \"memory\": 8510701568}}\n"
        )
    };
    format!(
        "from healthy\n{}pci.vendor gpu 0000:02:00.0 = \"0x10de\"\npci.class gpu 0000:02:00.0 = \"0x030000\"\n{}\
         cuda.count = 2\nhost.os = \"{system}\"\nkernel.nvidia.version = \"{driver}\"\nnvml.driver_version = \"{driver}\"\n\
         - framework.tensor\n",
        card("0000:01:00.0", 0, newer),
        card("0000:02:00.0", 1, older),
    )
}

const NEW_BUILD: &str = r#"framework.distribution framework torch@/home/u/venv = {"version": "2.13.0", "location": "/home/u/venv/lib/python3.12/site-packages", "installer": "pip"}
framework.build framework torch@/home/u/venv = {"cuda": "13.0"}
framework.architectures framework torch@/home/u/venv = ["sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"]
framework.tensor framework torch@/home/u/venv = {"index": 0, "ok": true}
framework.tensor framework torch@/home/u/venv = {"index": 1, "ok": false, "step": "compute", "message": "CUDA error: no kernel image is available for execution on the device", "code": 209}
"#;

const CPU_BUILD: &str = r#"framework.distribution framework torch@/home/u/venv = {"version": "2.13.0+cpu", "location": "/home/u/venv/lib/python3.12/site-packages", "installer": "pip"}
framework.build framework torch@/home/u/venv = {}
framework.architectures framework torch@/home/u/venv = []
framework.available framework torch@/home/u/venv = false
framework.device_count framework torch@/home/u/venv = 0
"#;

const NEW: (&str, &str) = ("NVIDIA GeForce RTX 5090", "12.0");
const OLD: (&str, &str) = ("NVIDIA GeForce GTX 1080", "6.1");

/// A build for the old card has nothing for the new one, which works: it must not be replaced.
#[test]
fn a_build_that_serves_the_newer_card_is_not_replaced_for_the_older_one() {
    let report = report(&(two(NEW, OLD, "linux", "580.95.05") + NEW_BUILD));
    let steps = steps(find(&report, "gpu-arch-too-old-for-build"));
    assert!(!steps.contains("uninstall"), "{steps}");
    assert!(steps.contains("NVIDIA GeForce GTX 1080 (compute capability 6.1) is left out"), "{steps}");
    assert!(steps.contains("export CUDA_VISIBLE_DEVICES=0\n"), "{steps}");
    assert!(
        steps.contains(
            "other-gpu/bin/python -m pip install \"torch<2.15\" --index-url https://download.pytorch.org/whl/cu126"
        ),
        "{steps}"
    );
}

/// conda-forge's torch for CUDA 12 has code for 5.0 to 12.0: it serves both cards. For Kepler there is none with Blackwell.
#[test]
fn conda_takes_one_build_for_both_cards_only_where_there_is_one() {
    const CONDA: &str = r#"python.interpreter environment /home/u/venv = {"path": "/home/u/venv/bin/python", "version": "3.12.3", "prefix": "/home/u/venv", "base_prefix": "/home/u/venv", "bits": 64, "chosen_by": "CONDA_PREFIX", "manager": "conda"}
"#;
    let of = |older| {
        let build = NEW_BUILD.replace("\"pip\"", "\"conda\"");
        let report = report(&(two(NEW, older, "linux", "580.95.05") + CONDA + &build));
        steps(find(&report, "gpu-arch-too-old-for-build"))
    };
    let both = of(OLD);
    let build =
        "conda install -p /home/u/venv -c conda-forge --override-channels \"pytorch=*=cuda*\" \"cuda-version=12\"";
    assert!(both.contains(build), "{both}");
    assert!(!both.contains("left out") && !both.contains("other-gpu"), "{both}");
    let kepler = of(("Tesla K80", "3.7"));
    assert!(
        !kepler.contains("conda install") && kepler.contains("Tesla K80 (compute capability 3.7) is left out"),
        "{kepler}"
    );
}

/// For Windows there is a build with code for both.
#[test]
fn a_build_for_both_cards_takes_its_place_where_there_is_one() {
    let report = report(&(two(NEW, OLD, "windows", "581.29") + NEW_BUILD));
    let steps = steps(find(&report, "gpu-arch-too-old-for-build"));
    assert!(steps.contains("torch==2.7.1 --index-url https://download.pytorch.org/whl/cu128"), "{steps}");
    assert!(!steps.contains("CUDA_VISIBLE_DEVICES") && !steps.contains("left out"), "{steps}");
}

#[test]
fn the_page_says_which_card_the_build_leaves_out_and_what_it_would_need() {
    let of = |newer, older, driver: &str| {
        let report = report(&(two(newer, older, "linux", driver) + CPU_BUILD));
        steps(find(&report, "torch-cpu-only-wheel"))
    };
    let both = of(NEW, OLD, "580.95.05");
    assert!(
        both.contains(
            "NVIDIA GeForce GTX 1080 (compute capability 6.1) is left out, and needs an environment of its own with \
             `\"torch<2.15\" --index-url https://download.pytorch.org/whl/cu126`"
        ),
        "{both}"
    );
    assert!(both.contains("-m pip install torch\n"), "{both}");
    let one_for_both = of(("NVIDIA H100", "9.0"), ("Tesla V100", "7.0"), "580.95.05");
    assert!(one_for_both.contains("/whl/cu126") && !one_for_both.contains("left out"), "{one_for_both}");
    let old = of(("NVIDIA A100", "8.0"), ("Tesla K80", "3.7"), "470.256.02");
    assert!(old.contains("/whl/cu118") && !old.contains("left out"), "{old}");
    let never = of(("NVIDIA GeForce RTX 3060", "8.6"), ("NVIDIA GeForce GT 710", "3.5"), "470.256.02");
    assert!(
        never.contains("NVIDIA GeForce GT 710 (compute capability 3.5) is left out, as no build for it runs here"),
        "{never}"
    );
}

/// A second card that the driver no longer serves is not listed by CUDA, and decides nothing.
#[test]
fn a_card_that_cuda_does_not_list_decides_nothing() {
    let both = two(NEW, ("NVIDIA GeForce GT 710", "3.5"), "linux", "580.95.05");
    let listed: String = both
        .lines()
        .filter(|l| !l.contains("0000:02:00.0") || l.starts_with("pci"))
        .map(|l| format!("{l}\n"))
        .collect();
    let report = report(&(listed + "pci.device gpu 0000:02:00.0 = \"0x128b\"\n" + CPU_BUILD));
    let steps = steps(find(&report, "torch-cpu-only-wheel"));
    assert!(steps.contains("-m pip install torch\n") && !steps.contains("left out"), "{steps}");
}

/// A CPU build of ONNX Runtime under a Python that no wheel with CUDA fits.
#[test]
fn where_no_wheel_fits_the_python_the_page_says_so() {
    let of = |version: &str, kind: &str| {
        let report = report(&format!(
            r#"from healthy
- framework.distribution
- framework.build
- framework.import
- framework.architectures
- framework.available
- framework.device_count
- framework.tensor
python.interpreter environment /home/u/venv = {{"path": "/home/u/venv/bin/python", "version": "{version}", "prefix": "/home/u/venv", "base_prefix": "/usr", "bits": 64, "kind": "{kind}", "chosen_by": "VIRTUAL_ENV", "manager": "pip"}}
python.package environment /home/u/venv = {{"name": "onnxruntime", "version": "1.32.0"}}
framework.distribution framework onnxruntime@/home/u/venv = {{"version": "1.32.0", "location": "/home/u/venv/lib/python3.12/site-packages", "installer": "pip"}}
framework.build framework onnxruntime@/home/u/venv = {{}}
framework.import framework onnxruntime@/home/u/venv = {{"ok": true}}
framework.backends framework onnxruntime@/home/u/venv = ["CPUExecutionProvider"]
framework.available framework onnxruntime@/home/u/venv = false
"#
        ));
        steps(find(&report, "onnxruntime-cpu-only"))
    };
    let musl = of("3.12.3", "musl");
    assert!(
        musl.contains("ONNX Runtime has no wheel with CUDA for a Python on musl") && !musl.contains("onnxruntime-gpu["),
        "{musl}"
    );
    let pypy = of("3.11.13", "pypy");
    assert!(pypy.contains("for CPython only"), "{pypy}");
    let too_new = of("3.15.0", "free-threaded");
    assert!(too_new.contains("it has wheels for Python 3.11 to 3.14, and this is 3.15, free-threaded"), "{too_new}");
    assert!(of("3.14.0", "free-threaded").contains("\"onnxruntime-gpu[cuda,cudnn]>=1.29\""));
}
