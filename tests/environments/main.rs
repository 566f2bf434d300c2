//! Which Python environments are found, and what is said of them, on made-up homes of every tool and through the real binary.

#![cfg(unix)]
#![allow(clippy::disallowed_methods)]

mod broken;
#[path = "../common/mod.rs"]
mod common;
mod installed;
mod kinds;

use common::program::{doctor, run};
use serde_json::Value;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A home folder that is made up.
struct Home {
    folder: tempfile::TempDir,
    variables: Vec<(String, PathBuf)>,
}

/// What a check found.
struct Found {
    report: Value,
    text: String,
}

impl Home {
    fn new() -> Home {
        let home = Home { folder: tempfile::tempdir().expect("a folder"), variables: Vec::new() };
        std::fs::create_dir(home.at("project")).expect("create a folder");
        home
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().expect("a path").join(path)
    }

    fn with(mut self, variable: &str, path: &str) -> Home {
        let path = self.at(path);
        self.variables.push((variable.to_string(), path));
        self
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

    /// An environment with an interpreter that would say that it was started, which --quick must not do.
    fn python(&self, prefix: &str) -> &Home {
        self.program(&format!("{prefix}/bin/python"), "#!/bin/sh\ntouch \"$0.started\"\n")
    }

    fn venv(&self, prefix: &str) -> &Home {
        self.python(prefix).file(&format!("{prefix}/pyvenv.cfg"), CLOSED)
    }

    fn conda(&self, prefix: &str) -> &Home {
        self.python(prefix)
            .file(&format!("{prefix}/conda-meta/history"), "")
            .file(&format!("{prefix}/conda-meta/python-3.12.4-h194c7f8_0_cpython.json"), "{}")
    }

    /// A package in an environment of Python 3.11: its files, and the metadata that pip writes.
    fn package(&self, prefix: &str, name: &str, version: &str, files: &[(&str, &str)]) -> &Home {
        let folder = format!("{prefix}/lib/python3.11/site-packages");
        let metadata = format!("{folder}/{}-{version}.dist-info", name.replace('-', "_"));
        let record: Vec<String> =
            files.iter().map(|(path, text)| format!("{path},sha256=x,{}\n", text.len())).collect();
        self.file(&format!("{metadata}/RECORD"), &record.concat()).file(&format!("{metadata}/INSTALLER"), "pip\n");
        for (path, text) in files {
            self.file(&format!("{folder}/{path}"), text);
        }
        self
    }

    fn command(&self, arguments: &[&str]) -> assert_cmd::Command {
        let mut command = doctor();
        command.env_clear().env("PATH", self.at("bin")).env("HOME", self.folder.path().canonicalize().expect("a path"));
        command.current_dir(self.at("project")).arg("check").args(arguments);
        for (name, path) in &self.variables {
            command.env(name, path);
        }
        command
    }

    fn check(&self, arguments: &[&str]) -> Found {
        let text = run(&mut self.command(arguments)).stdout;
        let got = run(self.command(arguments).arg("--json"));
        assert!(got.stderr.is_empty(), "{}", got.stderr);
        Found { report: serde_json::from_str(&got.stdout).expect("JSON"), text }
    }

    /// Every environment below the home, as `FOLDER: names`; the one in use with a star.
    fn environments(&self, arguments: &[&str]) -> Vec<String> {
        let found = self.check(arguments);
        let home = format!("{}/", self.folder.path().canonicalize().expect("a path").display());
        let mut rows: Vec<String> = found
            .facts("python.environment")
            .filter_map(|fact| {
                let prefix = fact["subject"]["id"].as_str()?.strip_prefix(&home)?.to_string();
                let names: Vec<&str> = fact["value"]["names"].as_array()?.iter().filter_map(Value::as_str).collect();
                let star = if fact["value"]["in_use"] == true { "* " } else { "" };
                Some(format!("{star}{prefix}: {}", names.join(", ")).replace(&home, "~/"))
            })
            .collect();
        rows.sort();
        rows
    }
}

impl Found {
    fn facts<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a Value> {
        self.report["facts"].as_array().expect("facts").iter().filter(move |fact| fact["key"] == key)
    }

    fn slugs(&self) -> Vec<&str> {
        let all = self.report["root_causes"].as_array().expect("root causes");
        all.iter().filter_map(|cause| cause["slug"].as_str()).collect()
    }
}

/// The settings of a virtual environment that is closed to the system.
const CLOSED: &str = "home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.11.7\n";
const QUICK: &[&str] = &["--quick", "--all-envs"];

#[test]
fn every_tools_environments_are_found_once_with_their_names() {
    let home = Home::new();
    home.venv("project/.venv")
        .file("project/uv.lock", "version = 1\n")
        .file("project/pyproject.toml", "[project]\nname = \"p\"\n");
    home.conda("miniforge3").file("miniforge3/condabin/conda", "").conda("miniforge3/envs/ml");
    home.conda("elsewhere/env").file(".conda/environments.txt", &format!("{}\n", home.at("elsewhere/env").display()));
    home.conda("envs/listed").file(".condarc", "envs_dirs:\n  - ~/envs\n");
    home.python(".pyenv/versions/3.11.7");
    home.python(".local/share/uv/python/cpython-3.12.3-linux-x86_64-gnu").venv(".local/share/uv/tools/ruff");
    home.venv(".local/share/pipx/venvs/black").venv(".virtualenvs/old");
    home.venv(".cache/pypoetry/virtualenvs/app-K_fDpmu2-py3.11");
    home.venv(".local/share/hatch/env/virtual/site/abcdefgh/site");
    home.venv(".local/share/virtualenvs/shop-12345678");
    home.conda(".pixi/envs/tools");
    let kernel =
        format!(r#"{{"argv": ["{}", "-m", "ipykernel_launcher"]}}"#, home.at(".virtualenvs/old/bin/python").display());
    home.file(".local/share/jupyter/kernels/research/kernel.json", &kernel);
    home.file(".local/share/jupyter/kernels/ir/kernel.json", r#"{"argv": ["R", "--slave"]}"#);
    assert_eq!(
        home.environments(QUICK),
        [
            "* project/.venv: .venv of ~/project",
            ".cache/pypoetry/virtualenvs/app-K_fDpmu2-py3.11: poetry environment app-K_fDpmu2-py3.11",
            ".local/share/hatch/env/virtual/site/abcdefgh/site: hatch environment default of site",
            ".local/share/pipx/venvs/black: pipx program black",
            ".local/share/uv/python/cpython-3.12.3-linux-x86_64-gnu: Python of uv cpython-3.12.3-linux-x86_64-gnu",
            ".local/share/uv/tools/ruff: uv tool ruff",
            ".local/share/virtualenvs/shop-12345678: pipenv environment shop-12345678",
            ".pixi/envs/tools: pixi global environment tools",
            ".pyenv/versions/3.11.7: pyenv 3.11.7",
            ".virtualenvs/old: virtualenv old, kernel research",
            "elsewhere/env: conda environment env",
            "envs/listed: conda environment listed",
            "miniforge3/envs/ml: conda environment ml",
            "miniforge3: conda environment base",
        ]
    );
    assert_eq!(home.environments(&["--quick"]), ["* project/.venv: .venv of ~/project"]);
    let started: Vec<_> = walk(home.folder.path()).into_iter().filter(|path| path.ends_with(".started")).collect();
    assert!(started.is_empty(), "--quick started {started:?}");
}

fn walk(folder: &Path) -> Vec<String> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        all.push(entry.path().display().to_string());
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            all.extend(walk(&entry.path()));
        }
    }
    all
}

#[test]
fn managers_and_versions_are_read_from_files() {
    let home = Home::new();
    home.venv("project/.venv").file("project/uv.lock", "");
    home.conda("miniforge3/envs/ml").venv(".local/share/pipx/venvs/black");
    home.file(".local/share/pipx/venvs/black/pipx_metadata.json", "{}");
    home.venv(".virtualenvs/made")
        .file(".virtualenvs/made/pyvenv.cfg", "home = /usr/bin\nuv = 0.9.2\nversion_info = 3.13.1\n");
    let found = home.check(QUICK);
    let told = |prefix: &str| {
        let id = home.at(prefix).display().to_string();
        let fact = found.facts("python.environment").find(|fact| fact["subject"]["id"] == id.as_str()).expect("it");
        format!("{} {}", fact["value"]["manager"].as_str().unwrap(), fact["value"]["version"].as_str().unwrap())
    };
    assert_eq!(told("project/.venv"), "uv 3.11.7");
    assert_eq!(told("miniforge3/envs/ml"), "conda 3.12.4");
    assert_eq!(told(".local/share/pipx/venvs/black"), "pipx 3.11.7");
    assert_eq!(told(".virtualenvs/made"), "uv 3.13.1");
}

#[test]
fn the_one_in_use_is_the_first_that_a_program_would_run_in() {
    let home = Home::new();
    home.venv("project/.venv").venv("active").conda("conda/envs/ml").python("usr").venv("project/deep/down/.venv");
    std::fs::create_dir(home.at("bin")).unwrap();
    symlink(home.at("usr/bin/python"), home.at("bin/python3")).unwrap();
    assert_eq!(home.environments(&["--quick"]), ["* project/.venv: .venv of ~/project"]);
    let home = home.with("CONDA_PREFIX", "conda/envs/ml");
    assert_eq!(home.environments(&["--quick"]), ["* conda/envs/ml: conda environment ml"]);
    let home = home.with("VIRTUAL_ENV", "active");
    assert_eq!(home.environments(&["--quick"]), ["* active: active virtual environment"]);
    let all = home.environments(QUICK);
    assert!(all.contains(&"usr: python3 on PATH".to_string()), "{all:?}");
    let named = home.at("usr/bin/python");
    assert_eq!(home.environments(&["--quick", "--python", named.to_str().unwrap()]), ["* usr: "]);
    let folder = home.at("conda/envs/ml");
    let named = home.environments(&["--quick", "--python", folder.to_str().unwrap()]);
    assert_eq!(named, ["* conda/envs/ml: conda environment ml"]);
}

#[test]
fn a_projects_environment_is_found_where_its_tool_keeps_it() {
    let home = Home::new();
    // The digest is that of the project's path, which no test can write by hand: it is the name that poetry itself would give.
    let project = home.at("project").display().to_string();
    let python = "import base64, hashlib, sys; print(base64.urlsafe_b64encode(hashlib.sha256(sys.argv[1].encode()).digest()).decode()[:8])";
    let digest = std::process::Command::new("python3").args(["-c", python, &project]).output().expect("python3").stdout;
    let digest = String::from_utf8(digest).expect("text").trim().to_string();
    let poetry = format!(".cache/pypoetry/virtualenvs/my-app-{digest}-py3.11");
    home.venv(&poetry).venv(".cache/pypoetry/virtualenvs/my-app-aaaaaaaa-py3.11");
    home.file("project/pyproject.toml", "[tool.poetry]\nname = \"My_App\"\n").file("project/poetry.lock", "");
    assert_eq!(home.environments(&["--quick"]), [format!("* {poetry}: poetry environment of ~/project")]);

    let home = Home::new();
    home.conda("project/.pixi/envs/default").file("project/pixi.toml", "");
    assert_eq!(
        home.environments(&["--quick"]),
        ["* project/.pixi/envs/default: pixi environment default of ~/project"]
    );

    let home = Home::new();
    home.venv("central/app-3.11")
        .file("project/.pdm-python", &home.at("central/app-3.11/bin/python").display().to_string());
    assert_eq!(home.environments(&["--quick"]), ["* central/app-3.11: pdm environment of ~/project"]);

    let home = Home::new().with("UV_PROJECT_ENVIRONMENT", "central/uv");
    home.venv("central/uv").file("project/uv.lock", "");
    assert_eq!(home.environments(&["--quick"]), ["* central/uv: uv environment of ~/project"]);
}

#[test]
fn a_kernel_is_named_and_others_are_listed() {
    let home = Home::new();
    home.venv("envs/gpu");
    let argv = home.at("envs/gpu/bin/python").display().to_string();
    let spec = format!(r#"{{"argv": ["{argv}", "-m", "ipykernel_launcher"], "env": {{"CUDA_VISIBLE_DEVICES": ""}}}}"#);
    home.file(".local/share/jupyter/kernels/gpu/kernel.json", &spec);
    home.file(".local/share/jupyter/kernels/ir/kernel.json", r#"{"argv": ["R", "--slave"]}"#);
    home.file(".local/share/jupyter/kernels/odd/kernel.json", "{");
    assert_eq!(home.environments(&["--quick", "--kernel", "GPU"]), ["* envs/gpu: kernel gpu"]);
    // The Python of a container or of another machine is none of this one, even where one of that name is here.
    for (name, argv) in [
        ("docker", r#"["docker", "run", "--rm", "image", "python3", "-m", "ipykernel_launcher"]"#),
        ("ssh", r#"["ssh", "host", "/usr/bin/python3", "-m", "ipykernel_launcher"]"#),
        ("beside", r#"["./python3", "-m", "ipykernel_launcher"]"#),
    ] {
        home.file(&format!(".local/share/jupyter/kernels/{name}/kernel.json"), &format!(r#"{{"argv": {argv}}}"#));
    }
    for (name, words) in [
        ("no", "beside, docker, gpu, ir, odd, ssh"),
        ("ir", "it starts R"),
        ("odd", "not valid"),
        ("docker", "it starts docker, and which Python"),
        ("ssh", "it starts ssh, and which Python"),
        ("beside", "only the notebook's server knows"),
    ] {
        let got = run(&mut home.command(&["--kernel", name]));
        assert_eq!((got.code, got.stdout.as_str()), (2, ""), "{name}");
        assert!(got.stderr.contains(words), "{name}: {}", got.stderr);
    }
}

#[test]
fn a_list_that_ends_early_says_so() {
    let home = Home::new();
    for n in 0..130 {
        home.venv(&format!(".virtualenvs/e{n:03}"));
    }
    home.venv(".local/share/uv/tools/ruff");
    let got = run(&mut home.command(&["--quick", "--all-envs"]));
    let text = got.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let places = [".virtualenvs", ".local/share/uv/tools"].map(|place| home.at(place).display().to_string());
    for place in places {
        assert!(text.contains(&format!("{place}: 100 environments were found before it")), "{text}");
    }
    // What is not there was not left out.
    assert!(!text.contains("miniconda3"), "{text}");
    let got = run(&mut home.command(&["--quick"]));
    assert!(!got.stdout.contains("looked through"), "{}", got.stdout);
}

#[test]
fn a_named_folder_says_why_its_python_is_of_no_use() {
    let home = Home::new();
    home.file("plain/bin/python", "#!/bin/sh\n").file("none/bin/pip", "").file("gone/pyvenv.cfg", "");
    std::fs::create_dir_all(home.at("gone/bin")).unwrap();
    std::os::unix::fs::symlink("/no/such/python3", home.at("gone/bin/python")).unwrap();
    std::os::unix::fs::symlink("python", home.at("gone/bin/python3")).unwrap();
    for (folder, words) in [
        ("plain", "it is not an executable file"),
        ("gone", "it leads to /no/such/python3, which is not there"),
        ("none", "it is a folder without bin/python in it"),
    ] {
        let got = run(home.command(&["--quick", "--python"]).arg(home.at(folder)));
        assert_eq!((got.code, got.stdout.as_str()), (2, ""), "{folder}");
        assert!(got.stderr.contains(words), "{folder}: {}", got.stderr);
    }
}

#[test]
fn a_folder_of_thousands_of_packages_is_read_in_part() {
    let home = Home::new().with("VIRTUAL_ENV", "env");
    home.venv("env").package("env", "torch", "2.5.1", &[("torch/__init__.py", "")]);
    let site = home.at("env/lib/python3.11/site-packages");
    for n in 0..5000 {
        std::fs::create_dir(site.join(format!("nvidia_a{n}-1.0.dist-info"))).unwrap();
        std::fs::create_dir(site.join(format!("~vidia{n}"))).unwrap();
    }
    let begun = std::time::Instant::now();
    let found = home.check(&["--quick"]);
    assert_eq!(found.facts("python.package").count(), 400);
    assert!(found.facts("python.leftover").count() <= 50);
    assert!(begun.elapsed() < std::time::Duration::from_secs(30), "{:?}", begun.elapsed());
}

#[test]
fn hostile_folders_are_no_crash() {
    let home = Home::new();
    std::fs::create_dir_all(home.at(".virtualenvs")).unwrap();
    symlink(home.at(".virtualenvs"), home.at(".virtualenvs/loop")).unwrap();
    symlink("self", home.at(".virtualenvs/self")).unwrap();
    for n in 0..3000 {
        std::fs::create_dir(home.at(&format!(".virtualenvs/x{n}"))).unwrap();
    }
    home.venv(".virtualenvs/a\u{1b}[31mred\nname").file(".conda/environments.txt", "\0\n../x\n/\n\n/no/such\n");
    home.file(".condarc", "envs_dirs: [").file("project/.python-version", "\u{1}\u{2}");
    home.file(".local/share/jupyter/kernels/k/kernel.json/x", "").file("project/pyproject.toml/x", "");
    std::fs::create_dir_all(home.at(".local/share/uv/tools")).unwrap();
    std::fs::set_permissions(home.at(".local/share/uv/tools"), std::fs::Permissions::from_mode(0o000)).unwrap();
    let begun = Instant::now();
    let found = home.check(QUICK);
    assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
    assert!(found.facts("python.environment").any(|f| f["value"]["names"][0].as_str().unwrap().contains("red")));
    let cut = found.facts("python.unsearched").any(|f| f["value"].as_str().unwrap().contains("only 1000 of its"));
    assert!(cut, "a search that was cut short says so");
    assert!(!found.text.contains('\u{1b}'), "{}", found.text);
    // Neither HOME nor PATH.
    let got = run(home.command(&["--quick", "--all-envs"]).env_remove("HOME").env_remove("PATH"));
    assert!(matches!(got.code, 1 | 3) && got.stderr.is_empty(), "{} {}", got.code, got.stderr);
}

/// What a variable calls active is not what `python` starts where another environment stands before it on PATH.
#[test]
fn the_python_on_path_decides_between_two_active_ones_and_is_named_where_it_is_a_third() {
    let with = |path: &str, files: &[(&str, &str)]| {
        let home = Home::new().with("VIRTUAL_ENV", "venv").with("CONDA_PREFIX", "conda").with("PATH", path);
        home.venv("venv").conda("conda").venv("other").venv("project/.venv");
        for (file, text) in files {
            home.file(file, text);
        }
        home
    };
    let in_use = |home: &Home| {
        let all = home.environments(&["--quick"]);
        all.iter()
            .filter_map(|row| row.strip_prefix("* "))
            .map(|row| row.split(':').next().unwrap_or(row).to_string())
            .collect::<Vec<_>>()
    };
    let named = |home: &Home| home.check(&["--quick"]).slugs().contains(&"another-python-runs");
    for (path, expected, other) in [
        ("venv/bin", "venv", false),
        ("conda/bin", "conda", false),
        ("other/bin", "venv", true),
        ("bin", "venv", false),
    ] {
        let home = with(path, &[]);
        assert_eq!((in_use(&home), named(&home)), (vec![expected.to_string()], other), "{path}");
    }
    // uv runs the programs of its project in the project's own environment.
    assert!(named(&with("venv/bin", &[("project/uv.lock", "version = 1\n")])));
}
