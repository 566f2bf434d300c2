//! The root cause of each part on a machine whose GPU and driver work, and the first command against it.

use crate::common::stage::part as folder;
use crate::machines::{asked_for, here, with_gpu};

/// What is wrong with a part where a GPU works: part, tool, root cause, what the command installs.
const FAULTS: &[(&str, &str, &str, &str)] = &[
    ("torch-nowheels", "uv", "torch-import-fails", "\"torch==2.13.0\""),
    ("torch-nowheels-pip", "pip", "torch-import-fails", "\"torch==2.13.0\""),
    ("torch-cu121", "uv", "torch-import-fails", "\"torch==2.4.1\""),
    ("jax", "uv", "jaxlib-cpu-only", "\"jax[cuda13]>="),
    ("jax-pip", "pip", "jaxlib-cpu-only", "\"jax[cuda13]>="),
    ("jax-cuda12", "uv", "jax-plugin-cuda-libs-not-loadable", "\"jax[cuda13]>="),
    ("tensorflow", "uv", "tf-cuda-libs-missing", "\"tensorflow[and-cuda]\""),
    ("tensorflow-pip", "pip", "tf-cuda-libs-missing", "\"tensorflow[and-cuda]\""),
    ("onnxruntime", "pip", "onnxruntime-cpu-only", "\"onnxruntime-gpu[cuda,cudnn]>="),
    ("onnxruntime-uv", "uv", "onnxruntime-cpu-only", "\"onnxruntime-gpu[cuda,cudnn]>="),
    ("onnxruntime-gpu", "uv", "onnxruntime-cuda-libs-missing", "\"onnxruntime-gpu[cuda,cudnn]>="),
    ("onnxruntime-gpu-pip", "pip", "onnxruntime-cuda-libs-missing", "\"onnxruntime-gpu[cuda,cudnn]>="),
    ("onnxruntime-gpu-cuda11", "uv", "onnxruntime-cuda-libs-missing", "\"onnxruntime-gpu[cuda,cudnn]>="),
    ("onnxruntime-both", "uv", "onnxruntime-cpu-and-gpu-both-installed", "\"onnxruntime-gpu[cuda,cudnn]>="),
    ("onnxruntime-both-pip", "pip", "onnxruntime-cpu-and-gpu-both-installed", "\"onnxruntime-gpu[cuda,cudnn]>="),
    ("cupy-two", "uv", "cupy-multiple-packages", "\"cupy-cuda13x[ctk]>="),
    ("cupy-two-pip", "pip", "cupy-multiple-packages", "\"cupy-cuda13x[ctk]>="),
    ("numba-cuda", "uv", "numba-cuda-libs-missing", "\"numba-cuda[cu13]>="),
];

#[test]
fn each_fault_has_its_name_and_its_command_where_a_gpu_works() {
    for (name, tool, slug, package) in FAULTS {
        let seen = with_gpu(name);
        assert_eq!((seen.verdict(), seen.code), ("not_ready", 1), "{name}:\n{}", seen.text);
        assert_eq!(seen.errors(), [(1, *slug, "certain")], "{name}:\n{}", seen.text);
        let commands = seen.commands(slug);
        // It may say from which release on.
        let package = package.trim_end_matches('"');
        let mine = commands.iter().find(|command| command.contains(package));
        let mine = mine.unwrap_or_else(|| panic!("{name}: {commands:?}"));
        // Whoever made the environment is told.
        let python = folder(name).join("bin/python").display().to_string();
        let tool = if *tool == "pip" { format!("{python} -m pip ") } else { "uv pip ".to_string() };
        assert!(mine.starts_with(&tool) && mine.contains(&python), "{name}: {mine}");
    }
}

#[test]
fn two_packages_of_one_framework_are_named_with_and_without_a_gpu() {
    for (name, slug, message) in [
        ("cupy-two", "cupy-multiple-packages", "cupy-cuda11x"),
        ("cupy-two-pip", "cupy-multiple-packages", "cupy-cuda11x"),
        ("onnxruntime-both", "onnxruntime-cpu-and-gpu-both-installed", "onnxruntime-gpu"),
        ("onnxruntime-both-pip", "onnxruntime-cpu-and-gpu-both-installed", "onnxruntime-gpu"),
    ] {
        for seen in [here(name), with_gpu(name)] {
            assert_eq!(seen.cause(slug)["confidence"], "certain", "{name}:\n{}", seen.text);
            assert!(seen.evidence(slug).iter().any(|text| text.contains(message)), "{name}:\n{}", seen.text);
        }
    }
}

#[test]
fn tensorflow_names_every_library_that_it_does_not_find() {
    let seen = with_gpu("tensorflow");
    let facts = seen.facts("framework.library");
    let mut missing: Vec<&str> = facts.iter().filter_map(|fact| fact["value"]["name"].as_str()).collect();
    missing.sort_unstable();
    // What its own loader asks for, by the sonames of CUDA 12.
    assert_eq!(
        missing,
        [
            "libcublas.so.12",
            "libcublasLt.so.12",
            "libcudart.so.12",
            "libcudnn.so.9",
            "libcufft.so.11",
            "libcusolver.so.11",
            "libcusparse.so.12"
        ]
    );
    assert!(seen.evidence("tf-cuda-libs-missing").iter().any(|text| text.contains("libcudnn.so.9")), "{}", seen.text);
}

/// Two faults that have nothing to do with each other: what is imported does not fit together, and there is no plugin.
#[test]
fn a_jax_that_refuses_its_jaxlib_is_named_by_its_exception() {
    let seen = with_gpu("jax-mismatch");
    let slugs: Vec<&str> = seen.errors().iter().map(|(_, slug, _)| *slug).collect();
    assert!(slugs.contains(&"framework-import-fails") && slugs.contains(&"jaxlib-cpu-only"), "{}", seen.text);
    let evidence = seen.evidence("framework-import-fails");
    assert!(evidence.iter().any(|text| text.contains("jaxlib is version 0.4.30")), "{evidence:?}");
}

/// Numba alone is there for the processor; what numba-cuda would need is told where somebody wants the GPU.
#[test]
fn numba_without_numba_cuda_is_no_fault_until_it_is_asked_for() {
    for name in ["numba", "numba-uv", "numba-old"] {
        let seen = with_gpu(name);
        assert_eq!((seen.verdict(), seen.errors()), ("ready", vec![]), "{name}:\n{}", seen.text);
        assert_eq!(seen.row("framework"), [("not_applicable", vec![])], "{name}");
        // It saw the GPU, and its compiler for it is not there.
        assert_eq!(seen.fact("framework.device_count")["value"], 1, "{name}");
        assert_eq!(seen.fact("framework.library")["value"]["name"], "libnvvm.so", "{name}");
        let tensor = &seen.fact("framework.tensor")["value"];
        assert_eq!((&tensor["ok"], &tensor["step"]), (&false.into(), &"compute".into()), "{name}: {tensor}");
        let said = tensor["message"].as_str().unwrap_or_default();
        assert!(said.contains("libNVVM cannot be found"), "{name}: {said}");
    }
}

#[test]
fn numba_without_numba_cuda_is_a_fault_for_who_asks_for_it() {
    for (name, tool) in [("numba", "-m pip install"), ("numba-uv", "uv pip install"), ("numba-old", "uv pip install")] {
        let seen = asked_for(name, "numba");
        assert_eq!((seen.verdict(), seen.code), ("not_ready", 1), "{name}:\n{}", seen.text);
        assert_eq!(seen.errors(), [(1, "numba-cuda-libs-missing", "certain")], "{name}:\n{}", seen.text);
        assert!(
            seen.evidence("numba-cuda-libs-missing").iter().any(|text| text.contains("libnvvm.so")),
            "{}",
            seen.text
        );
        let commands = seen.commands("numba-cuda-libs-missing");
        let mine = commands.iter().find(|command| command.contains("\"numba-cuda[cu13]"));
        assert!(mine.is_some_and(|command| command.contains(tool)), "{name}: {commands:?}");
    }
}

/// Numba's simulator computes the right result on the processor: that is no GPU.
#[test]
fn a_simulated_gpu_is_none() {
    let environment = folder("numba");
    let seen = crate::common::stage::Check::new().variable("NUMBA_ENABLE_CUDASIM", "1").python(&environment).run();
    assert_eq!(seen.fact("framework.available")["value"], false, "{}", seen.text);
    assert!(seen.facts("framework.tensor").is_empty(), "{}", seen.text);
    assert_eq!((seen.verdict(), seen.code), ("not_ready", 1), "{}", seen.text);
}
