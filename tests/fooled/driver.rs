//! A driver and its modules: which of them is to blame, and for what reason.

use super::{NO_CUDA, NO_NVML_GPU, causes, report, slugs};
use gpu_doctor::report::Confidence;

/// The node of nvidia-uvm is CUDA's alone: while NVML answers, the driver does.
#[test]
fn a_bad_uvm_node_does_not_accuse_the_driver() {
    let report = report(&format!("from healthy\nnode.open file /dev/nvidia-uvm = \"EIO\"\ncuda.init = 999{NO_CUDA}"));
    assert_eq!(causes(&report), [("cuda-init-fails", Confidence::Possible)]);
}

/// Causes without a rule of their own yet: the honest answer names the driver, repeats the kernel's reason, is one finding,
/// and is never certain.
#[test]
fn a_driver_that_gave_its_reason_is_quoted() {
    let flavour = |architecture: &str, flavour: &str| {
        format!(
            "from healthy\npci.architecture gpu 0000:01:00.0 = \"{architecture}\"\nkernel.nvidia.flavour = \"{flavour}\"\nnode.open file /dev/nvidia0 = \"EIO\"\ncuda.init = 100{NO_CUDA}{NO_NVML_GPU}"
        )
    };
    let log = "kernel.log = 9\nkernel.log.line = \"NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x22:0x56:884)\"";
    for (machine, slug) in [
        (flavour("pascal", "open"), "pre-turing-needs-proprietary-module"),
        (flavour("blackwell", "closed"), "blackwell-needs-open-kernel-module"),
    ] {
        assert_eq!(slugs(&report(&machine)), [slug]);
    }
    let words = "RmInitAdapter failed! (0x22:0x56:884)";
    let logged = report(&format!("{}\n{log}", flavour("blackwell", "open")));
    assert_eq!(causes(&logged), [("driver-not-working", Confidence::Likely)], "{words}");
    assert!(logged.root_causes[0].message.contains(words), "{}", logged.root_causes[0].message);
    assert!(!logged.unknowns.is_empty());
    let silent = report(&flavour("blackwell", "open"));
    assert_eq!(causes(&silent), [("driver-not-working", Confidence::Possible)]);
}

/// A generation that came after the driver: the reason is the age, and the only Blackwell card waits for branch 570.
#[test]
fn a_gpu_that_came_after_the_driver_is_told_so() {
    let report = report(&format!(
        "from healthy\nkernel.nvidia.version = \"550.144.03\"\nnvml.driver_version = \"550.144.03\"\npci.architecture gpu 0000:01:00.0 = \"blackwell\"\npci.driver gpu 0000:01:00.0 absent\nframework.build framework torch@/home/u/venv = {{\"cuda\": \"12.8\"}}\ncuda.init = 100{NO_CUDA}{NO_NVML_GPU}"
    ));
    assert_eq!(causes(&report), [("driver-not-working", Confidence::Likely)]);
    assert!(report.root_causes[0].message.contains("older than branch 570"), "{}", report.root_causes[0].message);
}

/// What is asked for must be what decides between the candidates of this very code, and be possible where it is asked.
#[test]
fn the_question_fits_the_code_and_the_place() {
    for (code, slug, words) in [
        (3, "cuda-init-fails", "uvm_disable_hmm"),
        (100, "cuda-init-fails", "ls -l /dev/nvidia*"),
        (999, "nvidia-uvm-bad-state", "modprobe -r nvidia_uvm"),
        (304, "cuda-init-fails", "dmesg"),
    ] {
        let report = report(&format!("from healthy\ncuda.init = {code}{NO_CUDA}"));
        assert_eq!(slugs(&report).first(), Some(&slug), "{code}");
        assert!(report.unknowns[0].ask.contains(words), "{code}: {}", report.unknowns[0].ask);
    }
}

/// The kernel seldom says which module it refused: another maker's unsigned module is no proof against NVIDIA's.
#[test]
fn a_refused_module_need_not_be_nvidias() {
    let machine = |signer: &str, line: &str| {
        format!(
            "from no-driver\nlibrary.count = 2\nkernel.nvidia.file = \"/lib/modules/6.8.0-45-generic/updates/dkms/nvidia.ko.zst\"\nkernel.nvidia.modinfo = {{\"version\": \"580.95.05\", \"license\": \"Dual MIT/GPL\", \"signer\": {signer}}}\nkernel.secure_boot = true\nkernel.lockdown = \"integrity\"\nkernel.log = 900\nkernel.log.line = \"{line}\""
        )
    };
    let anonymous = "Loading of module with unavailable key is rejected";
    let first = |text: &str| {
        let report = report(text);
        (report.root_causes[0].slug, report.root_causes[0].confidence)
    };
    let secure_boot = "secure-boot-unsigned-module";
    assert_eq!(
        first(&machine("\"box Secure Boot Module Signature key\"", anonymous)),
        (secure_boot, Confidence::Likely)
    );
    let signed = first(&machine("\"Canonical Ltd. Kernel Module Signing\"", anonymous));
    assert_eq!(signed, ("kernel-module-not-loaded", Confidence::Possible));
    assert_eq!(first(&machine("null", "Loading of unsigned module is rejected")), (secure_boot, Confidence::Certain));
    let named = "modprobe: ERROR: could not insert 'nvidia': Key was rejected by service";
    assert_eq!(first(&machine("\"box Secure Boot Module Signature key\"", named)), (secure_boot, Confidence::Certain));
}

/// NVML has a code for a mismatch. Where it gives another one, versions that differ do not lead.
#[test]
fn versions_that_differ_do_not_explain_another_code() {
    let report = report(&format!(
        "from healthy\nhost.container = {{\"engine\": \"docker\", \"signals\": [\"a\", \"b\"]}}\nlibrary.file file /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1 = {{\"name\": \"libnvidia-ml\", \"target\": \"/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.470.42.01\", \"version\": \"470.42.01\"}}\nnode.open file /dev/nvidiactl = \"EPERM\"\nnvml.init = 999\n- nvml.count\n- nvml.handle\ncuda.init = 100{NO_CUDA}"
    ));
    assert_eq!(causes(&report)[0], ("container-cgroup-device-access-lost", Confidence::Likely));
    let mismatch = causes(&report).into_iter().find(|(slug, _)| *slug == "driver-library-version-mismatch");
    assert!(mismatch.is_none_or(|(_, confidence)| confidence == Confidence::Possible));
}
