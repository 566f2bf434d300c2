//! All probes in their order, against fakes of the driver's libraries.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods)]

use gpu_doctor::facts::cuda::{self, Compute};
use gpu_doctor::facts::{Facts, Variant, kernel, nvidia, python};
use gpu_doctor::machine::{Machine, Scope};
use gpu_doctor::probes::{self, Plan, Which};
use gpu_doctor::subject::Subject;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

const ADDRESS: &str = "0000:01:00.0";

/// The fakes, built once.
fn fakes() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("probes-fakes");
        let build = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lab/fakes/build");
        assert!(Command::new("sh").arg(build).arg(&folder).status().unwrap().success());
        folder
    })
}

/// A machine with a loaded driver and nodes, whose libraries are the fakes.
struct Staged {
    folder: tempfile::TempDir,
}

impl Staged {
    fn new(scenario: &str) -> Staged {
        let staged = Staged { folder: tempfile::tempdir().unwrap() };
        let pci = format!("sys/bus/pci/devices/{ADDRESS}");
        staged.write(&format!("{pci}/vendor"), "0x10de\n");
        staged.write(&format!("{pci}/device"), "0x2684\n");
        staged.write(&format!("{pci}/class"), "0x030000\n");
        staged.write("proc/modules", "nvidia_uvm 1 0 - Live 0x0\nnvidia 1 1 nvidia_uvm, Live 0x0\n");
        staged.write("sys/module/nvidia/version", "535.183.01\n");
        let version = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun May 12 19:39:15 UTC 2024\n";
        staged.write("proc/driver/nvidia/version", version);
        for node in ["nvidiactl", "nvidia0", "nvidia-uvm"] {
            staged.write(&format!("dev/{node}"), "");
        }
        staged.write("scenario", scenario);
        let wrapper = format!(
            "#!/bin/sh\nexport GPU_DOCTOR_SCENARIO={root}/scenario LD_LIBRARY_PATH={fakes}\n\
 exec {runner} {program} \"$@\"\n",
            root = staged.folder.path().display(),
            fakes = fakes().display(),
            // What runs the program where it is for another processor: tests/platforms.
            runner = std::env::var("GPU_DOCTOR_TEST_RUNNER").unwrap_or_default(),
            program = env!("CARGO_BIN_EXE_gpu-doctor"),
        );
        staged.write("doctor", &wrapper);
        let doctor = staged.folder.path().join("doctor");
        std::fs::set_permissions(doctor, std::fs::Permissions::from_mode(0o755)).unwrap();
        staged
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn machine(&self) -> Machine {
        Machine::new(Scope::RootLive(self.folder.path().to_path_buf()), Duration::from_secs(4))
    }

    fn plan(&self) -> Plan {
        Plan {
            program: Some(self.folder.path().join("doctor")),
            deselected: vec!["framework".to_string(), "tensor".to_string()],
            ..Plan::default()
        }
    }

    fn run(&self) -> Facts {
        let started = Instant::now();
        let facts = probes::run(&self.machine(), &self.plan(), &());
        assert!(started.elapsed() < Duration::from_secs(5), "took {:?}", started.elapsed());
        facts
    }
}

/// One healthy GPU, with more lines for the machine and for the GPU.
fn one_gpu(machine: &str, gpu: &str) -> Staged {
    let text = format!(
        "driver_version = 535.183.01\ncuda_version = 12020\n{machine}\n[gpu 0]\nname = NVIDIA L4\ncc = 8.9\n\
         memory_total = 23034\npci = {ADDRESS}\n{gpu}\n"
    );
    Staged::new(&text)
}

fn gpu() -> Subject {
    Subject::gpu(ADDRESS)
}

#[test]
fn a_machine_that_works_is_seen_from_the_nodes_to_the_computation() {
    let facts = one_gpu("", "").run();
    assert_eq!(facts.look(&kernel::NODE_OPEN, &Subject::file("/dev/nvidia0")).seen().as_deref(), Some("ok"));
    assert_eq!(facts.value(&kernel::MODULE_FLAVOUR).as_deref(), Some("closed"));
    assert_eq!(facts.value(&nvidia::NVML_INIT), Some(0));
    assert_eq!(facts.look(&nvidia::NVML_MEMORY, &gpu()).seen().unwrap().total, 23034 << 20);
    assert_eq!(facts.value(&cuda::INIT), Some(0));
    assert_eq!(facts.look(&cuda::COMPUTE, &gpu()).seen(), Some(Compute { stage: "done".to_string(), code: 0 }));
    assert!(facts.subjects_with(&cuda::PROBE_END).is_empty());
}

#[test]
fn a_hang_in_cuinit_takes_the_limit_and_no_other_fact_with_it() {
    let facts = one_gpu("hang_at = cuInit", "").run();
    assert_eq!(facts.machine(&cuda::INIT).why_failed(), Some("still running after 4 s, in cuInit"));
    let end = facts.look(&cuda::PROBE_END, &Subject::probe("cuda")).seen().unwrap();
    assert_eq!((end.how.as_str(), end.stage.as_str()), ("timed_out", "cuInit"));
    assert_eq!(end.detail, "cuInit took longer than 4 s");
    assert_eq!(facts.value(&nvidia::NVML_INIT), Some(0));
}

#[test]
fn a_page_of_the_driver_that_blocks_takes_nothing_else_with_it() {
    let staged = one_gpu("", "");
    let page = staged.folder.path().join("proc/driver/nvidia/version");
    std::fs::remove_file(&page).unwrap();
    assert!(Command::new("mkfifo").arg(&page).status().unwrap().success());
    let facts = staged.run();
    let end = facts.look(&cuda::PROBE_END, &Subject::probe("nodes")).seen().unwrap();
    assert_eq!((end.how.as_str(), end.stage.as_str()), ("timed_out", "read /proc/driver/nvidia/version"));
    assert_eq!(facts.look(&kernel::NODE_OPEN, &Subject::file("/dev/nvidia0")).seen().as_deref(), Some("ok"));
    assert_eq!(facts.look(&cuda::COMPUTE, &gpu()).seen().unwrap().stage, "done");
}

#[test]
fn a_crash_in_the_launch_is_the_launch_of_that_gpu() {
    let facts = one_gpu("crash_at = cuLaunchKernel", "").run();
    let why = facts.look(&cuda::COMPUTE, &gpu()).why_failed().unwrap().to_string();
    assert!(why.contains("signal 11, SIGSEGV, in launch"), "{why}");
    let end = facts.look(&cuda::PROBE_END, &Subject::probe("cuda")).seen().unwrap();
    assert_eq!((end.how.as_str(), end.stage.as_str()), ("crashed", "launch"));
    // Under qemu, its last words follow.
    assert!(end.detail.starts_with("running the kernel crashed (signal 11, SIGSEGV)"), "{}", end.detail);
    assert_eq!(facts.value(&cuda::COUNT), Some(1));
}

#[test]
fn a_banner_of_a_library_does_not_get_into_the_channel() {
    let facts = one_gpu("nvml_print = {\"stage\":\"nvmlInit\",\"code\":999}\ncu_print = WARNING", "").run();
    assert_eq!(facts.value(&nvidia::NVML_INIT), Some(0));
    assert_eq!(facts.value(&cuda::INIT), Some(0));
}

#[test]
fn a_gpu_on_which_somebody_computes_is_left_alone() {
    let staged = one_gpu("", "processes = 41234:300:python");
    let facts = staged.run();
    let why = facts.look(&cuda::NO_CONTEXT, &gpu()).seen();
    assert_eq!(why.as_deref(), Some("busy: process 41234 computes on it"));
    assert!(facts.look(&cuda::COMPUTE, &gpu()).fact().is_none());
    let facts = probes::run(&staged.machine(), &Plan { busy: true, ..staged.plan() }, &());
    assert_eq!(facts.look(&cuda::COMPUTE, &gpu()).seen().unwrap().stage, "done");
    let facts = probes::run(&staged.machine(), &Plan { busy: true, passive: true, ..staged.plan() }, &());
    assert_eq!(facts.look(&cuda::NO_CONTEXT, &gpu()).seen().as_deref(), Some("passive"));
}

#[test]
fn a_wrong_result_is_told() {
    let facts = one_gpu("", "wrong_result = yes").run();
    assert_eq!(facts.look(&cuda::COMPUTE, &gpu()).seen(), Some(Compute { stage: "compare".to_string(), code: 0 }));
}

#[test]
fn the_cache_of_the_jit_compiler_is_left_off() {
    let staged = one_gpu("", "");
    let home = staged.folder.path().join("home");
    std::fs::create_dir(&home).unwrap();
    let script = std::fs::read_to_string(staged.folder.path().join("doctor")).unwrap();
    staged.write("doctor", &script.replace("export ", &format!("export HOME={} ", home.display())));
    assert_eq!(staged.run().look(&cuda::COMPUTE, &gpu()).seen().unwrap().stage, "done");
    assert_eq!(std::fs::read_dir(home).unwrap().count(), 0);
}

#[test]
fn an_experiment_is_a_fact_of_its_own_context() {
    let staged = one_gpu("", "");
    let variant = Variant::WithoutLibraryPath;
    let facts = probes::experiment(&staged.machine(), &staged.plan(), &Facts::new(), &Which::Cuda, variant);
    // The wrapper sets the path again, so the library is found as before.
    assert_eq!(facts.look_in(&cuda::INIT, &Subject::machine(), Some(variant)).seen(), Some(0));
    assert!(facts.machine(&cuda::INIT).fact().is_none());
    assert!(facts.iter().all(|fact| fact.key != cuda::COMPUTE.name));
}

/// A stand-in for an interpreter that asks for a tensor, and writes down the answer.
fn asking_python(staged: &Staged) -> PathBuf {
    let path = staged.folder.path().join("python");
    let script = r#"#!/bin/sh
echo '{"stage":"interpreter","version":"3.11.7","prefix":"/venv","bits":64}'
echo '{"waiting":"tensor","framework":"torch"}'
read answer
echo "$answer" > ROOT/answer
echo '{"done":true}'
"#;
    staged.write("python", &script.replace("ROOT", &staged.folder.path().display().to_string()));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// The answer that the stand-in got, and why there was no tensor.
fn asked(staged: &Staged, change: impl FnOnce(&mut Plan)) -> (String, Option<String>) {
    let mut plan = Plan { deselected: Vec::new(), pythons: vec![asking_python(staged)], ..staged.plan() };
    change(&mut plan);
    let facts = probes::run(&staged.machine(), &plan, &());
    let answer = std::fs::read_to_string(staged.folder.path().join("answer")).unwrap();
    let framework = Subject::framework("torch", "/venv");
    (answer.trim().to_string(), facts.look(&python::NO_TENSOR, &framework).seen())
}

#[test]
fn a_framework_computes_where_nobody_else_does() {
    assert_eq!(asked(&one_gpu("", ""), |_| ()), ("go".to_string(), None));
    let busy = one_gpu("", "processes = 41234:300:python");
    assert_eq!(asked(&busy, |_| ()), ("no".to_string(), Some("busy: process 41234 computes on it".to_string())));
    assert_eq!(asked(&busy, |plan| plan.busy = true), ("go".to_string(), None));
    assert_eq!(asked(&one_gpu("", ""), |plan| plan.passive = true), ("no".to_string(), Some("passive".to_string())));
}

#[test]
fn a_framework_uses_the_free_one_of_two() {
    let second = "[gpu 1]\nname = NVIDIA L4\ncc = 8.9\nmemory_total = 23034\npci = 0000:02:00.0";
    let staged = one_gpu("", &format!("processes = 41234:300:python\n{second}"));
    assert_eq!(asked(&staged, |_| ()), ("go 1".to_string(), None));
}

#[test]
fn no_framework_computes_after_a_computation_that_did_not_come_back() {
    let (answer, why) = asked(&one_gpu("hang_at = cuLaunchKernel", ""), |_| ());
    assert_eq!(answer, "no");
    let why = why.unwrap();
    assert!(why.starts_with("an earlier computation did not come back") && why.contains("in launch"), "{why}");
}

#[test]
fn without_a_driver_no_child_is_started() {
    let staged = one_gpu("", "");
    staged.write("proc/modules", "ext4 1 1 - Live 0x0\n");
    std::fs::remove_dir_all(staged.folder.path().join("sys/module/nvidia")).unwrap();
    std::fs::remove_dir_all(staged.folder.path().join("proc/driver")).unwrap();
    staged.write("doctor", &format!("#!/bin/sh\ntouch {}/started\n", staged.folder.path().display()));
    let facts = staged.run();
    assert!(!staged.folder.path().join("started").exists());
    assert!(facts.machine(&cuda::INIT).fact().is_none());
    assert!(facts.look(&kernel::NODE, &Subject::file("/dev/nvidia0")).fact().is_some());
}
