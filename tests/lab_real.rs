//! The whole program with real parts: NVIDIA's user space of three branches, the toolkit's stubs, real PyTorch builds.
//!
//! Only what no real part can show here is staged: a GPU on the bus, a module in the kernel, device nodes. Every run also
//! checks that its snapshot gives the same report, and that nothing is left in HOME and TMPDIR (see `common/stage.rs`).
//! These tests need root, Debian 12 and a machine without an NVIDIA GPU, and say so where that is not given.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods)]

mod common;

use common::stage::{
    Check, NODES_OF_A_GROUP, OPEN_NODES, REAL_NODES, Seen, assert_unchanged, fakes, needs_root, open_to_all, part,
    public_folder, shared_library, trace,
};
use common::tree::{KERNEL, Module, Tree};
use std::path::Path;
use std::process::Command;

/// The branches of the real user space, with their whole versions.
const BRANCHES: [(&str, &str); 3] = [("470", "470.256.02"), ("535", "535.261.03"), ("550", "550.163.01")];
const ADDRESS: &str = "0000:01:00.0";

/// A machine with an L4 (Ada, 8.9) and nothing of a driver in the kernel.
fn with_gpu() -> Tree {
    let tree = Tree::new();
    tree.gpu(ADDRESS, "0x10de", "0x27b8", "0x030200", None).live_dev();
    tree
}

/// The same with the module of a version loaded, and driving the GPU.
fn with_driver(version: &'static str) -> Tree {
    let tree = Tree::new();
    tree.gpu(ADDRESS, "0x10de", "0x27b8", "0x030200", Some("nvidia"))
        .driver_loaded(version)
        .gpu_information(ADDRESS, "NVIDIA L4", 0)
        .file("etc/group", "root:x:0:\nvideo:x:44:\nnogroup:x:65534:\n")
        .module_file(KERNEL, "updates/dkms/nvidia.ko", &Module::closed(version))
        .live_dev();
    tree
}

/// What the fakes pretend to be: the GPU of the tree, which works.
const WORKING_L4: &str = "driver_version = 535.261.03\ncuda_version = 12020\n\
     [gpu 0]\nname = NVIDIA L4\ncc = 8.9\nmemory_total = 23034\npci = 0000:01:00.0\n";

fn without_a_gpu() {
    let devices = std::fs::read_dir("/sys/bus/pci/devices").into_iter().flatten().flatten();
    let nvidia = devices.filter(|d| std::fs::read_to_string(d.path().join("vendor")).is_ok_and(|v| v == "0x10de\n"));
    assert_eq!(nvidia.count(), 0, "this test wants a machine without an NVIDIA GPU");
}

fn blames_the_missing_gpu(seen: &Seen, what: &str) {
    assert_eq!((seen.verdict(), seen.code), ("not_ready", 1), "{what}");
    assert_eq!(seen.errors(), [(1, "no-nvidia-gpu-present", "certain")], "{what}:\n{}", seen.text);
    // Notes on the environment may follow; none of them may speak of a driver or of access to it.
    let causes = seen.report["root_causes"].as_array().unwrap();
    let layers: Vec<&str> = causes.iter().filter_map(|cause| cause["layer"].as_str()).collect();
    assert!(!layers.iter().any(|layer| ["kernel driver", "access", "cuda"].contains(layer)), "{what}: {layers:?}");
}

// ---- 1: this machine as it is ----

#[test]
fn without_a_gpu_nothing_blames_a_driver_and_nothing_changes() {
    without_a_gpu();
    let torch = part("torch-cuda");
    let before = (trace(Path::new("/dev")), trace(&torch));
    blames_the_missing_gpu(&Check::new().run(), "as it is");
    blames_the_missing_gpu(&Check::new().python(&torch).run(), "with torch");
    for (branch, _) in BRANCHES {
        blames_the_missing_gpu(&Check::new().driver(branch).python(&torch).run(), branch);
    }
    assert_unchanged(Path::new("/dev"), &before.0);
    assert_unchanged(&torch, &before.1);
}

#[test]
fn a_user_without_rights_gets_the_same_answer_and_changes_nothing() {
    needs_root();
    without_a_gpu();
    let (torch, stage) = (part("torch-cuda"), public_folder());
    let (shown, driver) = (stage.path().join("torch"), stage.path().join("driver"));
    let before = (trace(Path::new("/dev")), trace(&torch));
    blames_the_missing_gpu(&Check::new().by_nobody().run(), "as it is");
    for (branch, _) in BRANCHES {
        let check = Check::new().by_nobody().mount(&torch, &shown).mount(&part(&format!("driver-{branch}")), &driver);
        let check = check.interpreter_of(&torch, stage.path());
        blames_the_missing_gpu(&check.driver_in(&driver).python(&shown).run(), branch);
    }
    assert_unchanged(Path::new("/dev"), &before.0);
    assert_unchanged(&torch, &before.1);
}

#[test]
fn what_lies_in_dev_without_a_driver_stays_as_it_was() {
    needs_root();
    without_a_gpu();
    // As root, the libraries that torch loads set the mode of such a node to 0666, remove such a file, and make a missing node.
    let leftovers = [
        ("mknod -m 600 $DEV/nvidiactl c 195 255", "600 character special file 0"),
        ("touch $DEV/nvidiactl", "644 regular empty file 0"),
        ("true", ""),
    ];
    let folder = public_folder();
    let listing = folder.path().join("after");
    for (setup, expected) in leftovers {
        let look =
            format!("\"$@\"; status=$?; stat -c '%a %F %u' /dev/nvidia* >{} 2>&1; exit $status", listing.display());
        let check = Check::new().dev(setup).through(["bash", "-c", &look, "look"]).driver("535");
        blames_the_missing_gpu(&check.python(&part("torch-cuda")).run(), setup);
        let after = std::fs::read_to_string(&listing).unwrap();
        let after = if after.contains("cannot stat") || after.contains("No such file") { "" } else { after.trim() };
        assert_eq!(after, expected, "{setup}");
    }
}

// ---- 2: a GPU, real libraries, and something wrong between them ----

/// The real libraries and programs of each branch on a described machine, without asking a Python. It is root's run, so its
/// commands need no sudo.
fn with_each_branch(tree: impl Fn(&'static str) -> Tree, setup: &str, judge: impl Fn(&Seen, &str)) {
    needs_root();
    for (branch, version) in BRANCHES {
        let tree = tree(version);
        let seen = Check::new().on(tree.path()).driver(branch).dev(setup).without_frameworks().run();
        assert_eq!((seen.verdict(), seen.code), ("not_ready", 1), "{branch}:\n{}", seen.text);
        let errors = seen.errors();
        assert!(!errors.iter().any(|(_, slug, _)| *slug == "driver-not-installed"), "{branch}:\n{}", seen.text);
        judge(&seen, branch);
    }
}

#[test]
fn a_module_that_is_there_and_not_loaded() {
    let machine = |version| {
        let tree = with_gpu();
        tree.module_file(KERNEL, "updates/dkms/nvidia.ko", &Module::closed(version));
        tree
    };
    with_each_branch(machine, "true", |seen, branch| {
        assert_eq!(seen.errors(), [(1, "kernel-module-not-loaded", "likely")], "{branch}:\n{}", seen.text);
        assert!(seen.commands("kernel-module-not-loaded")[0].contains("modprobe nvidia"));
    });
}

#[test]
fn a_module_for_another_kernel() {
    let machine = |version| {
        let tree = with_gpu();
        tree.module_file("6.1.0-17-amd64", "updates/dkms/nvidia.ko", &Module::closed(version))
            .dkms("nvidia-current", version, &["6.1.0-17-amd64"])
            .no_headers(KERNEL);
        tree
    };
    with_each_branch(machine, "true", |seen, branch| {
        let slug = "kernel-module-not-built-for-kernel";
        assert_eq!(seen.errors(), [(1, slug, "certain")], "{branch}:\n{}", seen.text);
        // The headers are missing, so they come first; both commands name the kernel that runs.
        let commands = seen.commands(slug);
        assert_eq!(commands[0], format!("apt install -y linux-headers-{KERNEL}"));
        assert!(commands[1].contains("dkms autoinstall") && commands[1].contains(KERNEL), "{commands:?}");
    });
}

#[test]
fn a_module_that_secure_boot_refuses() {
    // What a kernel under lockdown writes when an unsigned module is loaded.
    let log = "echo '[   14.218731] Lockdown: modprobe: unsigned module loading is restricted; see man kernel_lockdown.7' \
               >$DEV/kmsg";
    let machine = |version| {
        let tree = with_gpu();
        tree.module_file(KERNEL, "updates/dkms/nvidia.ko", &Module::closed(version)).secure_boot(true);
        tree
    };
    with_each_branch(machine, log, |seen, branch| {
        let slug = "secure-boot-unsigned-module";
        assert_eq!(seen.errors(), [(1, slug, "certain")], "{branch}:\n{}", seen.text);
        assert!(seen.commands(slug).iter().any(|command| command.contains("mokutil --import")));
    });
}

#[test]
fn nouveau_in_the_place_of_the_driver() {
    let machine = |version| {
        let tree = Tree::new();
        tree.gpu(ADDRESS, "0x10de", "0x27b8", "0x030200", Some("nouveau"))
            .module_loaded("nouveau", None)
            .module_file(KERNEL, "updates/dkms/nvidia.ko", &Module::closed(version))
            .live_dev();
        tree
    };
    with_each_branch(machine, "true", |seen, branch| {
        let errors = seen.errors();
        assert_eq!((errors.len(), errors[0].0, errors[0].1), (1, 1, "nouveau-bound"), "{branch}:\n{}", seen.text);
        assert!(["certain", "likely"].contains(&errors[0].2));
        assert!(seen.commands("nouveau-bound").iter().any(|command| command.contains("blacklist nouveau")));
    });
}

#[test]
fn nodes_that_this_user_may_not_open() {
    needs_root();
    for (branch, version) in BRANCHES {
        let (tree, stage) = (with_driver(version), public_folder());
        let driver = stage.path().join("driver");
        let check = Check::new().on(tree.path()).by_nobody().mount(&part(&format!("driver-{branch}")), &driver);
        let seen = check.driver_in(&driver).dev(NODES_OF_A_GROUP).without_frameworks().run();
        assert_eq!(seen.errors(), [(1, "device-node-permission", "certain")], "{branch}:\n{}", seen.text);
        // What the real libraries make of it: 4 is "no permission", and CUDA's 100 tells nothing.
        assert_eq!(seen.fact("nvml.init")["value"], 4, "{branch}");
        assert_eq!(seen.fact("cuda.init")["value"], 100, "{branch}");
        assert_eq!(seen.row("nvml"), [("fail", vec!["nvml-init(4)"])]);
        let commands = seen.commands("device-node-permission");
        assert!(commands.iter().any(|command| command.contains("usermod -aG video")), "{commands:?}");
    }
}

#[test]
fn nodes_that_nobody_made() {
    needs_root();
    let powerless = ["setpriv", "--bounding-set=-mknod", "--inh-caps=-mknod"];
    for (branch, version) in BRANCHES {
        let tree = with_driver(version);
        let check = Check::new().on(tree.path()).driver(branch).dev("true").through(powerless);
        let seen = check.without_frameworks().run();
        assert_eq!(seen.fact("nvml.init")["value"], 9, "{branch}");
        // No cause has a name for it; the one that says "not working" must not say that the module is to be loaded.
        assert_eq!(seen.errors(), [(1, "driver-not-working", "possible")], "{branch}:\n{}", seen.text);
        let commands = seen.commands("driver-not-working");
        assert_eq!(commands[0], "nvidia-smi");
        assert!(!commands.iter().any(|command| command.contains("modprobe")), "{commands:?}");
    }
}

/// A control group of the devices controller that takes NVIDIA's nodes away, as a container has it after `systemctl
/// daemon-reload`. It goes with its value.
struct DeviceGroup(std::path::PathBuf);

impl DeviceGroup {
    fn without_nvidia() -> DeviceGroup {
        let controller = Path::new("/sys/fs/cgroup/devices");
        assert!(
            controller.join("devices.list").exists(),
            "this test needs the devices controller of cgroup v1, mounted at {}",
            controller.display()
        );
        let group = controller.join(format!("gpu-doctor-test-{}", std::process::id()));
        std::fs::create_dir(&group).expect("make a control group");
        std::fs::write(group.join("devices.deny"), "c 195:* rwm").expect("deny the devices");
        DeviceGroup(group)
    }

    /// Runs what follows inside.
    fn enter(&self) -> [String; 4] {
        let script = format!("echo $$ >{}/cgroup.procs; exec \"$@\"", self.0.display());
        ["bash".to_string(), "-c".to_string(), script, "enter".to_string()]
    }
}

impl Drop for DeviceGroup {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.0);
    }
}

/// The causes that mean "a device cgroup forbids it".
const BY_CGROUP: [&str; 3] =
    ["container-cgroup-device-access-lost", "container-no-cgroups-setting", "scheduler-no-gpu-allocated"];

#[test]
fn nodes_that_a_control_group_forbids() {
    needs_root();
    let group = DeviceGroup::without_nvidia();
    for (branch, version) in BRANCHES {
        let tree = with_driver(version);
        let check = Check::new().on(tree.path()).driver(branch).dev(REAL_NODES).through(group.enter());
        let seen = check.without_frameworks().run();
        assert_eq!((seen.verdict(), seen.code), ("not_ready", 1), "{branch}");
        // As root, with the right numbers and mode: EPERM. The real libraries say 999 and 100, nvidia-smi "Unknown Error".
        assert_eq!(
            seen.row("device-access")[0],
            ("fail", vec!["node-open(nvidiactl, EPERM)"]),
            "{branch}:\n{}",
            seen.text
        );
        assert_eq!(seen.fact("nvml.init")["value"], 999, "{branch}");
        assert_eq!(seen.fact("cuda.init")["value"], 100, "{branch}");
        // Nothing here tells a container, a service or a job apart.
        let errors = seen.errors();
        assert!(errors.iter().any(|(_, slug, _)| *slug == BY_CGROUP[0]), "{branch}:\n{}", seen.text);
        for (group, slug, confidence) in errors {
            assert!(group == 1 && BY_CGROUP.contains(&slug) && confidence != "certain", "{branch}:\n{}", seen.text);
        }
    }
}

/// The lab's image under a name of its own. It goes with its value.
struct Image(String);

impl Image {
    fn import() -> Image {
        let image = Image(format!("gpu-doctor-test-{}", std::process::id()));
        let script =
            format!("tar -C '{}' -c . | podman import --quiet - {}", part("podman").join("rootfs").display(), image.0);
        let output = Command::new("bash").args(["-c", &script]).output().unwrap();
        assert!(output.status.success(), "podman import failed: {}", String::from_utf8_lossy(&output.stderr));
        image
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        let _ = Command::new("podman").args(["rmi", "--force", &self.0]).output();
    }
}

#[test]
fn nodes_that_a_real_container_may_not_open() {
    needs_root();
    let image = Image::import();
    for ((branch, version), old) in BRANCHES.into_iter().flat_map(|branch| [(branch, false), (branch, true)]) {
        let (tree, out) = (with_driver(version), public_folder());
        // The container's own signs, not those of the tree.
        tree.remove("proc/self").link("/run", "run");
        tree.link("/proc/self", "proc/self").link("/proc/1", "proc/1");
        // Started just now, or two hours ago by the clock of the tree.
        let uptime = std::fs::read_to_string("/proc/uptime").unwrap();
        let uptime: f64 = uptime.split(' ').next().unwrap().parse().unwrap();
        tree.file("proc/uptime", format!("{:.2} 1.00\n", uptime + if old { 7200.0 } else { 30.0 }));
        open_to_all(tree.path(), 0o755);
        // The default list of devices lets a container make nodes and not open them: the state of one that lost its GPU.
        let script = "mknod -m 666 /dev/nvidiactl c 195 255; mknod -m 666 /dev/nvidia0 c 195 0; \
                      mknod -m 666 /dev/nvidia-uvm c 510 0; exec /gpu-doctor check --json --root /tree --root-live \
                      --skip framework --skip tensor --save /out/snapshot.json";
        let volumes = [
            "/usr:/usr:ro".to_string(),
            format!("{}:/tree:ro", tree.path().display()),
            format!("{}:/driver:ro", part(&format!("driver-{branch}")).display()),
            format!("{}:/gpu-doctor:ro", env!("CARGO_BIN_EXE_gpu-doctor")),
            format!("{}:/out", out.path().display()),
        ];
        let mut command = Command::new("podman");
        command.args(["--runtime", "/usr/sbin/runc", "run", "--rm", "--network=none", "--cap-add=MKNOD"]);
        command.args(["--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1024:1024"]);
        command.args(["-e", "LD_LIBRARY_PATH=/driver/lib", "-e", "PATH=/driver/bin:/usr/bin:/bin"]);
        command.args(volumes.iter().flat_map(|volume| ["-v", volume]));
        let output = command.args([&image.0, "/bin/busybox", "sh", "-c", script]).output().unwrap();
        let seen = Seen::of_snapshot(&output, &out.path().join("snapshot.json"));
        assert_eq!((seen.verdict(), seen.code), ("not_ready", 1), "{branch}");
        assert_eq!(
            seen.row("device-access")[0],
            ("fail", vec!["node-open(nvidiactl, EPERM)"]),
            "{branch}:\n{}",
            seen.text
        );
        assert_eq!(seen.fact("nvml.init")["value"], 999, "{branch}");
        assert_eq!(seen.fact("host.container")["value"]["engine"], "podman", "{branch}");
        // EPERM from the first second on is more likely a setting; later it is more likely a loss. Neither is ever certain.
        let (likely, possible) = if old { (BY_CGROUP[0], BY_CGROUP[1]) } else { (BY_CGROUP[1], BY_CGROUP[0]) };
        assert_eq!(seen.errors(), [(1, likely, "likely"), (1, possible, "possible")], "{branch}:\n{}", seen.text);
        for slug in [likely, possible] {
            let commands = seen.commands(slug);
            assert!(commands.contains(&"podman restart CONTAINER"), "{commands:?}");
            assert!(!commands.iter().any(|command| command.contains("docker")), "{commands:?}");
        }
    }
}

#[test]
fn libraries_of_another_version_than_the_module() {
    needs_root();
    // The stand-in answers the version check of the real libraries as a module of another version does.
    let stand_in = shared_library("version-check.c");
    for (branch, library) in BRANCHES {
        for module in ["565.57.01", "460.32.03"] {
            let tree = with_driver(module);
            let check = Check::new().on(tree.path()).driver(branch).dev(OPEN_NODES);
            let check = check.preloaded(&stand_in.path().join("library.so"));
            let seen = check.variable("GPU_DOCTOR_MODULE_VERSION", module).without_frameworks().run();
            let slug = "driver-library-version-mismatch";
            assert_eq!(seen.errors(), [(1, slug, "certain")], "{branch}:\n{}", seen.text);
            assert_eq!(seen.fact("nvml.init")["value"], 18, "{branch}");
            let message = seen.cause(slug)["message"].as_str().unwrap();
            assert!(message.contains(module) && message.contains(library), "{branch}: {message}");
            // A restart loads the module that is on the disk; it helps only against a module that is older than its libraries.
            let restart = seen.commands(slug).iter().any(|command| command.contains("reboot"));
            assert_eq!(restart, module == "460.32.03", "{branch}, {module}:\n{}", seen.text);
        }
    }
}

#[test]
fn libraries_of_another_version_and_no_answer() {
    needs_root();
    // Nothing answers the real libraries here, so NVML says 9; the versions differ all the same.
    let tree = with_driver("550.163.01");
    let seen = Check::new().on(tree.path()).driver("535").dev(OPEN_NODES).without_frameworks().run();
    assert_eq!(seen.fact("nvml.init")["value"], 9);
    // 9 says that there is no driver, so the versions are a lead and no proof: 18 would be one.
    assert_eq!(seen.errors()[0], (1, "driver-library-version-mismatch", "possible"), "{}", seen.text);
}

// ---- 3: the toolkit's stub ----

#[test]
fn the_stub_is_found_out_by_the_experiment() {
    needs_root();
    let (tree, fakes) = (with_driver("535.261.03"), fakes(WORKING_L4));
    let stubs = part("stubs").join("lib");
    let check = Check::new().on(tree.path()).dev(OPEN_NODES).loader_finds(fakes.path());
    // With the path, the real stub NVML prints its banner, and stdout is one document all the same.
    let seen = check.variable("LD_LIBRARY_PATH", &stubs).without_frameworks().run();
    assert_eq!((seen.verdict(), seen.code), ("not_ready", 1));
    assert_eq!(seen.errors(), [(1, "libcuda-stub-loaded", "certain")], "{}", seen.text);
    assert_eq!(seen.fact("cuda.init")["value"], 34);
    let experiment = "without LD_LIBRARY_PATH, cuInit gives 0";
    assert!(seen.evidence("libcuda-stub-loaded").contains(&experiment), "{}", seen.text);
    assert!(seen.commands("libcuda-stub-loaded").contains(&"unset LD_LIBRARY_PATH"), "{}", seen.text);

    // Without it, the same machine works.
    let check = Check::new().on(tree.path()).dev(OPEN_NODES).loader_finds(fakes.path());
    let seen = check.variable("PATH", format!("{}:/usr/bin:/bin", fakes.path().display())).without_frameworks().run();
    assert_eq!((seen.verdict(), seen.code, seen.errors()), ("ready", 0, vec![]), "{}", seen.text);
}

// ---- 4: a real CUDA build of torch ----

#[test]
fn torchs_sentence_about_an_old_driver_does_not_hide_what_the_nodes_say() {
    needs_root();
    let (tree, stage) = (with_driver("535.261.03"), public_folder());
    let (torch, driver) = (stage.path().join("torch"), stage.path().join("driver"));
    let check = Check::new().on(tree.path()).by_nobody().mount(&part("torch-cuda"), &torch);
    let check = check.mount(&part("driver-535"), &driver).interpreter_of(&part("torch-cuda"), stage.path());
    let seen = check.driver_in(&driver).dev(NODES_OF_A_GROUP).python(&torch).run();
    assert_eq!((seen.verdict(), seen.code), ("not_ready", 1));
    // torch blames the driver's age, and cuInit says only 100.
    let said = seen.facts("framework.message");
    let blames = |fact: &&serde_json::Value| fact.to_string().contains("too old (found version 12020)");
    assert!(said.iter().any(blames), "{said:?}");
    assert_eq!(seen.fact("cuda.init")["value"], 100);
    // The nodes say what it is. That a CUDA 13 build also wants driver 580 is true as well, and a fault of its own.
    assert_eq!(
        seen.errors(),
        [(1, "device-node-permission", "certain"), (2, "driver-too-old-for-cuda-runtime", "certain")],
        "{}",
        seen.text
    );
    assert!(!seen.evidence("device-node-permission").iter().any(|text| text.contains("too old")));
}

// ---- 5: other builds of torch ----

#[test]
fn torch_without_its_cuda_wheels_is_named_by_its_exception() {
    needs_root();
    let (tree, fakes) =
        (with_driver("580.95.05"), fakes(&WORKING_L4.replace("535.261.03", "580.95.05").replace("12020", "13000")));
    let torch = part("torch-nowheels");
    let before = trace(&torch);
    let check = Check::new().on(tree.path()).dev(OPEN_NODES).loader_finds(fakes.path()).python(&torch);
    let seen = check.variable("PATH", format!("{}:/usr/bin:/bin", fakes.path().display())).run();
    assert_eq!((seen.verdict(), seen.code), ("not_ready", 1));
    assert_eq!(seen.errors(), [(1, "torch-import-fails", "certain")], "{}", seen.text);
    let message = seen.cause("torch-import-fails")["message"].as_str().unwrap();
    assert!(message.contains("ValueError: libcublasLt.so.*[0-9] not found in the system path"), "{message}");
    // uv installed it.
    let commands = seen.commands("torch-import-fails");
    assert!(
        commands[0].starts_with("uv pip uninstall --python ") && commands[0].contains("torch==2.13.0"),
        "{commands:?}"
    );
    assert_unchanged(&torch, &before);
}

#[test]
fn a_cpu_only_torch_on_a_gpu_that_works() {
    needs_root();
    let (tree, fakes, torch) = (with_driver("535.261.03"), fakes(WORKING_L4), part("torch-cpu"));
    let before = trace(&torch);
    let check = Check::new().on(tree.path()).dev(OPEN_NODES).loader_finds(fakes.path()).python(&torch);
    let seen = check.variable("PATH", format!("{}:/usr/bin:/bin", fakes.path().display())).run();
    assert_eq!((seen.verdict(), seen.code), ("not_ready", 1));
    assert_eq!(seen.row("cuda-kernel"), [("pass", vec![])]);
    assert_eq!(seen.errors(), [(1, "torch-cpu-only-wheel", "certain")], "{}", seen.text);
    let python = torch.join("bin/python");
    let commands = seen.commands("torch-cpu-only-wheel");
    assert!(
        commands.iter().all(|command| command.starts_with(&format!("{} -m pip ", python.display()))),
        "{commands:?}"
    );
    // CUDA 12.6 is the newest family of wheels that driver 535 serves and that still has code for the L4.
    assert!(commands.iter().any(|command| command.contains("/whl/cu126")), "{commands:?}");
    assert_unchanged(&torch, &before);
}

/// The real CPU-only torch as another package manager would have left it: a copy that shares its files.
fn installed_by(manager: &str) -> tempfile::TempDir {
    let folder = public_folder();
    // Links where they can be made: only names are changed below, never what is in a file.
    let copy = |how: &str| Command::new("cp").arg(how).arg(part("torch-cpu")).arg(folder.path()).output().unwrap();
    assert!(copy("-aTl").status.success() || copy("-aTf").status.success(), "the copy of torch-cpu failed");
    let site = folder.path().join("lib/python3.11/site-packages");
    std::fs::remove_dir_all(site.join("torch-1.13.0a0+gitunknown.egg-info")).expect("Debian's metadata");
    let metadata = "Metadata-Version: 2.1\nName: torch\nVersion: 1.13.0\n";
    let wheel = |installer: &str| {
        let info = site.join("torch-1.13.0.dist-info");
        std::fs::create_dir(&info).unwrap();
        std::fs::write(info.join("METADATA"), metadata).unwrap();
        std::fs::write(info.join("INSTALLER"), format!("{installer}\n")).unwrap();
    };
    match manager {
        "conda" => {
            let meta = folder.path().join("conda-meta");
            std::fs::create_dir(&meta).unwrap();
            std::fs::write(meta.join("history"), "==> 2026-01-31 12:00:00 <==\n").unwrap();
            let package =
                r#"{"name": "pytorch", "version": "1.13.0", "build": "cpu_py311h410fd25_0", "channel": "conda-forge"}"#;
            std::fs::write(meta.join("pytorch-1.13.0-cpu_py311h410fd25_0.json"), package).unwrap();
            wheel("conda");
        }
        installer => wheel(installer),
    }
    folder
}

#[test]
fn the_command_is_for_the_manager_that_installed_it() {
    needs_root();
    let (tree, fakes) = (with_driver("535.261.03"), fakes(WORKING_L4));
    for manager in ["pip", "uv", "conda"] {
        let environment = installed_by(manager);
        let check = Check::new().on(tree.path()).dev(OPEN_NODES).loader_finds(fakes.path()).python(environment.path());
        let seen = check.variable("PATH", format!("{}:/usr/bin:/bin", fakes.path().display())).run();
        // What conda chose has a cause of its own.
        let slug = if manager == "conda" { "conda-cpu-build-selected" } else { "torch-cpu-only-wheel" };
        assert_eq!(seen.errors(), [(1, slug, "certain")], "{manager}:\n{}", seen.text);
        let prefix = environment.path().display();
        let first = match manager {
            "pip" => format!("{prefix}/bin/python -m pip uninstall"),
            "uv" => format!("uv pip uninstall --python {prefix}/bin/python torch; uv pip install --python"),
            _ => format!("conda install -p {prefix} "),
        };
        let commands = seen.commands(slug);
        assert!(commands[0].starts_with(&first), "{manager}: {commands:?}");
        let others = ["-m pip uninstall", "uv pip", "conda install"].iter().filter(|other| !first.contains(*other));
        let foreign: Vec<_> = others.filter(|other| commands.iter().any(|command| command.contains(*other))).collect();
        assert!(foreign.is_empty(), "{manager}: {commands:?}");
    }
}

#[test]
fn a_cpu_only_torch_behind_a_dead_driver_is_a_second_fault() {
    needs_root();
    let (tree, torch) = (with_gpu(), part("torch-cpu"));
    tree.module_file(KERNEL, "updates/dkms/nvidia.ko", &Module::closed("535.261.03"));
    let seen = Check::new().on(tree.path()).driver("535").dev("true").python(&torch).run();
    assert_eq!((seen.verdict(), seen.code), ("not_ready", 1));
    let mut errors = seen.errors();
    errors.sort_by_key(|(_, slug, _)| *slug);
    let [(driver, "kernel-module-not-loaded", "likely"), (wheel, "torch-cpu-only-wheel", "certain")] = errors[..]
    else {
        panic!("{errors:?}\n{}", seen.text)
    };
    assert_ne!(driver, wheel, "two faults are two groups");
}

// ---- libtorch without Python ----

/// The helper, beside a copy of the program, and the libtorch of the real CUDA build.
#[cfg(feature = "torch")]
#[test]
fn the_helper_asks_the_real_libtorch() {
    needs_root();
    let (tree, torch) = (with_driver("535.261.03"), part("torch-cuda"));
    let check = Check::new().on(tree.path()).dev(REAL_NODES).driver("535").python(&torch);
    let seen = check.run();
    // It was found, loaded with its CUDA part, and asked; what it saw is the truth here: no GPU.
    let fact = seen.fact("libtorch.helper");
    assert_eq!(fact["state"], "seen", "{fact}");
    assert_eq!(fact["value"]["cuda_available"], false, "{fact}");
    assert_eq!(fact["value"]["device_count"], 0, "{fact}");
    let folder = fact["value"]["folder"].as_str().unwrap();
    assert!(folder.starts_with(torch.to_str().unwrap()) && folder.ends_with("torch/lib"), "{folder}");
    let tensor = seen.report["checks"].as_array().unwrap().iter().filter(|row| row["id"] == "tensor");
    let said: Vec<&str> = tensor.filter_map(|row| row["summary"].as_str()).collect();
    assert!(said.iter().any(|text| text.starts_with("libtorch") && text.contains("no GPU")), "{said:?}");
    // Another torch is not asked through it: it would not start.
    let seen = Check::new().on(tree.path()).dev(REAL_NODES).driver("535").python(&part("torch-cpu")).run();
    let fact = seen.fact("libtorch.helper");
    assert_eq!(fact["state"], "failed", "{fact}");
    assert!(fact.to_string().contains("1.13.0") && fact.to_string().contains("2.13.0"), "{fact}");
}
