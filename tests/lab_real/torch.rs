//! Real builds of torch: for CUDA, without its wheels, for the processor; and libtorch without Python.

use crate::common::stage::*;
use crate::common::tree::{KERNEL, Module};
use crate::{WORKING_L4, with_driver, with_gpu};
use std::process::Command;

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
