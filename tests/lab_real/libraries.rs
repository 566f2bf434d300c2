//! A GPU, NVIDIA's real libraries, and something wrong between them; and the toolkit's stub in their place.

use crate::common::stage::*;
use crate::common::tree::{KERNEL, Module, Tree};
use crate::{ADDRESS, BRANCHES, WORKING_L4, with_driver, with_gpu};

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
