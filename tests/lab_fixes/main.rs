//! A fix that is printed for an environment works: its commands are run in a throw-away environment made by pip, uv, Poetry,
//! PDM, pipx or hatch, or declared by a project of theirs, and afterwards the cause is gone.
//!
//! The GPU is played by the lab's fakes. The packages come from `tests/lab/tiny-index`: only the address of an index is
//! put in place of the real one, everything else is run as it was printed.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods)]

#[path = "../common/mod.rs"]
mod common;
mod conda;
mod managers;

use common::fake::{Checked, Fake};
use common::stage::part;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const DRIVER: &str = "535.183.01";
const ADDRESS: &str = "0000:01:00.0";

/// One RTX 4090 with driver 535, both working.
fn workstation() -> Fake {
    let machine = Fake::new("one-gpu").driver(DRIVER, 1);
    machine.tree(|tree| {
        tree.rtx_4090(ADDRESS, Some("nvidia")).gpu_information(ADDRESS, "NVIDIA GeForce RTX 4090", 0);
    })
}

/// The same with a driver for which PyPI's own build is the right one.
fn with_a_new_driver() -> Fake {
    let scenario = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lab/fakes/scenarios/one-gpu");
    let text = std::fs::read_to_string(scenario).expect("a scenario");
    let text = text.replace(DRIVER, "580.95.05").replace("cuda_version = 12020", "cuda_version = 13000");
    Fake::told(&text).driver("580.95.05", 1).tree(|tree| {
        tree.rtx_4090(ADDRESS, Some("nvidia")).gpu_information(ADDRESS, "NVIDIA GeForce RTX 4090", 0);
    })
}

/// The indexes of hand-made wheels.
fn indexes() -> &'static Path {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    FOLDER
        .get_or_init(|| {
            let folder = tempfile::tempdir().expect("a folder");
            let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lab/tiny-index");
            let done = Command::new("python3").arg(script).arg(folder.path()).status().expect("python3");
            assert!(done.success(), "the indexes could not be made");
            folder
        })
        .path()
}

fn index(name: &str) -> String {
    format!("file://{}/{name}", indexes().display())
}

/// Runs a line of shell as the user of an environment would, with the indexes in place of the real ones.
fn shell(line: &str, folder: &Path) -> (bool, String) {
    let line = line.replace("https://download.pytorch.org/whl", &index("")).replace("//cu126", "/cu126");
    let tools = format!("{}/bin:{}/bin", part("tool-uv").display(), part("tool-managers").display());
    let python = python();
    // It would go before the index of the command; a project names its own.
    let named = line.contains("--index-url") || folder.join("pyproject.toml").exists();
    let default = (!named).then(|| ("UV_DEFAULT_INDEX", index("pypi")));
    let output = Command::new("bash")
        .args(["-c", &line])
        .current_dir(folder)
        .env_clear()
        .env("PATH", format!("{tools}:/usr/bin:/bin"))
        .env("HOME", folder)
        .env("PIP_INDEX_URL", index("pypi"))
        .env("PIP_DISABLE_PIP_VERSION_CHECK", "1")
        .envs(default)
        .env("UV_CACHE_DIR", folder.join(".uv-cache"))
        .env("UV_PYTHON", &python)
        .env("UV_PYTHON_DOWNLOADS", "never")
        // pip itself is in no hand-made index.
        .env("PIPX_DISABLE_SHARED_LIBS_AUTO_UPGRADE", "1")
        .output()
        .expect("bash");
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    (output.status.success(), format!("$ {line}\n{said}"))
}

/// The tester's interpreter itself, not a shim of it.
fn python() -> PathBuf {
    let output = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output().expect("python3");
    PathBuf::from(String::from_utf8(output.stdout).expect("a path").trim())
}

#[track_caller]
fn run(line: &str, folder: &Path) {
    let (well, said) = shell(line, folder);
    assert!(well, "{said}");
}

/// An environment made by a tool, with these packages installed one after the other.
fn environment(machine: &Fake, tool: &str, packages: &[&str]) -> PathBuf {
    let venv = machine.at("venv");
    let home = machine.at("home");
    let (make, install) = match tool {
        "pip" => {
            (format!("{} -m venv", python().display()), format!("{}/bin/python -m pip install -q", venv.display()))
        }
        _ => ("uv venv -q".to_string(), format!("uv pip install -q --python {}/bin/python", venv.display())),
    };
    run(&format!("{make} {}", venv.display()), &home);
    for package in packages {
        run(&format!("{install} {package}"), &home);
    }
    venv
}

fn slugs(checked: &Checked) -> Vec<&str> {
    let causes = checked.report["root_causes"].as_array().expect("a list");
    causes.iter().filter_map(|cause| cause["slug"].as_str()).collect()
}

/// The commands of a root cause, in their order.
fn commands(checked: &Checked, slug: &str) -> Vec<String> {
    let causes = checked.report["root_causes"].as_array().expect("a list");
    let cause =
        causes.iter().find(|cause| cause["slug"] == slug).unwrap_or_else(|| panic!("{slug}:\n{}", checked.text));
    let steps = cause["remedy"]["steps"].as_array().expect("steps");
    steps.iter().filter_map(|step| Some(step["command"].as_str()?.to_string())).collect()
}

/// Checks that the cause is there, runs the first command of its fix, and checks that it is gone.
#[track_caller]
fn mended(machine: &Fake, slug: &str, starts: &str) -> Checked {
    let before = machine.check(&[]);
    assert_eq!(slugs(&before), [slug], "{}", before.text);
    let command = commands(&before, slug).remove(0);
    assert!(command.starts_with(starts), "{command}");
    run(&command, &machine.at("home"));
    let after = machine.check(&[]);
    assert!(!slugs(&after).contains(&slug), "{command}\n{}", after.text);
    after
}

#[test]
fn a_torch_without_cuda_is_replaced_by_pip() {
    let machine = workstation();
    let venv = environment(&machine, "pip", &[&format!("torch --index-url {}", index("cpu"))]);
    let starts = format!("{}/bin/python -m pip uninstall -y torch && ", venv.display());
    mended(&machine, "torch-cpu-only-wheel", &starts).verdict("ready", 0).causes(&[]);
}

#[test]
fn a_torch_without_cuda_is_replaced_by_uv() {
    let machine = workstation();
    let venv = environment(&machine, "uv", &[&format!("torch --index-url {}", index("cpu"))]);
    let starts = format!("uv pip uninstall --python {}/bin/python torch; uv pip install ", venv.display());
    mended(&machine, "torch-cpu-only-wheel", &starts).verdict("ready", 0).causes(&[]);
}

/// A project of uv that takes torch from the index of builds without CUDA, installed.
fn project(home: &Path) {
    let declared = format!(
        "[project]\nname = \"mine\"\nversion = \"0.1\"\nrequires-python = \">=3.9\"\ndependencies = [\"torch\"]\n\n\
         [[tool.uv.index]]\nname = \"pytorch-cpu\"\nurl = \"{}\"\nexplicit = true\n\n\
         [[tool.uv.index]]\nname = \"pypi\"\nurl = \"{}\"\ndefault = true\n\n\
         [tool.uv.sources]\ntorch = {{ index = \"pytorch-cpu\" }}\n",
        index("cpu"),
        index("pypi")
    );
    std::fs::write(home.join("pyproject.toml"), declared).expect("write");
    run("uv sync -q", home);
}

#[test]
fn in_a_project_of_uv_the_build_comes_from_another_index_for_good() {
    let machine = workstation();
    let home = machine.at("home");
    project(&home);
    let slug = "torch-cpu-only-wheel";
    machine.check(&[]).verdict("not_ready", 1).causes(&[slug]);
    // A plain reinstall changes nothing.
    run("uv sync -q --reinstall-package torch", &home);
    let before = machine.check(&[]);
    before.verdict("not_ready", 1).causes(&[slug]);
    let commands = commands(&before, slug);
    let starts = format!("uv add --project {} --index pytorch-cu126=https://", home.display());
    assert!(commands.iter().any(|command| command.starts_with(&starts)), "{commands:?}");
    assert!(!commands.iter().any(|command| command.contains("pip install")), "{commands:?}");
    for command in &commands {
        run(command, &home);
    }
    machine.check(&[]).verdict("ready", 0).causes(&[]);
    // And the next sync keeps it.
    run("uv sync -q", &home);
    machine.check(&[]).verdict("ready", 0).causes(&[]);
}

#[test]
fn in_a_project_of_uv_the_build_comes_from_pypi_again() {
    let machine = with_a_new_driver();
    let home = machine.at("home");
    project(&home);
    let starts = format!("uv remove --project {0} torch; uv add --project {0} torch", home.display());
    mended(&machine, "torch-cpu-only-wheel", &starts).verdict("ready", 0).causes(&[]);
    run("uv sync -q", &home);
    machine.check(&[]).verdict("ready", 0).causes(&[]);
}

#[test]
fn both_packages_of_onnx_runtime_are_replaced_by_one() {
    for (tool, starts) in [("pip", "-m pip uninstall -y onnxruntime onnxruntime-gpu && "), ("uv", "uv pip uninstall ")]
    {
        let machine = workstation();
        environment(&machine, tool, &["onnxruntime-gpu", "onnxruntime"]);
        let before = machine.check(&[]);
        let slug = "onnxruntime-cpu-and-gpu-both-installed";
        let command = commands(&before, slug).remove(0);
        assert!(
            command.contains(starts) && command.contains("\"onnxruntime-gpu[cuda,cudnn]>=1.23,<1.27\""),
            "{command}"
        );
        run(&command, &machine.at("home"));
        let after = machine.check(&[]);
        assert!(!slugs(&after).iter().any(|slug| slug.starts_with("onnxruntime-cpu")), "{tool}:\n{}", after.text);
        let place = machine.prefix();
        let build = after.fact("framework.build", &format!("onnxruntime@{place}")).expect("a build");
        assert_eq!(build["value"]["cuda"], "12.8", "{tool}");
    }
}

#[test]
fn the_cpu_package_of_onnx_runtime_is_replaced() {
    for tool in ["pip", "uv"] {
        let machine = workstation();
        environment(&machine, tool, &["onnxruntime"]);
        mended(&machine, "onnxruntime-cpu-only", "");
    }
}

#[test]
fn jax_gets_its_plugin() {
    for tool in ["pip", "uv"] {
        let machine = workstation();
        environment(&machine, tool, &["jax"]);
        mended(&machine, "jaxlib-cpu-only", "");
    }
}

#[test]
fn of_two_cupys_one_stays() {
    for tool in ["pip", "uv"] {
        let machine = workstation();
        environment(&machine, tool, &["cupy-cuda12x", "cupy-cuda11x"]);
        let before = machine.check(&[]);
        let slug = "cupy-multiple-packages";
        let command = commands(&before, slug).remove(0);
        run(&command, &machine.at("home"));
        let after = machine.check(&[]);
        assert!(!slugs(&after).contains(&slug), "{tool}:\n{}", after.text);
        let facts = after.report["facts"].as_array().expect("facts");
        let cupys: Vec<&str> = facts
            .iter()
            .filter(|fact| fact["key"] == "python.package")
            .filter_map(|fact| fact["value"]["name"].as_str())
            .filter(|name| name.starts_with("cupy"))
            .collect();
        assert_eq!(cupys, ["cupy-cuda12x"], "{tool}");
    }
}
