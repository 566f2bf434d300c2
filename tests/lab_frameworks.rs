//! The frameworks people use, as they are really installed: what is read of them, and what is the matter with them on a
//! machine without a GPU and on one with a GPU that works.
//!
//! The packages are real; the GPU and its driver are a described tree with the lab's fakes. See `tests/lab/README.md`.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods)]

mod common;

use common::stage::{Check, OPEN_NODES, Seen, assert_unchanged, fakes, needs_root, part, trace};
use common::tree::{KERNEL, Module, Tree};

const ADDRESS: &str = "0000:01:00.0";
/// A driver that runs every CUDA there is a part for: 13.0.
const DRIVER: &str = "580.95.05";
const WORKING_L4: &str = "driver_version = 580.95.05\ncuda_version = 13000\n\
     [gpu 0]\nname = NVIDIA L4\ncc = 8.9\nmemory_total = 23034\npci = 0000:01:00.0\n";

/// What the metadata of each part say: packages with their versions. Those that the part's recipe pins.
const INSTALLED: [(&str, &[(&str, &str)]); 9] = [
    ("torch-cu121", &[("torch", "2.4.1")]),
    ("jax", &[("jax", "0.10.2"), ("jaxlib", "0.10.2")]),
    (
        "jax-cuda12",
        &[("jax", "0.10.2"), ("jaxlib", "0.10.2"), ("jax-cuda12-plugin", "0.10.2"), ("jax-cuda12-pjrt", "0.10.2")],
    ),
    ("tensorflow", &[("tensorflow", "2.21.0")]),
    ("onnxruntime", &[("onnxruntime", "1.32.0")]),
    ("onnxruntime-gpu", &[("onnxruntime-gpu", "1.31.1")]),
    ("onnxruntime-both", &[("onnxruntime", "1.32.0"), ("onnxruntime-gpu", "1.31.1")]),
    ("cupy", &[("cupy-cuda12x", "14.2.0")]),
    ("cupy-two", &[("cupy-cuda11x", "13.6.0"), ("cupy-cuda12x", "14.2.0")]),
];

/// A part on this machine, which has no GPU; nothing in it changes.
fn here(name: &str) -> Seen {
    let environment = part(name);
    let before = trace(&environment);
    let seen = Check::new().python(&environment).run();
    assert_unchanged(&environment, &before);
    seen
}

/// A part on a machine whose L4 and driver work.
fn with_gpu(name: &str) -> Seen {
    needs_root();
    let tree = Tree::new();
    tree.gpu(ADDRESS, "0x10de", "0x27b8", "0x030200", Some("nvidia"))
        .driver_loaded(DRIVER)
        .gpu_information(ADDRESS, "NVIDIA L4", 0)
        .module_file(KERNEL, "updates/dkms/nvidia.ko", &Module::closed(DRIVER))
        .live_dev();
    let (fakes, environment) = (fakes(WORKING_L4), part(name));
    let before = trace(&environment);
    let check = Check::new().on(tree.path()).dev(OPEN_NODES).loader_finds(fakes.path()).python(&environment);
    let seen = check.variable("PATH", format!("{}:/usr/bin:/bin", fakes.path().display())).run();
    assert_unchanged(&environment, &before);
    seen
}

/// The packages that a run saw, with their versions.
fn packages(seen: &Seen) -> Vec<(&str, &str)> {
    let facts = seen.facts("python.package");
    facts.iter().filter_map(|f| Some((f["value"]["name"].as_str()?, f["value"]["version"].as_str()?))).collect()
}

#[test]
fn the_packages_are_read_from_their_metadata() {
    for (name, expected) in INSTALLED {
        let seen = here(name);
        let found = packages(&seen);
        for package in expected {
            assert_eq!(found.iter().filter(|p| *p == package).count(), 1, "{name}: {package:?} in {found:?}");
        }
        // A wheel of another framework is in none of them.
        let families = ["torch", "jax", "tensorflow", "onnxruntime", "cupy"];
        let family = families.iter().find(|family| name.starts_with(**family)).expect("a family");
        let foreign = found.iter().filter(|(p, _)| families.iter().any(|f| f != family && p.starts_with(f)));
        assert_eq!(foreign.count(), 0, "{name}: {found:?}");
    }
}

#[test]
fn two_packages_of_one_framework_are_named_with_and_without_a_gpu() {
    for (name, slug, message) in [
        ("cupy-two", "cupy-multiple-packages", "cupy-cuda11x"),
        ("onnxruntime-both", "onnxruntime-cpu-and-gpu-both-installed", "onnxruntime-gpu"),
    ] {
        for seen in [here(name), with_gpu(name)] {
            assert_eq!(seen.cause(slug)["confidence"], "certain", "{name}:\n{}", seen.text);
            assert!(seen.evidence(slug).iter().any(|text| text.contains(message)), "{name}:\n{}", seen.text);
        }
    }
}

/// What a part shows of itself on a machine without a GPU, by the facts of its only framework.
#[test]
fn each_framework_says_what_it_is_built_for_and_that_there_is_no_gpu() {
    // Part, framework, CUDA of the build, whether the import goes well.
    let expected = [
        ("torch-cu121", "torch", Some("12.1"), false),
        ("jax", "jax", None, true),
        ("jax-cuda12", "jax", Some("12"), true),
        ("tensorflow", "tensorflow", Some("12.5"), true),
        ("onnxruntime", "onnxruntime", None, true),
        ("onnxruntime-gpu", "onnxruntime", Some("13.0"), true),
        ("onnxruntime-both", "onnxruntime", None, true),
        ("cupy", "cupy", Some("12"), true),
    ];
    for (name, framework, cuda, imports) in expected {
        let seen = here(name);
        let id = format!("{framework}@{}", part(name).display());
        for key in ["framework.build", "framework.import", "framework.available"] {
            assert!(seen.facts(key).iter().all(|fact| fact["subject"]["id"] == id), "{name}: {:?}", seen.facts(key));
        }
        assert_eq!(seen.fact("framework.build")["value"]["cuda"].as_str(), cuda, "{name}");
        assert_eq!(seen.fact("framework.import")["value"]["ok"], imports, "{name}");
        if imports {
            assert_eq!(seen.fact("framework.available")["value"], false, "{name}");
        }
        assert_eq!(seen.errors()[0], (1, "no-nvidia-gpu-present", "certain"), "{name}:\n{}", seen.text);
    }
}

/// The root cause on a machine whose GPU and driver work, and the first command against it.
#[test]
fn each_fault_has_its_name_and_its_command_where_a_gpu_works() {
    let expected = [
        ("torch-cu121", "torch-import-fails", "\"torch==2.4.1\""),
        ("jax", "jaxlib-cpu-only", "\"jax[cuda13]\""),
        ("jax-cuda12", "jax-plugin-cuda-libs-not-loadable", "\"jax[cuda13]\""),
        ("onnxruntime", "onnxruntime-cpu-only", "\"onnxruntime-gpu[cuda,cudnn]\""),
        ("onnxruntime-gpu", "onnxruntime-cuda-libs-missing", "\"onnxruntime-gpu[cuda,cudnn]\""),
        ("onnxruntime-both", "onnxruntime-cpu-and-gpu-both-installed", "\"onnxruntime-gpu[cuda,cudnn]\""),
        ("cupy-two", "cupy-multiple-packages", "\"cupy-cuda13x[ctk]\""),
        ("numba-cuda", "numba-cuda-libs-missing", "\"numba-cuda[cu13]\""),
    ];
    for (name, slug, package) in expected {
        let seen = with_gpu(name);
        assert_eq!((seen.verdict(), seen.code), ("not_ready", 1), "{name}:\n{}", seen.text);
        assert_eq!(seen.errors(), [(1, slug, "certain")], "{name}:\n{}", seen.text);
        let commands = seen.commands(slug);
        let mine = commands.iter().find(|command| command.contains(package));
        let mine = mine.unwrap_or_else(|| panic!("{name}: {commands:?}"));
        // Whoever made the environment is told.
        let python = part(name).join("bin/python").display().to_string();
        let tool = if name == "onnxruntime" { format!("{python} -m pip ") } else { "uv pip ".to_string() };
        assert!(mine.starts_with(&tool) && mine.contains(&python), "{name}: {mine}");
    }
}
