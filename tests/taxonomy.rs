//! The taxonomy of root causes, walked: each name has a page, a code and a rule or message that emits it, and its fix has
//! steps for every package manager and platform that its page names, complete on all of them.

#![expect(clippy::disallowed_methods, reason = "the snapshot of the platforms is written on request")]

use gpu_doctor::causes::example::{self, Example, Form};
use gpu_doctor::causes::{self, Case, Cause, Finding, Level, page};
use gpu_doctor::facts::{Facts, host};
use gpu_doctor::report::Report;
use gpu_doctor::subject::{Kind, Subject};
use gpu_doctor::{checks, diagnosis};
use std::collections::{BTreeMap, BTreeSet};

/// Every root cause of the taxonomy, but for the `undetermined-*` ones: there the right answer is a question.
#[rustfmt::skip]
const TAXONOMY: [&str; 140] = [
    "aarch64-pypi-wheel-is-cpu", "above-4g-decoding-disabled", "accelerate-offloaded-to-cpu",
    "amd-gpu-with-cuda-torch", "application-illegal-memory-access", "benign-arch-warning",
    "benign-fabric-manager-without-nvswitch", "benign-message-gpu-is-used", "benign-pcie-idle-downshift",
    "bitsandbytes-no-binary-for-cuda", "blackwell-needs-open-kernel-module", "cdi-spec-missing",
    "conda-cpu-build-selected", "confidential-compute-not-ready", "container-cgroup-device-access-lost",
    "container-driver-capabilities-missing", "container-image-needs-newer-driver", "container-no-cgroups-setting",
    "container-runtime-not-configured", "container-toolkit-missing", "container-visible-devices-policy",
    "container-without-gpu-access", "ctranslate2-cuda-lib-missing", "cuda-compat-on-geforce",
    "cuda-initialized-before-fork", "cuda-visible-devices-hides-all", "cuda-visible-devices-out-of-range",
    "cudnn-too-new-for-gpu", "cudnn-version-conflict-ld-library-path", "cupy-cuda-major-mismatch",
    "cupy-multiple-packages", "cvd-not-renumbered-in-container", "device-node-permission",
    "dgpu-disabled-in-firmware", "dkms-build-failed", "docker-desktop-linux-vm", "docker-installed-as-snap",
    "driver-library-version-mismatch", "driver-not-installed", "driver-not-working", "driver-regression",
    "driver-too-old-for-cuda-runtime", "ecc-uncorrectable-error", "egpu-link-unstable", "exclusive-compute-mode",
    "fabric-manager-not-ready", "failing-hbm-memory", "geforce-in-vm-driver-refuses", "gpu-arch-missing-in-build",
    "gpu-arch-too-new-for-build", "gpu-arch-too-old-for-build", "gpu-bound-to-vfio-pci", "gpu-fell-off-bus",
    "gpu-init-failed-gfw-gsp", "gpu-overheat-shutdown", "gpu-reset-required", "gpu-too-old-for-driver-branch",
    "gsp-firmware-timeout", "input-pipeline-bottleneck", "insufficient-vram-cpu-offload",
    "intel-driver-not-installed", "intel-xpu-device-permission", "jax-plugin-cuda-libs-not-loadable",
    "jax-plugin-version-mismatch", "jaxlib-cpu-only", "jetson-generic-aarch64-wheel", "k8s-runtimeclass-missing",
    "kernel-lockdown-unsigned-module", "kernel-module-blacklisted", "kernel-module-not-built-for-kernel",
    "kernel-module-not-loaded", "ld-library-path-shadows-pip-cuda-libs", "libcuda-kernel-module-mismatch",
    "libcuda-not-on-loader-path", "libcuda-stub-loaded", "llamacpp-backend-load-order-bug",
    "llamacpp-built-without-cuda", "lockfile-selects-cpu-wheel", "macos-no-cuda", "mig-enabled-unintentionally",
    "mig-single-instance-limit", "mig-uuid-torch-nvml-count-bug", "model-or-data-not-moved-to-device",
    "more-ranks-than-visible-gpus", "motherboard-hardware-fault", "mps-daemon-unreachable",
    "nccl-p2p-blocked-by-acs-iommu", "no-nvidia-gpu-present", "nouveau-bound", "nvidia-uvm-bad-state",
    "nvidia-uvm-module-not-loaded", "nvidia-uvm-node-missing", "nvlink-bridge-fault", "nvlink-failure",
    "onnxruntime-cpu-and-gpu-both-installed", "onnxruntime-cpu-only", "onnxruntime-cuda-libs-not-on-path",
    "onnxruntime-cuda-major-mismatch", "open-module-unsupported-gpu-flag", "optimus-gpu-powered-off",
    "optimus-nvidia-module-blacklisted", "orphan-process-holds-vram", "passthrough-host-framebuffer-claims-gpu",
    "passthrough-hypervisor-specific", "pci-bar-not-assigned", "pcie-link-degraded", "power-cap-throttling",
    "pre-turing-needs-proprietary-module", "ptx-jit-compiler-missing", "ptx-newer-than-driver", "python-32bit",
    "ray-hides-gpus", "rocm-device-nodes-missing", "rocm-device-permission", "rocm-gpu-not-supported-by-kfd",
    "rocm-unsupported-gfx", "rocm-wsl-needs-amd-wheels", "runtime-d3-resume-failure", "scheduler-no-gpu-allocated",
    "secure-boot-unsigned-module", "selinux-denies-device", "suspected-faulty-gpu", "suspend-breaks-nvidia-uvm",
    "tf-cuda-libs-missing", "tf-cuda-version-mismatch", "tf-native-windows-no-gpu", "tf-pip-cuda-libs-not-found",
    "torch-cpu-only-wheel", "torchvision-cpu-mismatch", "unsupported-python-version", "user-site-shadows-venv",
    "uvm-hmm-driver-bug", "vgpu-profile-without-cuda", "vgpu-unlicensed", "wrong-interpreter-used",
    "wrong-libcuda-loaded", "wsl-driver-store-libs-missing", "wsl-gpu-in-tcc-mode", "wsl-libcuda-not-on-path",
    "wsl-multi-gpu-init-oom",
];

/// Systems as facts, one of each kind that a page may name.
const SYSTEMS: &[&str] = &[
    r#"host.distro = {"id": "ubuntu", "id_like": ["debian"], "version": "24.04"}
host.package_manager = "apt""#,
    r#"host.distro = {"id": "debian", "version": "13"}
host.package_manager = "apt""#,
    r#"host.distro = {"id": "fedora", "version": "43"}
host.package_manager = "dnf""#,
    r#"host.distro = {"id": "rocky", "id_like": ["rhel", "centos", "fedora"], "version": "9.6"}
host.package_manager = "dnf""#,
    r#"host.distro = {"id": "amzn", "id_like": ["fedora"], "version": "2023"}
host.package_manager = "dnf""#,
    r#"host.distro = {"id": "arch", "version": ""}
host.package_manager = "pacman""#,
    r#"host.distro = {"id": "opensuse-leap", "id_like": ["suse", "opensuse"], "version": "15.6"}
host.package_manager = "zypper""#,
    r#"host.distro = {"id": "opensuse-tumbleweed", "id_like": ["opensuse", "suse"], "version": "20251101"}
host.package_manager = "zypper""#,
    r#"host.distro = {"id": "alpine", "version": "3.22"}
host.package_manager = "apk""#,
    r#"host.distro = {"id": "nixos", "version": "25.11"}
host.package_manager = "nix""#,
    "host.os = \"windows\"\nhost.distro absent\nhost.package_manager absent",
    "host.os = \"macos\"\nhost.arch = \"aarch64\"\nhost.distro absent\nhost.package_manager absent",
];
/// Those of them that are looked at in every place: one of Debian's kin and one of Red Hat's.
const EVERYWHERE: [usize; 2] = [0, 3];

/// Places that a Linux may run in, or be.
const PLACES: &[&str] = &[
    "",
    r#"host.container = {"engine": "docker", "signals": ["test"]}"#,
    r#"host.container = {"engine": "podman", "signals": ["test"]}"#,
    "host.container = {\"engine\": \"kubernetes\", \"signals\": [\"test\"]}\nhost.job = {\"scheduler\": \"kubernetes\", \"gpus\": null}",
    r#"host.container = {"engine": "lxc", "signals": ["test"]}"#,
    r#"host.container = {"engine": "apptainer", "signals": ["test"]}"#,
    r#"host.container = {"engine": "gvisor", "signals": ["test"]}"#,
    "host.wsl = 2",
    "host.jetson = \"NVIDIA Jetson AGX Orin\"\nhost.arch = \"aarch64\"",
    "host.virtualization = \"kvm\"",
    r#"host.job = {"scheduler": "slurm", "gpus": null}"#,
    "host.arch = \"aarch64\"",
];

/// Managers of Python environments.
const MANAGERS: [&str; 6] = ["pip", "uv", "conda", "poetry", "pixi", "system"];

/// Words of conditions that name a platform; every other one is the rule's.
#[rustfmt::skip]
const PLATFORMS: &[&str] = &[
    "apt", "dnf", "pacman", "zypper", "apk", "nix", "ubuntu", "debian", "fedora", "rhel", "amzn", "arch", "opensuse-leap",
    "opensuse-tumbleweed", "nixos", "container", "docker", "podman", "kubernetes", "lxc", "apptainer", "gvisor", "wsl", "jetson",
    "vm", "slurm", "linux", "windows", "macos", "x86_64", "aarch64", "pip", "uv", "conda", "poetry", "pixi", "system",
];

fn page_of(slug: &str) -> &'static Cause {
    causes::find(slug).unwrap_or_else(|| panic!("there is no page {slug}"))
}

fn firing(cause: &'static Cause) -> Vec<Example<'static>> {
    let head = cause.head();
    example::examples(cause.page, head.slug).into_iter().filter(|e| !e.near_miss).collect()
}

/// Runs over everything and tells all that is wrong at once.
fn expect_none(wrong: BTreeSet<String>) {
    assert!(wrong.is_empty(), "\n{}\n", wrong.into_iter().collect::<Vec<_>>().join("\n"));
}

#[test]
fn every_name_has_a_page_and_a_code_and_is_emitted() {
    let mut wrong = BTreeSet::new();
    for slug in TAXONOMY {
        let cause = page_of(slug);
        let head = cause.head();
        let emitted = firing(cause).iter().any(|one| {
            let facts = one.facts(false).unwrap_or_default();
            let report = Report::of(facts, "2026-01-01T00:00:00Z".to_string());
            report.root_causes.iter().any(|c| c.slug == slug && c.code == head.code)
        });
        if head.slug != slug || !head.code.starts_with("GD") || !emitted {
            wrong.insert(format!("{slug}: code {}, emitted {emitted}", head.code));
        }
    }
    expect_none(wrong);
}

#[test]
fn pages_keep_the_platforms_that_they_name() {
    let mut lines: Vec<String> = Vec::new();
    for cause in causes::all() {
        let words: BTreeSet<&str> = page::fixes(cause.page).iter().flat_map(|fix| named(fix.condition)).collect();
        let words: Vec<&str> = words.into_iter().filter(|word| PLATFORMS.contains(word)).collect();
        lines.push(format!("{}: {}", cause.head().slug, words.join(" ")).trim_end().to_string());
    }
    lines.sort();
    let all = lines.join("\n") + "\n";
    if std::env::var_os("UPDATE_PLATFORMS").is_some() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/platforms_of_pages.txt");
        std::fs::write(file, &all).unwrap();
        return;
    }
    assert_eq!(
        include_str!("platforms_of_pages.txt"),
        all,
        "a page lost or gained a platform; UPDATE_PLATFORMS=1 writes tests/platforms_of_pages.txt anew"
    );
}

#[test]
fn every_heading_of_a_fix_has_steps() {
    let mut wrong = BTreeSet::new();
    for cause in causes::all() {
        let section = page::section(cause.page, "How to fix");
        let headings = section.lines().filter(|line| line.starts_with("### ")).count();
        let fixes = page::fixes(cause.page);
        if fixes.iter().filter(|fix| !fix.title.is_empty()).count() != headings {
            wrong.insert(format!("{}: a heading without a step", cause.head().slug));
        }
    }
    expect_none(wrong);
}

/// Each platform that a page names gets steps there, and each of them is complete: for every finding of the page's examples,
/// on every machine of the tables above.
#[test]
fn named_platforms_have_complete_steps() {
    let mut wrong = BTreeSet::new();
    for cause in causes::all() {
        let slug = cause.head().slug;
        let fixes = page::fixes(cause.page);
        // What has to hold somewhere: a heading, and each platform that it names.
        let mut open: BTreeSet<(usize, &str)> = BTreeSet::new();
        for (number, fix) in fixes.iter().enumerate() {
            open.insert((number, ""));
            open.extend(named(fix.condition).filter(|w| PLATFORMS.contains(w)).map(|word| (number, word)));
        }
        let platforms: BTreeSet<&str> = open.iter().map(|(_, word)| *word).filter(|word| !word.is_empty()).collect();
        let findings = findings(cause, &fixes);
        if findings.is_empty() {
            wrong.extend(only_words(cause, &fixes, &platforms));
            continue;
        }
        for Shown { facts, finding, by_example } in findings {
            for machine in machines(&facts, &finding, &platforms) {
                let finding = found_again(cause, &machine, &finding);
                let tags = diagnosis::tags(&machine, &finding);
                let values = diagnosis::values(&machine, &finding);
                let mut any = false;
                for (number, fix) in fixes.iter().enumerate().filter(|(_, fix)| page::holds(fix.condition, &tags)) {
                    any = true;
                    open.retain(|(n, word)| *n != number || !word.is_empty() && !tags.iter().any(|tag| tag == word));
                    if by_example {
                        wrong.extend(holes(fix, &values).iter().map(|hole| format!("{slug}, {:?}: {hole}", fix.title)));
                    }
                }
                if !any && by_example && concerned(&tags, &platforms) {
                    wrong.insert(format!("{slug}: no step where {}", tags.join(" ")));
                }
            }
        }
        for (number, word) in open {
            wrong.insert(format!("{slug}, {:?}: never shown on {word:?}", fixes[number].title));
        }
    }
    expect_none(wrong);
}

/// Whether a page that names these platforms has to help on such a machine: where the machine is a special place, the page
/// has to name that place.
fn concerned(tags: &[String], platforms: &BTreeSet<&str>) -> bool {
    let is = |word: &str| tags.iter().any(|tag| tag == word);
    // gVisor passes NVIDIA's devices on and no other maker's.
    let special = ["gvisor", "container", "wsl", "jetson", "windows", "macos"];
    match special.into_iter().find(|place| is(place)) {
        Some(place) => platforms.contains(place),
        None => platforms.iter().any(|word| is(word)),
    }
}

/// A page whose cause only words name: its steps as `triage` gives them, on the same machines.
fn only_words(cause: &'static Cause, fixes: &[page::Fix<'static>], platforms: &BTreeSet<&str>) -> Vec<String> {
    let slug = cause.head().slug;
    let finding = Finding::new(&Subject::environment("/home/u/venv"), Level::Supported);
    let all: Vec<Vec<String>> = machines(&Facts::new(), &finding, platforms)
        .iter()
        .map(|machine| {
            let (_, remedy, _) = diagnosis::for_a_text(machine, cause);
            remedy.steps.into_iter().flat_map(|step| [Some(step.text), step.command]).flatten().collect()
        })
        .collect();
    let shown = |fix: &&page::Fix| {
        // Up to its first placeholder.
        let text = fix.steps.first().map(|step| step.text.split('{').next().unwrap_or_default()).unwrap_or_default();
        all.iter().any(|texts| texts.iter().any(|shown| shown.contains(text)))
    };
    fixes.iter().filter(|fix| !shown(fix)).map(|fix| format!("{slug}, {:?}: never shown", fix.title)).collect()
}

/// The same for somebody who pasted a text that names the cause: what the text leaves open is said in words.
#[test]
fn a_text_gets_complete_steps_on_every_system() {
    let mut wrong = BTreeSet::new();
    for cause in causes::all() {
        let slug = cause.head().slug;
        for system in SYSTEMS {
            let (message, remedy, ask) = diagnosis::for_a_text(&with(&Facts::new(), system), cause);
            let mut texts = vec![message, remedy.summary, remedy.verify, ask];
            if remedy.steps.is_empty() {
                wrong.insert(format!("{slug}: no step on {system}"));
            }
            for step in remedy.steps {
                texts.push(step.text);
                texts.extend(step.command);
            }
            for text in texts.iter().filter(|text| !page::names(text).is_empty()) {
                wrong.insert(format!("{slug}: {text:?} has a hole"));
            }
        }
    }
    expect_none(wrong);
}

/// The words that a condition asks for.
fn named(condition: &str) -> impl Iterator<Item = &str> {
    condition.split([',', '|']).map(str::trim).filter(|word| !word.is_empty() && !word.starts_with('!'))
}

/// A finding with what it was found in.
#[derive(Clone)]
struct Shown {
    facts: Facts,
    finding: Finding,
    /// Whether an example of the page gives just this, with all values that go with its conditions.
    by_example: bool,
}

/// Every finding that the page's own examples give, and the first one as each further heading wants it.
fn findings(cause: &'static Cause, fixes: &[page::Fix<'static>]) -> Vec<Shown> {
    let mut found = Vec::new();
    for one in firing(cause) {
        let mut facts = one.facts(false).unwrap_or_default();
        if one.form == Form::Text && facts.value(&host::OS).is_none() {
            facts = with(&facts, "host.os = \"linux\"");
        }
        let rows = checks::judge(&facts);
        let mine = (cause.assess)(&Case { facts: &facts, rows: &rows });
        found.extend(mine.into_iter().map(|finding| Shown { facts: facts.clone(), finding, by_example: true }));
    }
    let shown: BTreeSet<&str> = found.iter().flat_map(|one| one.finding.tags.clone()).collect();
    let Some(first) = found.first().cloned() else { return found };
    for fix in fixes {
        let rule = |word: &&&'static str| !PLATFORMS.contains(*word);
        let wanted: Vec<&'static str> = named(fix.condition).collect();
        if wanted.iter().filter(rule).all(|word| shown.contains(word)) && !fix.condition.contains('!') {
            continue;
        }
        let mut one = Shown { by_example: false, ..first.clone() };
        one.finding.tags.retain(|tag| !fix.condition.contains(&format!("!{tag}")));
        one.finding.tags.extend(wanted.iter().filter(rule));
        found.push(one);
    }
    found
}

/// The finding as the rule gives it on this machine: one about no environment names the manager of packages by itself.
fn found_again(cause: &Cause, machine: &Facts, finding: &Finding) -> Finding {
    let of_environment = matches!(finding.subject.kind, Kind::Environment | Kind::Framework);
    if of_environment || !finding.tags.iter().any(|tag| MANAGERS.contains(tag)) {
        return finding.clone();
    }
    let rows = checks::judge(machine);
    let mut again = (cause.assess)(&Case { facts: machine, rows: &rows });
    again.retain(|other| other.subject == finding.subject);
    again.into_iter().next().unwrap_or_else(|| finding.clone())
}

/// The machines to look at: each system by itself, two of them in each place, with each manager of environments where the
/// page names one.
fn machines(facts: &Facts, finding: &Finding, platforms: &BTreeSet<&str>) -> Vec<Facts> {
    let mut found = Vec::new();
    for (number, system) in SYSTEMS.iter().enumerate() {
        let places = if EVERYWHERE.contains(&number) { PLACES } else { &PLACES[..1] };
        for place in places {
            let plain = with(&with(facts, NOWHERE), system);
            let machine = with(&plain, place);
            if !MANAGERS.iter().any(|manager| platforms.contains(manager)) {
                found.push(machine);
                continue;
            }
            let prefix = match (finding.subject.framework_parts(), finding.subject.kind) {
                (Some((_, prefix)), _) => prefix,
                (None, Kind::Environment) => &finding.subject.id,
                (None, _) => "/home/u/venv",
            };
            for manager in MANAGERS {
                let interpreter = format!(
                    r#"python.interpreter environment {prefix} = {{"path": "{prefix}/bin/python", "version": "3.12.3", "prefix": "{prefix}", "bits": 64, "chosen_by": "PATH", "manager": "{manager}"}}"#
                );
                let mut machine = with(&machine, &interpreter);
                // Who installed the framework says more than who manages the environment; here it is the same.
                machine.retain(|fact| fact.key != "framework.distribution" || manager != "conda");
                found.push(machine);
            }
        }
    }
    found
}

/// Nothing of what PLACES say.
const NOWHERE: &str = "host.container absent\nhost.wsl absent\nhost.jetson absent\nhost.virtualization absent\nhost.job absent\nhost.os = \"linux\"\nhost.arch = \"x86_64\"";

/// The facts with these lines in place of what they say of the same.
fn with(facts: &Facts, lines: &str) -> Facts {
    let more = example::facts(lines, false).unwrap();
    let mut all = facts.clone();
    all.retain(|fact| !more.iter().any(|other| other.key == fact.key && other.subject == fact.subject));
    all.extend(more);
    all
}

/// Placeholders of a fix that nobody fills.
fn holes(fix: &page::Fix, values: &BTreeMap<&str, String>) -> Vec<String> {
    let texts = fix.steps.iter().flat_map(|step| [Some(step.text.as_str()), step.command.as_deref()]);
    texts
        .flatten()
        .filter(|text| page::fill(text, values).is_none())
        .map(|text| format!("{text:?} has a hole"))
        .collect()
}
