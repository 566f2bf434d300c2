//! The same with Poetry, PDM, pipx and hatch themselves. They take indexes over HTTP only, so that the hand-made ones are
//! served on the loopback address.

use super::common::fake::Fake;
use super::{commands, indexes, mended, python, run, slugs, workstation};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

const SLUG: &str = "torch-cpu-only-wheel";
/// Where the doctor sends people for torch.
const PYTORCH: &str = "https://download.pytorch.org/whl";

/// The indexes, served while a test runs.
struct Served {
    server: Child,
    address: String,
}

impl Served {
    fn new() -> Served {
        let mut server = Command::new(python())
            .args(["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory"])
            .arg(indexes())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a server");
        // It says: Serving HTTP on 127.0.0.1 port 40123 (http://127.0.0.1:40123/) ...
        let mut line = String::new();
        BufReader::new(server.stdout.take().expect("its words")).read_line(&mut line).expect("a line");
        let port = line.split(" port ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a port").to_string();
        Served { server, address: format!("http://127.0.0.1:{port}") }
    }

    fn index(&self, name: &str) -> String {
        format!("{}/{name}", self.address)
    }

    /// Runs a command of the doctor with these indexes in place of the real ones.
    fn run(&self, line: &str, folder: &Path) {
        run(&line.replace(PYTORCH, &self.address), folder);
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

const PROJECT: &str =
    "[project]\nname = \"mine\"\nversion = \"0.1\"\nrequires-python = \">=3.9\"\ndependencies = [\"torch\"]\n\n";

/// Checks that torch without CUDA is found where the tool keeps it, runs the commands of the fix, and checks that it is gone:
/// also after the tool has brought the environment in line with what it wrote down.
fn mended_for_good(machine: &Fake, served: &Served, starts: &str, sync: &str) {
    let home = machine.at("home");
    let before = machine.check(&[]);
    assert_eq!(slugs(&before), [SLUG], "{}", before.text);
    let commands = commands(&before, SLUG);
    assert!(commands[0].starts_with(starts), "{commands:?}");
    for command in &commands {
        served.run(command, &home);
    }
    machine.check(&[]).verdict("ready", 0).causes(&[]);
    served.run(sync, &home);
    machine.check(&[]).verdict("ready", 0).causes(&[]);
}

#[test]
fn poetry_takes_the_build_from_a_source_of_its_own() {
    let (machine, served) = (workstation(), Served::new());
    let home = machine.at("home");
    let declared = format!(
        "{PROJECT}[tool.poetry]\npackage-mode = false\n\n[tool.poetry.dependencies]\ntorch = {{ source = \"pytorch-cpu\" }}\n\n\
         [[tool.poetry.source]]\nname = \"pytorch-cpu\"\nurl = \"{}\"\npriority = \"explicit\"\n\n\
         [[tool.poetry.source]]\nname = \"here\"\nurl = \"{}\"\npriority = \"primary\"\n",
        served.index("cpu"),
        served.index("pypi")
    );
    std::fs::write(home.join("pyproject.toml"), declared).expect("write");
    run("poetry install -n -q", &home);
    let starts = format!("poetry -C {0} remove torch; poetry -C {0} source add --priority=explicit ", home.display());
    mended_for_good(&machine, &served, &starts, "poetry sync -n -q");
}

#[test]
fn pdm_takes_the_build_from_the_source_that_the_text_names() {
    let (machine, served) = (workstation(), Served::new());
    let home = machine.at("home");
    let source = |name: &str, index: &str, packages: &str| {
        format!("[[tool.pdm.source]]\nname = \"{name}\"\nurl = \"{index}\"\n{packages}\n")
    };
    let declared = format!(
        "{PROJECT}[tool.pdm]\ndistribution = false\n\n{}{}",
        source("pypi", &served.index("pypi"), ""),
        source("pytorch-cpu", &served.index("cpu"), "include_packages = [\"torch\"]\n")
    );
    std::fs::write(home.join("pyproject.toml"), &declared).expect("write");
    run("pdm install -q", &home);
    let before = machine.check(&[]);
    let cause = before.report["root_causes"].as_array().expect("a list").iter().find(|cause| cause["slug"] == SLUG);
    let told = cause.expect("the cause")["remedy"]["steps"][0]["text"].as_str().expect("a text").to_string();
    // What the text says to write, and to take out.
    let quoted = |before: &str| {
        let rest = told.split(before).nth(1).unwrap_or_else(|| panic!("{before}: {told}"));
        rest.split('`').next().unwrap_or_default().replace(PYTORCH, &served.address)
    };
    let lines =
        format!("name{}\nurl{}\ninclude_packages{}\n", quoted("`name"), quoted("`url"), quoted("`include_packages"));
    let declared = declared.replace("include_packages = [\"torch\"]\n", "include_packages = []\n");
    std::fs::write(home.join("pyproject.toml"), format!("{declared}[[tool.pdm.source]]\n{lines}")).expect("write");
    let starts = format!("pdm remove -p {0} torch; pdm add -p {0} \"torch<2.15\"", home.display());
    mended_for_good(&machine, &served, &starts, "pdm sync -q");
}

#[test]
fn hatch_keeps_the_build_that_is_put_into_its_environment() {
    let (machine, served) = (workstation(), Served::new());
    let (home, data) = (machine.at("home"), machine.at("hatch"));
    // Below the project's own folder, which is HOME here, hatch lays its environments out in another way.
    let machine = machine.variable("HATCH_DATA_DIR", &data.display().to_string());
    let hatch = format!("export HATCH_DATA_DIR={};", data.display());
    let declared = |index: &str| {
        format!(
            "[project]\nname = \"mine\"\nversion = \"0.1\"\n\n[tool.hatch.envs.default]\nskip-install = true\n\
             dependencies = [\"torch<2.15\"]\n\n[tool.hatch.envs.default.env-vars]\nPIP_INDEX_URL = \"{index}\"\n"
        )
    };
    std::fs::write(home.join("pyproject.toml"), declared(&served.index("cpu"))).expect("write");
    run(&format!("{hatch} hatch env create"), &home);
    // As the text says, the index is named for the next time as well.
    let before = machine.check(&[]);
    assert!(before.text.contains("[tool.hatch.envs.default.env-vars]"), "{}", before.text);
    mended_for_good(&machine, &served, "", &format!("{hatch} hatch run python -c pass"));
    std::fs::write(home.join("pyproject.toml"), declared(&served.index("cu126"))).expect("write");
    run(&format!("{hatch} hatch env remove default && hatch env create"), &home);
    machine.check(&[]).verdict("ready", 0).causes(&[]);
}

#[test]
fn an_application_of_pipx_gets_another_build() {
    let machine = workstation();
    let home = machine.at("home");
    let index = format!("file://{}", indexes().display());
    run(
        &format!(
            "PIP_INDEX_URL={index}/cpu PIP_EXTRA_INDEX_URL={index}/pypi pipx install -q mine --backend pip --skip-maintenance"
        ),
        &home,
    );
    let program = home.join(".local/share/pipx/venvs/mine/bin/python");
    assert!(program.exists(), "{}", program.display());
    let named = ["--python", program.to_str().expect("a path")];
    let before = machine.check(&named);
    let all = commands(&before, SLUG);
    assert!(all[0].starts_with("pipx runpip mine uninstall -y torch && pipx runpip mine install "), "{all:?}");
    run(&all[0], &home);
    machine.check(&named).verdict("ready", 0).causes(&[]);
}

#[test]
fn torch_for_the_distributions_python_goes_into_an_environment_of_its_own() {
    // Like the system's: nothing says that a tool made it.
    let machine = workstation();
    let home = machine.at("home");
    let bare = machine.at("usr");
    run(&format!("{} -m venv --copies {}", python().display(), bare.display()), &home);
    run(&format!("{}/bin/python -m pip install -q torch --index-url {}", bare.display(), super::index("cpu")), &home);
    let named = ["--python".to_string(), format!("{}/bin/python", bare.display())];
    let before = machine.check(&[&named[0], &named[1]]);
    // Judged as if the distribution had brought it.
    let mut report = before.report.clone();
    for fact in report["facts"].as_array_mut().expect("facts") {
        if fact["key"] == "python.interpreter" || fact["key"] == "python.environment" {
            fact["value"]["manager"] = "system".into();
        }
    }
    let saved = machine.at("system.json");
    std::fs::write(&saved, report.to_string()).expect("write");
    let judged =
        super::common::program::run(super::common::program::doctor().args(["check", "--json", "--from"]).arg(&saved));
    let report: serde_json::Value = serde_json::from_str(&judged.stdout).expect("JSON");
    let cause = report["root_causes"].as_array().expect("a list").iter().find(|cause| cause["slug"] == SLUG);
    let remedy = &cause.expect("the cause")["remedy"];
    let steps: Vec<&str> =
        remedy["steps"].as_array().expect("steps").iter().filter_map(|s| s["command"].as_str()).collect();
    let make = steps.iter().find(|command| command.contains(" -m venv ~/gpu-env && ")).expect("a command");
    run(make, &home);
    let verify = remedy["verify"].as_str().expect("a command");
    assert!(verify.starts_with("~/gpu-env/bin/python -c "), "{verify}");
    let made = home.join("gpu-env/bin/python");
    machine.check(&["--python", made.to_str().expect("a path")]).verdict("ready", 0).causes(&[]);
}

#[test]
fn a_companion_is_replaced_and_torch_stays() {
    for tool in ["pip", "uv"] {
        let machine = workstation();
        let torch = format!("torch --index-url {}", super::index("cu126"));
        let vision = format!("--no-deps torchvision --index-url {}", super::index("cpu"));
        super::environment(&machine, tool, &[&torch, &vision]);
        mended(&machine, "torchvision-cpu-mismatch", "");
    }
}
