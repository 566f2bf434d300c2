//! What the files of an environment show of what is wrong with its packages, on trees made here and through the real binary
//! with `--quick`: each is a fact, and the cause that it stands for.

#![cfg(unix)]
#![allow(clippy::disallowed_methods)]

mod common;

use common::program::{HEALTHY, doctor, file, run, snapshot};
use serde_json::Value;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// A home with one environment, in `venv` or in `conda`.
struct Home {
    folder: tempfile::TempDir,
    site: &'static str,
    variables: Vec<(&'static str, String)>,
}

/// What a check found.
struct Found {
    report: Value,
}

const VENV: &str = "venv/lib/python3.11/site-packages";
const CONDA: &str = "conda/lib/python3.11/site-packages";
const USER: &str = ".local/lib/python3.11/site-packages";
const CPU: &str = "__version__ = '2.6.0+cpu'\ncuda: Optional[str] = None\nhip: Optional[str] = None\n";
const CUDA: &str = "__version__ = '2.6.0+cu124'\ncuda: Optional[str] = '12.4'\nhip: Optional[str] = None\n";

impl Home {
    fn venv() -> Home {
        let mut home = Home::new(VENV);
        home.program("venv/bin/python", "#!/bin/sh\nexit 1\n");
        let settings = "home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.11.7\n";
        home.file("venv/pyvenv.cfg", settings);
        home.set("VIRTUAL_ENV", "venv");
        home
    }

    fn conda() -> Home {
        let mut home = Home::new(CONDA);
        home.program("conda/bin/python", "#!/bin/sh\nexit 1\n");
        home.file("conda/conda-meta/history", "").file("conda/conda-meta/python-3.11.7-h1_0_cpython.json", "{}");
        home.set("CONDA_PREFIX", "conda");
        home
    }

    fn new(site: &'static str) -> Home {
        let home = Home { folder: tempfile::tempdir().expect("a folder"), site, variables: Vec::new() };
        std::fs::create_dir_all(home.at(site)).expect("create folders");
        std::fs::create_dir(home.at("work")).expect("create a folder");
        home
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().expect("a path").join(path)
    }

    fn set(&mut self, name: &'static str, path: &str) {
        self.variables.push((name, self.at(path).display().to_string()));
    }

    fn file(&self, path: &str, text: &str) -> &Home {
        let path = self.at(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("create folders");
        std::fs::write(path, text).expect("write a file");
        self
    }

    fn program(&self, path: &str, text: &str) -> &Home {
        self.file(path, text);
        std::fs::set_permissions(self.at(path), std::fs::Permissions::from_mode(0o755)).expect("set permissions");
        self
    }

    /// A package in a folder as pip lays it: files, METADATA, RECORD, INSTALLER.
    fn package_in(&self, folder: &str, name: &str, version: &str, files: &[(&str, &str)]) -> &Home {
        let metadata = format!("{folder}/{}-{version}.dist-info", name.replace('-', "_"));
        let record: Vec<String> =
            files.iter().map(|(path, text)| format!("{path},sha256=x,{}\n", text.len())).collect();
        self.file(&format!("{metadata}/METADATA"), &format!("Name: {name}\nVersion: {version}\n"));
        self.file(&format!("{metadata}/RECORD"), &record.concat()).file(&format!("{metadata}/INSTALLER"), "pip\n");
        for (path, text) in files {
            self.file(&format!("{folder}/{path}"), text);
        }
        self
    }

    fn package(&self, name: &str, version: &str, files: &[(&str, &str)]) -> &Home {
        self.package_in(self.site, name, version, files)
    }

    fn torch_in(&self, folder: &str, version: &str, text: &str) -> &Home {
        self.package_in(folder, "torch", version, &[("torch/__init__.py", ""), ("torch/version.py", text)])
    }

    fn command(&self, arguments: &[&str]) -> assert_cmd::Command {
        let mut command = doctor();
        command.env_clear().env("HOME", self.at("")).env("PATH", "/nowhere").current_dir(self.at("work"));
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.args(["check", "--quick", "--json"]).args(arguments);
        command
    }

    fn check(&self, arguments: &[&str]) -> Found {
        let got = run(&mut self.command(arguments));
        Found { report: serde_json::from_str(&got.stdout).expect("JSON") }
    }
}

impl Found {
    /// What is said of the same environment on a machine with a GPU and a driver that work.
    fn beside_a_gpu(mut self) -> Found {
        let of_python = |fact: &Value| {
            fact["key"].as_str().is_some_and(|key| key.starts_with("python.") || key.starts_with("framework."))
        };
        let machine = snapshot(HEALTHY);
        let mut healthy: Value = serde_json::from_slice(&std::fs::read(machine.path()).expect("read")).expect("JSON");
        let mut facts: Vec<Value> = healthy["facts"].take().as_array().expect("facts").clone();
        facts.retain(|fact| !of_python(fact));
        facts.extend(self.report["facts"].as_array().expect("facts").iter().filter(|fact| of_python(fact)).cloned());
        healthy["facts"] = Value::from(facts);
        let input = file(healthy.to_string().as_bytes());
        let got = run(doctor().args(["check", "--json", "--from"]).arg(input.path()));
        self.report = serde_json::from_str(&got.stdout).expect("JSON");
        self
    }

    fn values(&self, key: &str) -> Vec<&Value> {
        let facts = self.report["facts"].as_array().expect("facts").iter();
        facts.filter(|fact| fact["key"] == key).map(|fact| &fact["value"]).collect()
    }

    #[track_caller]
    fn cause(&self, slug: &str) -> &Value {
        let all = self.report["root_causes"].as_array().expect("root causes");
        let slugs: Vec<&str> = all.iter().filter_map(|cause| cause["slug"].as_str()).collect();
        all.iter().find(|cause| cause["slug"] == slug).unwrap_or_else(|| panic!("{slug} is not in {slugs:?}"))
    }

    fn has(&self, slug: &str) -> bool {
        self.report["root_causes"].as_array().expect("root causes").iter().any(|cause| cause["slug"] == slug)
    }

    /// Every sentence of evidence of a cause.
    fn evidence(&self, slug: &str) -> String {
        let rows = self.cause(slug)["evidence"].as_array().expect("evidence");
        rows.iter().filter_map(|row| row["text"].as_str()).collect::<Vec<_>>().join("; ")
    }
}

#[test]
fn a_package_of_which_one_half_is_gone_is_named() {
    // The files are gone, or a folder of them without __init__.py is left.
    let home = Home::venv();
    home.package("torch", "2.6.0+cu124", &[]).file(&format!("{VENV}/torch/lib/libtorch.so"), "");
    let found = home.check(&["--framework", "torch"]);
    assert_eq!(found.values("python.damage")[0]["kind"], "no_files");
    assert_eq!(found.cause("package-metadata-damaged")["confidence"], "certain");
    assert!(!found.has("torch-not-installed"));
    let steps = found.cause("package-metadata-damaged")["remedy"]["steps"].to_string();
    let metadata = home.at(VENV).join("torch-2.6.0+cu124.dist-info");
    assert!(steps.contains(&format!("rm -r {}", metadata.display())), "{steps}");
    assert!(steps.contains("torch==2.6.0 --index-url https://download.pytorch.org/whl/cu124"), "{steps}");

    // METADATA is gone; the list of files is gone, which of conda's and the system's packages is no fault.
    let home = Home::venv();
    home.torch_in(VENV, "2.6.0", CUDA).package("triton", "3.2.0", &[("triton/__init__.py", "")]);
    home.package("numba", "0.61.0", &[("numba/__init__.py", "")]);
    for gone in ["torch-2.6.0.dist-info/METADATA", "triton-3.2.0.dist-info/RECORD", "numba-0.61.0.dist-info/RECORD"] {
        std::fs::remove_file(home.at(VENV).join(gone)).expect("remove a file");
    }
    home.file(&format!("{VENV}/numba-0.61.0.dist-info/INSTALLER"), "debian\n");
    let found = home.check(&[]);
    let kinds: Vec<String> =
        found.values("python.damage").iter().map(|v| format!("{} {}", v["package"], v["kind"])).collect();
    assert_eq!(kinds, ["\"torch\" \"no_metadata\"", "\"triton\" \"no_record\""]);
    assert_eq!(found.cause("package-metadata-damaged")["severity"], "note");

    // What is whole is not named.
    let home = Home::venv();
    home.torch_in(VENV, "2.6.0", CUDA);
    assert!(home.check(&[]).values("python.damage").is_empty());
}

#[test]
fn leftovers_and_two_versions_of_one_package_are_named() {
    let home = Home::venv();
    home.torch_in(VENV, "2.6.0", CUDA).package("torch", "2.5.1", &[]).file(&format!("{VENV}/~orch/__init__.py"), "");
    home.file(&format!("{VENV}/~vidia_cudnn_cu12-9.1.0.70.dist-info/RECORD"), "");
    let found = home.check(&[]);
    assert_eq!(found.values("python.leftover").len(), 2);
    assert!(found.has("interrupted-install-leftovers"));
    assert_eq!(found.cause("package-installed-twice")["severity"], "note");
    assert!(found.evidence("package-installed-twice").contains("installed as well: torch 2.6.0"));
}

#[test]
fn packages_that_own_the_same_files_are_named_by_pair() {
    let share = |text: &'static str| [("onnxruntime/__init__.py", ""), ("onnxruntime/capi/state.so", text)];
    let home = Home::venv();
    home.package("onnxruntime", "1.20.0", &share("cpu")).package("onnxruntime-gpu", "1.20.1", &share("cuda, larger"));
    home.package("onnxruntime-directml", "1.20.2", &share("directml"));
    let found = home.check(&[]);
    assert_eq!(found.values("python.overlap").len(), 3);
    assert!(found.evidence("onnxruntime-cpu-and-gpu-both-installed").contains("they share 2 files"));
    let message = found.cause("packages-overwrite-each-other")["message"].to_string();
    assert!(message.contains("onnxruntime-directml 1.20.2"), "{message}");
    assert!(message.contains("those of onnxruntime-directml 1.20.2 lie there"), "{message}");

    let home = Home::venv();
    let files = |text: &'static str| [("cupy/__init__.py", ""), ("cupy/core.so", text)];
    home.package("cupy-cuda11x", "13.0.0", &files("eleven")).package(
        "cupy-cuda12x",
        "13.0.0",
        &files("twelve, larger"),
    );
    let found = home.check(&[]);
    assert!(
        found.evidence("cupy-multiple-packages").contains("they share 2 files; those of cupy-cuda12x 13.0.0 lie there")
    );
    assert!(!found.has("packages-overwrite-each-other"));

    for other in ["tensorflow-cpu", "intel-tensorflow"] {
        let home = Home::venv();
        let info = "tensorflow/python/platform/build_info.py";
        let files = |info_text: &'static str| [("tensorflow/__init__.py", ""), (info, info_text)];
        home.package(
            "tensorflow",
            "2.18.0",
            &files("build_info = collections.OrderedDict([('is_cuda_build', True)])\n"),
        );
        home.package(other, "2.18.0", &files("build_info = collections.OrderedDict([('is_cuda_build', False)])\n"));
        let found = home.check(&[]);
        assert_eq!(found.values("python.overlap").len(), 1, "{other}");
        let message = found.cause("packages-overwrite-each-other")["message"].to_string();
        assert!(message.contains(&format!("those of {other} 2.18.0 lie there")), "{message}");
    }
}

#[test]
fn versions_that_do_not_belong_together_are_named() {
    let home = Home::venv();
    home.torch_in(VENV, "2.6.0", CUDA).package("torchvision", "0.24.1", &[("torchvision/__init__.py", "")]);
    home.package("torchaudio", "2.6.0", &[("torchaudio/__init__.py", "")]);
    home.package("jaxlib", "0.5.0", &[]).package("jax-cuda12-plugin", "0.4.30", &[]);
    home.package("jax", "0.5.0", &[("jax/__init__.py", "")]);
    let found = home.check(&[]);
    let steps = found.cause("torchvision-version-mismatch")["remedy"]["steps"].to_string();
    assert!(steps.contains("torchvision==0.21.*"), "{steps}");
    assert!(steps.contains("https://download.pytorch.org/whl/cu124"), "{steps}");
    assert!(!found.evidence("torchvision-version-mismatch").contains("torchaudio"));
    assert!(found.evidence("jax-plugin-version-mismatch").contains("jax-cuda12-plugin 0.4.30"));
}

#[test]
fn one_framework_of_conda_and_of_pip_is_named() {
    let record = |requested: &str| {
        format!(
            "{{\"channel\": \"https://u:p@conda.anaconda.org/t/secret/conda-forge/linux-64\", \"requested_spec\": \"{requested}\"}}"
        )
    };
    let home = Home::conda();
    home.torch_in(CONDA, "2.6.0", CUDA);
    home.file("conda/conda-meta/pytorch-2.5.1-cpu_mkl_py311h1_0.json", &record("None"));
    let found = home.check(&[]);
    assert!(
        found.evidence("package-of-conda-and-pip").contains("conda's list: pytorch 2.5.1, build cpu_mkl_py311h1_0")
    );
    // conda's own metadata for pip is no second installation.
    let home = Home::conda();
    home.torch_in(CONDA, "2.5.1", CPU).file(&format!("{CONDA}/torch-2.5.1.dist-info/INSTALLER"), "conda\n");
    home.file("conda/conda-meta/pytorch-2.5.1-cpu_mkl_py311h1_0.json", &record("pytorch=*=cpu*"));
    let found = home.check(&[]);
    assert!(!found.has("package-of-conda-and-pip"));
    assert_eq!(found.values("framework.origin")[0]["spec"], "pytorch=*=cpu*");
    assert!(!found.report.to_string().contains("secret"));
}

#[test]
fn where_a_build_came_from_is_told_without_secrets() {
    let home = Home::venv();
    home.torch_in(VENV, "2.6.0+cpu", CPU);
    let metadata = format!("{VENV}/torch-2.6.0+cpu.dist-info");
    let url = "https://me:hunter2@download.pytorch.org/whl/cpu/torch-2.6.0%2Bcpu-cp311.whl";
    home.file(
        &format!("{metadata}/direct_url.json"),
        &format!("{{\"archive_info\": {{}}, \"url\": \"{url}?sig=hunter3#sha256=1\"}}"),
    );
    home.file(&format!("{metadata}/REQUESTED"), "");
    let found = home.check(&[]);
    let origin = found.values("framework.origin")[0];
    assert_eq!(origin["from"], "https://download.pytorch.org/whl/cpu/torch-2.6.0%2Bcpu-cp311.whl");
    assert_eq!(origin["requested"], true);
    assert!(!found.report.to_string().contains("hunter"));
    let found = found.beside_a_gpu();
    assert!(
        found.evidence("torch-cpu-only-wheel").contains("it was installed from https://download.pytorch.org/whl/cpu/")
    );
    // A path of the user's home is identity.
    home.file(
        &format!("{metadata}/direct_url.json"),
        &format!("{{\"dir_info\": {{}}, \"url\": \"file://{}\"}}", home.at("src/torch").display()),
    );
    let mut command = home.command(&["--redact"]);
    command.env("USER", "zaphod");
    let redacted = run(&mut command).stdout;
    assert!(
        redacted.contains("\"framework.origin\"") && !redacted.contains(&*home.at("src").display().to_string()),
        "{redacted}"
    );
    // uv's own mark, where no installer is written down.
    std::fs::remove_file(home.at(&format!("{metadata}/INSTALLER"))).expect("remove a file");
    home.file(&format!("{metadata}/uv_cache.json"), "{}");
    assert_eq!(home.check(&[]).values("framework.distribution")[0]["installer"], "uv");
}

#[test]
fn a_copy_outside_the_environment_is_decided_from_files() {
    // PYTHONPATH goes before a virtual environment.
    let mut home = Home::venv();
    home.torch_in(VENV, "2.6.0+cu124", CUDA).torch_in("path", "2.6.0+cpu", CPU);
    home.set("PYTHONPATH", "path");
    let found = home.check(&[]).beside_a_gpu();
    assert!(!found.has("torch-cpu-only-wheel"));
    assert_eq!(found.cause("user-site-shadows-venv")["severity"], "error");
    assert_eq!(found.cause("user-site-shadows-venv")["confidence"], "certain");
    let evidence = found.evidence("user-site-shadows-venv");
    assert!(evidence.contains("by way of PYTHONPATH") && evidence.contains("built for CUDA 12.4"), "{evidence}");
    // Nothing behind it: what is installed into the environment would stay hidden.
    std::fs::remove_dir_all(home.at(&format!("{VENV}/torch"))).expect("remove a folder");
    std::fs::remove_dir_all(home.at(&format!("{VENV}/torch-2.6.0+cu124.dist-info"))).expect("remove a folder");
    let steps = home.check(&[]).beside_a_gpu().cause("user-site-shadows-venv")["remedy"]["steps"].to_string();
    assert!(steps.contains("env -u PYTHONPATH PYTHONNOUSERSITE=1"), "{steps}");

    // The user's own packages go before a conda environment, and not before a virtual one.
    let home = Home::conda();
    home.torch_in(CONDA, "2.6.0+cu124", CUDA).torch_in(USER, "2.6.0+cpu", CPU);
    assert!(home.check(&[]).beside_a_gpu().evidence("user-site-shadows-venv").contains("by way of user site"));
    let home = Home::venv();
    home.torch_in(VENV, "2.6.0+cu124", CUDA).torch_in(USER, "2.6.0+cpu", CPU);
    let found = home.check(&[]).beside_a_gpu();
    assert!(!found.has("user-site-shadows-venv") && !found.has("torch-cpu-only-wheel"));
    assert_eq!(found.values("framework.distribution")[0]["version"], "2.6.0+cu124");

    // Two builds for the GPU: a note that the other one is taken.
    let mut home = Home::conda();
    home.torch_in(CONDA, "2.6.0+cu124", CUDA).torch_in(USER, "2.5.1", "__version__ = '2.5.1+cu121'\ncuda = '12.1'\n");
    assert_eq!(home.check(&[]).cause("user-site-shadows-venv")["severity"], "note");
    home.variables.push(("PYTHONNOUSERSITE", "1".to_string()));
    assert!(!home.check(&[]).has("user-site-shadows-venv"));
}

#[test]
fn a_file_of_the_users_hides_a_framework_only_where_python_takes_it() {
    let home = Home::venv();
    home.torch_in(VENV, "2.6.0", CUDA);
    // A folder of data is a namespace, which gives way to the package.
    home.file("work/torch/weights.bin", "");
    assert!(!home.check(&[]).has("local-file-hides-framework"));
    home.file("work/torch.py", "");
    let found = home.check(&[]);
    assert_eq!(found.values("python.shadowed_by"), [&Value::from(home.at("work/torch.py").display().to_string())]);
    assert_eq!(found.cause("local-file-hides-framework")["severity"], "note");
    // Python itself leaves the folder out.
    let mut command = home.command(&[]);
    command.env("PYTHONSAFEPATH", "1");
    assert!(!run(&mut command).stdout.contains("local-file-hides-framework"));

    // In a checkout that the environment uses, the file is the package; in one that it does not, it is in the way.
    let home = Home::venv();
    home.file("work/torch/__init__.py", "").file("work/torch/version.py", CUDA).file("work/setup.py", "");
    home.file(&format!("{VENV}/easy-install.pth"), &format!("{}\n", home.at("work").display()));
    let found = home.check(&[]);
    assert_eq!(found.values("framework.origin")[0]["kind"], "editable");
    assert!(!found.has("local-file-hides-framework"));
    std::fs::remove_file(home.at(&format!("{VENV}/easy-install.pth"))).expect("remove a file");
    home.torch_in(VENV, "2.6.0", CUDA);
    let message = home.check(&[]).cause("local-file-hides-framework")["message"].to_string();
    assert!(message.contains("source"), "{message}");

    // In a folder of PYTHONPATH it is taken by every program.
    let mut home = Home::venv();
    home.torch_in(VENV, "2.6.0", CUDA).file("path/torch.py", "");
    home.set("PYTHONPATH", "path");
    let message = home.check(&[]).cause("local-file-hides-framework")["message"].to_string();
    assert!(message.contains("PYTHONPATH"), "{message}");
}

#[test]
fn a_python_of_32_bits_or_too_new_is_named_without_starting_it() {
    // The header of a program of 32-bit x86.
    let mut header = b"\x7fELF\x01\x01\x01".to_vec();
    header.extend([0; 9]);
    header.extend([2, 0, 3, 0]);
    header.extend([0; 64]);
    let home = Home::venv();
    std::fs::write(home.at("venv/bin/python"), &header).expect("write a file");
    assert_eq!(home.check(&[]).cause("python-32bit")["confidence"], "certain");

    let home = Home::venv();
    let settings = "home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.17.0\n";
    home.file("venv/pyvenv.cfg", settings);
    assert!(home.check(&["--framework", "torch"]).has("unsupported-python-version"));
}

#[test]
fn a_folder_that_cannot_be_looked_through_is_no_absence() {
    let home = Home::venv();
    // More names than are read: none of them is known.
    for n in 0..=1 << 16 {
        std::fs::File::create(home.at(VENV).join(n.to_string())).expect("create a file");
    }
    let found = home.check(&["--framework", "torch"]);
    let facts = found.report["facts"].as_array().expect("facts").iter();
    let state: Vec<&str> =
        facts.filter(|f| f["key"] == "framework.distribution").filter_map(|f| f["state"].as_str()).collect();
    assert_eq!(state, ["failed"]);
    assert!(!found.has("torch-not-installed"));
}

#[test]
fn what_no_installer_leaves_is_bounded() {
    let home = Home::venv();
    home.torch_in(VENV, "2.6.0", CUDA);
    let plain = fastest(&home, &[]);
    for n in 0..2_000 {
        std::fs::create_dir(home.at(&format!("{VENV}/torch-1.0.{n}.dist-info"))).expect("create a folder");
        std::fs::create_dir(home.at(&format!("{VENV}/~orch{n}"))).expect("create a folder");
    }
    let found = home.check(&[]);
    assert_eq!(found.values("framework.distribution")[0]["version"], "2.6.0+cu124");
    assert!(found.values("python.leftover").len() <= 50 && found.values("python.package").len() <= 400);
    let took = fastest(&home, &[]);
    assert!(took < plain + Duration::from_secs(3), "{took:?} against {plain:?}");
}

/// The time of the fastest of three runs.
fn fastest(home: &Home, arguments: &[&str]) -> Duration {
    let once = |_| {
        let begun = Instant::now();
        run(&mut home.command(arguments));
        begun.elapsed()
    };
    (0..3).map(once).min().expect("a time")
}

#[test]
fn odd_trees_neither_hang_nor_slow_it_down() {
    let home = Home::venv();
    home.torch_in(VENV, "2.6.0", CUDA);
    let plain = fastest(&home, &["--all-envs"]);
    // A pipe nobody writes to, wherever a file is read.
    for path in [
        format!("{VENV}/torch-2.5.0.dist-info/METADATA"),
        format!("{VENV}/torch-2.5.0.dist-info/RECORD"),
        format!("{VENV}/torch-2.5.0.dist-info/INSTALLER"),
        format!("{VENV}/torch-2.5.0.dist-info/direct_url.json"),
        format!("{VENV}/waits.pth"),
        format!("{VENV}/jax/version.py"),
        ".local/share/jupyter/kernels/k/kernel.json".to_string(),
        ".virtualenvs/w/pyvenv.cfg".to_string(),
        "work/pyproject.toml".to_string(),
        "work/uv.lock".to_string(),
    ] {
        std::fs::create_dir_all(home.at(&path).parent().expect("a folder")).expect("create folders");
        assert!(Command::new("mkfifo").arg(home.at(&path)).status().expect("mkfifo").success());
    }
    home.program(".virtualenvs/w/bin/python", "").file(&format!("{VENV}/jax/__init__.py"), "");
    // Links in a circle, links to nothing, a folder where a file belongs and the other way round.
    symlink(home.at(VENV), home.at(&format!("{VENV}/loop"))).expect("make a link");
    symlink("turn", home.at(&format!("{VENV}/turn"))).expect("make a link");
    symlink("nowhere", home.at(&format!("{VENV}/vllm-1.0.dist-info"))).expect("make a link");
    home.file(&format!("{VENV}/round.pth"), "loop\nloop/loop\nturn\nloop/loop/loop\n");
    std::fs::create_dir_all(home.at(&format!("{VENV}/folder.pth"))).expect("create a folder");
    home.file(&format!("{VENV}/cupy-1.0.dist-info"), "");
    symlink(home.at(".virtualenvs"), home.at(".virtualenvs/again")).expect("make a link");
    // Two packages of one framework with lists of 16 MB each, of which half is read.
    let long = "onnxruntime/some/long/name/of/a/file.py,sha256=0123456789,1234\n".repeat(260_000);
    for name in ["onnxruntime-1.0", "onnxruntime_gpu-1.0"] {
        home.file(&format!("{VENV}/{name}.dist-info/RECORD"), &long)
            .file(&format!("{VENV}/{name}.dist-info/METADATA"), "");
    }
    // A folder that cannot be read, and 10,000 packages.
    std::fs::create_dir_all(home.at(&format!("{VENV}/numba-1.0.dist-info"))).expect("create a folder");
    std::fs::set_permissions(home.at(&format!("{VENV}/numba-1.0.dist-info")), std::fs::Permissions::from_mode(0o000))
        .expect("set");
    for n in 0..10_000 {
        std::fs::create_dir(home.at(&format!("{VENV}/other_{n}-1.0.dist-info"))).expect("create a folder");
    }
    let odd = fastest(&home, &["--all-envs"]);
    let found = home.check(&["--all-envs"]);
    assert_eq!(found.values("framework.distribution")[0]["version"], "2.6.0+cu124");
    // Of a build for speed it is a tenth of this.
    assert!(odd < plain + Duration::from_secs(5), "{odd:?} against {plain:?}");
    std::fs::set_permissions(home.at(&format!("{VENV}/numba-1.0.dist-info")), std::fs::Permissions::from_mode(0o755))
        .expect("set");
    assert!(Path::new(&home.at(VENV)).is_dir());
}
