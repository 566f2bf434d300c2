//! What is installed, read from files alone.

use crate::common::program::run;
use crate::{CLOSED, Found, Home, QUICK};
use std::time::Instant;

#[test]
fn six_environments_of_five_frameworks_take_no_time() {
    let home = Home::new();
    for (name, package, file) in [
        ("a", "torch", "torch/version.py"),
        ("b", "jax", "jax/version.py"),
        ("c", "tensorflow", "tensorflow/python/platform/build_info.py"),
        ("d", "onnxruntime-gpu", "onnxruntime/capi/build_and_package_info.py"),
        ("e", "cupy-cuda12x", "cupy/version.py"),
        ("f", "torch", "torch/version.py"),
    ] {
        let prefix = format!(".virtualenvs/{name}");
        let module = file.split('/').next().expect("a module");
        let files = [(&*format!("{module}/__init__.py"), ""), (file, "__version__ = '1.0'\ncuda = '12.4'\n")];
        home.venv(&prefix).package(&prefix, package, "1.0", &files);
        // As many other packages as an environment of its kind has.
        for n in 0..600 {
            let metadata = format!("{prefix}/lib/python3.11/site-packages/other_{n}-1.0.dist-info");
            std::fs::create_dir(home.at(&metadata)).expect("create a folder");
        }
    }
    let fastest = |arguments: &[&str]| {
        let once = |_| {
            let begun = Instant::now();
            run(home.command(arguments).arg("--json"));
            begun.elapsed()
        };
        (0..5).map(once).min().expect("a time")
    };
    let found = home.check(QUICK);
    assert_eq!(found.facts("framework.distribution").filter(|fact| fact["state"] == "seen").count(), 6);
    let (none, six) = (fastest(&["--quick"]), fastest(QUICK));
    // The promise is 60 ms, of a program that is built for speed on a machine that does nothing else (benches/check.rs); this
    // one is neither. What is held here is that six environments cost little beside the rest.
    assert!(six < none * 4 + std::time::Duration::from_millis(400), "{six:?} against {none:?} without environments");
}

const TORCH_CPU: &str = "__version__ = '2.6.0+cpu'\ncuda: Optional[str] = None\nhip: Optional[str] = None\n";
const TORCH_CUDA: &str = "__version__ = '2.6.0+cu124'\ncuda: Optional[str] = '12.4'\nhip: Optional[str] = None\n";

#[test]
fn what_is_installed_is_read_without_importing() {
    let home = Home::new();
    let venv = "project/.venv";
    home.venv(venv).package(venv, "torch", "2.6.0", &[("torch/__init__.py", "1/0"), ("torch/version.py", TORCH_CUDA)]);
    home.package(venv, "nvidia-cudnn-cu12", "9.1.0.70", &[]).package(venv, "requests", "2.0", &[]);
    home.package(
        venv,
        "onnxruntime",
        "1.20.0",
        &[("onnxruntime/__init__.py", ""), ("onnxruntime/capi/state.so", "cpu")],
    );
    home.package(
        venv,
        "onnxruntime-gpu",
        "1.20.1",
        &[("onnxruntime/__init__.py", ""), ("onnxruntime/capi/state.so", "for the gpu")],
    );
    home.file(
        "project/.venv/lib/python3.11/site-packages/onnxruntime/capi/build_and_package_info.py",
        "package_name = 'onnxruntime-gpu'\n__version__ = '1.20.1'\ncuda_version = '12.6'\n",
    );
    home.file("project/.venv/lib/python3.11/site-packages/~orch/x", "").file("project/torch.py", "");
    let found = home.check(&["--quick"]);
    let prefix = home.at(venv).display().to_string();
    let value = |key: &str, id: &str| {
        let id = id.replace('@', &format!("@{prefix}"));
        found.facts(key).find(|f| f["subject"]["id"] == id.as_str()).unwrap_or_else(|| panic!("{key} {id}"))["value"]
            .clone()
    };
    assert_eq!(value("framework.distribution", "torch@")["version"], "2.6.0+cu124");
    assert_eq!(value("framework.distribution", "torch@")["installer"], "pip");
    assert_eq!(value("framework.build", "torch@")["cuda"], "12.4");
    assert_eq!(value("framework.build", "onnxruntime@")["cuda"], "12.6");
    let packages: Vec<String> = found
        .facts("python.package")
        .map(|f| format!("{} {}", f["value"]["name"].as_str().unwrap(), f["value"]["version"].as_str().unwrap()))
        .collect();
    assert_eq!(packages, ["nvidia-cudnn-cu12 9.1.0.70", "onnxruntime 1.20.0", "onnxruntime-gpu 1.20.1", "torch 2.6.0"]);
    let overlap = &found.facts("python.overlap").next().expect("an overlap")["value"];
    assert_eq!(overlap["files"], 2);
    assert_eq!(overlap["example"], "onnxruntime/capi/state.so");
    assert_eq!(overlap["kept"], "onnxruntime-gpu 1.20.1");
    assert_eq!(found.facts("python.leftover").count(), 1);
    let shadow = found.facts("python.shadowed_by").next().expect("a shadow");
    assert_eq!(shadow["value"], home.at("project/torch.py").display().to_string());
}

#[test]
fn folders_of_packages_are_those_that_the_interpreter_would_search() {
    let home = Home::new();
    let torch = [("torch/__init__.py", ""), ("torch/version.py", TORCH_CPU)];
    // The user's own packages are closed to a venv, unless it is open to the system.
    home.venv("project/.venv").package(".local", "torch", "2.6.0", &torch);
    let found = home.check(&["--quick"]);
    assert!(found.facts("framework.distribution").all(|f| f["state"] == "absent"), "{}", found.text);
    home.file("project/.venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.7\ninclude-system-site-packages = true\n");
    let found = home.check(&["--quick"]);
    let place =
        |found: &Found| found.facts("framework.distribution").next().expect("torch")["value"]["location"].clone();
    assert_eq!(place(&found), home.at(".local/lib/python3.11/site-packages").display().to_string());
    // A .pth file adds a folder; PYTHONPATH comes before all.
    home.file("project/.venv/pyvenv.cfg", CLOSED);
    home.package("extra", "torch", "2.6.0", &torch);
    let extra = home.at("extra/lib/python3.11/site-packages").display().to_string();
    home.file("project/.venv/lib/python3.11/site-packages/more.pth", &format!("import sys\n{extra}\n"));
    assert_eq!(place(&home.check(&["--quick"])), extra);
    home.package("path", "torch", "2.6.0", &torch);
    let home = home.with("PYTHONPATH", "path/lib/python3.11/site-packages");
    let first = home.at("path/lib/python3.11/site-packages").display().to_string();
    assert_eq!(place(&home.check(&["--quick"])), first);
}

#[test]
fn quick_says_what_it_did_not_run_and_is_never_ready() {
    let home = Home::new();
    let venv = "project/.venv";
    home.venv(venv).package(venv, "torch", "2.6.0", &[("torch/__init__.py", ""), ("torch/version.py", TORCH_CUDA)]);
    let found = home.check(&["--quick"]);
    assert!(matches!(found.report["verdict"].as_str(), Some("inconclusive" | "not_ready")), "{}", found.text);
    assert!(found.text.contains("not run: the device nodes, nvidia-smi, NVML, libcuda, Python"), "{}", found.text);
    let rows = found.report["checks"].as_array().unwrap();
    assert!(rows.iter().all(|row| row["id"] != "tensor" || row["status"] != "pass"));
}

#[test]
fn one_line_tells_each_environment() {
    let home = Home::new();
    home.venv("project/.venv");
    home.package("project/.venv", "torch", "2.6.0", &[("torch/__init__.py", ""), ("torch/version.py", TORCH_CPU)]);
    home.venv(".virtualenvs/gpu");
    home.package(".virtualenvs/gpu", "torch", "2.6.0", &[("torch/__init__.py", ""), ("torch/version.py", TORCH_CUDA)]);
    home.venv(".virtualenvs/web");
    let found = home.check(QUICK);
    let flat: String = found.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let root = home.folder.path().canonicalize().unwrap().display().to_string();
    for line in [
        format!("in use: .venv of {root}/project: Python 3.11.7, pip; torch 2.6.0+cpu (no GPU code)"),
        format!("virtualenv gpu ({root}/.virtualenvs/gpu): Python 3.11.7, pip; torch 2.6.0+cu124 (CUDA 12.4)"),
        format!("virtualenv web ({root}/.virtualenvs/web): Python 3.11.7, pip; no framework"),
    ] {
        assert!(flat.contains(&line), "{line}\n{}", found.text);
    }
    assert!(found.slugs().contains(&"gpu-works-in-another-environment"), "{:?}", found.slugs());
    // What only --all-envs shows is no missing torch of the user's.
    assert!(!found.slugs().contains(&"torch-not-installed"), "{:?}", found.slugs());
}
