//! Machines that work, or fail as told: a described tree, the fakes of tests/lab/fakes, and an environment with a torch.
//!
//! ```ignore
//! let machine = Fake::new("one-gpu").rtx_4090("0000:01:00.0").torch(CU124);
//! machine.check(&[]).verdict("ready").causes(&[]);
//! ```
#![allow(clippy::disallowed_methods, dead_code)]

use super::program::{Got, copy_program, doctor, run};
use super::tree::{KERNEL, Module, Tree};
use serde_json::Value;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// What a torch in an environment is built for.
#[derive(Clone, Copy, Debug)]
pub struct Torch {
    pub version: &'static str,
    pub cuda: Option<&'static str>,
    pub architectures: &'static str,
}

/// PyTorch's own builds for Linux on x86-64, with the architectures that their wheels have.
pub const CU118: Torch = Torch {
    version: "2.6.0+cu118",
    cuda: Some("11.8"),
    architectures: "sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_37 sm_90",
};
pub const CU124: Torch =
    Torch { version: "2.6.0+cu124", cuda: Some("12.4"), architectures: "sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90" };
pub const CU128: Torch = Torch {
    version: "2.7.1+cu128",
    cuda: Some("12.8"),
    architectures: "sm_75 sm_80 sm_86 sm_90 sm_100 sm_120 compute_120",
};
/// A build for the processor alone.
pub const CPU: Torch = Torch { version: "2.6.0+cpu", cuda: None, architectures: "" };

/// A machine with fakes.
pub struct Fake {
    /// Its files.
    pub tree: Tree,
    folder: tempfile::TempDir,
    environment: Vec<(String, String)>,
}

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The fakes, built once.
fn built() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        // Test programs run side by side, and each builds its own.
        let name = format!("fakes-{}", option_env!("CARGO_CRATE_NAME").unwrap_or("test"));
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let done = Command::new("sh").arg(repository("tests/lab/fakes/build")).arg(&folder).status();
        assert!(done.expect("sh").success(), "the fakes could not be built");
        folder
    })
}

/// The interpreter of the tester, as (path of the real program, `3.11`).
fn interpreter() -> &'static (PathBuf, String) {
    static FOUND: OnceLock<(PathBuf, String)> = OnceLock::new();
    FOUND.get_or_init(|| {
        let script = "import os, sys; print(os.path.realpath(sys.executable)); print('%d.%d' % sys.version_info[:2])";
        let output = Command::new("python3").args(["-c", script]).output().expect("python3");
        let text = String::from_utf8(output.stdout).expect("its path");
        let mut lines = text.lines().map(str::to_string);
        (PathBuf::from(lines.next().expect("its path")), lines.next().expect("its version"))
    })
}

impl Fake {
    /// A machine with one of the scenarios of tests/lab/fakes. The tree has no GPU and no driver yet.
    pub fn new(scenario: &str) -> Fake {
        let text = std::fs::read_to_string(repository("tests/lab/fakes/scenarios").join(scenario)).expect("a scenario");
        Fake::told(&text)
    }

    /// A machine with a scenario of its own.
    pub fn told(scenario: &str) -> Fake {
        let machine =
            Fake { tree: Tree::new(), folder: tempfile::tempdir().expect("a folder"), environment: Vec::new() };
        std::fs::write(machine.at("scenario"), scenario).expect("write the scenario");
        let field = |key: &str| {
            let line = scenario.lines().find(|line| line.starts_with(key) && line.contains('='))?;
            Some(line.split_once('=')?.1.trim().to_string())
        };
        let driver = field("driver_version").expect("a driver_version");
        let library = field("library_version").unwrap_or_else(|| driver.clone());
        for folder in ["lib", "bin", "home"] {
            std::fs::create_dir(machine.at(folder)).expect("create a folder");
        }
        for name in ["libcuda.so", "libnvidia-ml.so"] {
            let file = format!("{name}.{library}");
            copy_program(built().join(format!("{name}.1")), machine.at("lib").join(&file));
            symlink(file, machine.at("lib").join(format!("{name}.1"))).expect("make a link");
        }
        copy_program(built().join("nvidia-smi"), machine.at("bin/nvidia-smi"));
        machine
    }

    /// The same with more lines in front of the scenario's sections, as `hang_at = cuInit`.
    pub fn with(self, lines: &str) -> Fake {
        let old = std::fs::read_to_string(self.at("scenario")).expect("the scenario");
        std::fs::write(self.at("scenario"), format!("{lines}\n{old}")).expect("write the scenario");
        self
    }

    /// The same with more lines at the end of the scenario: for its last GPU.
    pub fn with_last(self, lines: &str) -> Fake {
        let old = std::fs::read_to_string(self.at("scenario")).expect("the scenario");
        std::fs::write(self.at("scenario"), format!("{old}\n{lines}\n")).expect("write the scenario");
        self
    }

    /// A file of the tester's: `scenario`, `lib`, `bin`, `venv`, and what the scenario writes.
    pub fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// More in the tree.
    pub fn tree(self, change: impl FnOnce(&Tree)) -> Fake {
        change(&self.tree);
        self
    }

    /// The driver of a bare machine: loaded, installed for the kernel, with nodes for this many GPUs.
    pub fn driver(self, version: &'static str, gpus: u32) -> Fake {
        self.tree
            .driver_loaded(version)
            .module_file(KERNEL, "updates/dkms/nvidia.ko", &Module::closed(version))
            .dkms("nvidia", version, &[KERNEL])
            .libraries(version)
            .nvidia_modprobe(true)
            // The number of what stands for the node.
            .file("proc/devices", "Character devices:\n  1 mem\n  1 nvidia-uvm\n195 nvidia\n195 nvidiactl\n\n");
        (0..gpus).fold(self.node("nvidiactl").node("nvidia-uvm"), |machine, n| machine.node(&format!("nvidia{n}")))
    }

    /// A node that can be opened: what is behind it is /dev/null.
    pub fn node(self, name: &str) -> Fake {
        self.tree.link("/dev/null", &format!("dev/{name}"));
        self
    }

    /// A variable of the user.
    pub fn variable(mut self, name: &str, value: &str) -> Fake {
        self.environment.push((name.to_string(), value.to_string()));
        self
    }

    /// Takes the loader's folder with the fakes away.
    pub fn without_libraries(self) -> Fake {
        std::fs::remove_dir_all(self.at("lib")).expect("remove the folder");
        let _ = std::fs::remove_file(self.at("bin/nvidia-smi"));
        self
    }

    /// An active virtual environment of pip with this torch.
    pub fn torch(self, torch: Torch) -> Fake {
        let cuda = torch.cuda.map_or("None".to_string(), |cuda| format!("'{cuda}'"));
        let text = std::fs::read_to_string(repository("tests/lab/fakes/torch.py")).expect("the fake torch");
        let machine = self.package("torch", &text).variable("VIRTUAL_ENV", "");
        let packages = machine.packages();
        std::fs::write(packages.join("torch/architectures.txt"), torch.architectures).expect("write");
        let version = format!("__version__ = '{}'\ncuda = {cuda}\nhip = None\nxpu = None\n", torch.version);
        std::fs::write(packages.join("torch/version.py"), version).expect("write");
        let metadata = packages.join(format!("torch-{}.dist-info", torch.version));
        std::fs::create_dir_all(&metadata).expect("create a folder");
        for (name, text) in [("INSTALLER", "pip\n"), ("METADATA", "Name: torch\n"), ("RECORD", "")] {
            std::fs::write(metadata.join(name), text).expect("write");
        }
        machine
    }

    /// An active virtual environment with a package of this text.
    pub fn package(self, name: &str, text: &str) -> Fake {
        let (program, _) = interpreter();
        let venv = self.at("venv");
        std::fs::create_dir_all(venv.join("bin")).expect("create a folder");
        std::fs::create_dir_all(self.packages().join(name)).expect("create a folder");
        std::fs::write(self.packages().join(name).join("__init__.py"), text).expect("write");
        let home = program.parent().expect("a folder").display();
        std::fs::write(venv.join("pyvenv.cfg"), format!("home = {home}\n")).expect("write");
        let _ = symlink(program, venv.join("bin/python"));
        self
    }

    /// A program instead of the interpreter of the active environment.
    pub fn python_program(self, text: &str) -> Fake {
        let machine = self.package("nothing", "");
        let path = machine.at("venv/bin/python");
        std::fs::remove_file(&path).expect("remove the link");
        std::fs::write(&path, text).expect("write");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("set permissions");
        machine
    }

    /// A program instead of nvidia-smi.
    pub fn smi_program(self, text: &str) -> Fake {
        let path = self.at("bin/nvidia-smi");
        std::fs::write(&path, text).expect("write");
        self
    }

    fn packages(&self) -> PathBuf {
        self.at("venv/lib").join(format!("python{}", interpreter().1)).join("site-packages")
    }

    /// The prefix of the active environment.
    pub fn prefix(&self) -> String {
        self.at("venv").display().to_string()
    }

    /// The calls that the fakes saw, by name (`calls = calls` in the scenario).
    pub fn calls(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.at("calls")).unwrap_or_default();
        text.lines().filter_map(|line| Some(line.split_once(' ')?.1.to_string())).collect()
    }

    /// The program on this machine.
    pub fn command(&self, arguments: &[&str]) -> assert_cmd::Command {
        self.subcommand("check", arguments)
    }

    /// The same with another subcommand that takes the flags of `check`.
    pub fn subcommand(&self, name: &str, arguments: &[&str]) -> assert_cmd::Command {
        let mut command = doctor();
        command
            .env_clear()
            // An active environment has its programs before those of the system.
            .env("PATH", format!("{}:{}:/usr/bin:/bin", self.at("bin").display(), self.at("venv/bin").display()))
            .env("HOME", self.at("home"))
            .env("LD_LIBRARY_PATH", self.at("lib"))
            .env("GPU_DOCTOR_SCENARIO", self.at("scenario"))
            .current_dir(self.at("home"));
        if self.at("venv").exists() {
            command.env("VIRTUAL_ENV", self.at("venv"));
        }
        for (name, value) in self.environment.iter().filter(|(name, _)| name != "VIRTUAL_ENV") {
            command.env(name, value);
        }
        command.arg(name).args(arguments).arg("--root").arg(self.tree.path()).arg("--root-live");
        command
    }

    /// Checks it. The same snapshot judged again must give the same report.
    pub fn check(&self, arguments: &[&str]) -> Checked {
        let saved = self.at("saved.json");
        let _ = std::fs::remove_file(&saved);
        let got = run(self.command(arguments).arg("--json").arg("--save").arg(&saved));
        let report = document(&got);
        let mut again = doctor();
        again.arg("check").arg("--from").arg(&saved);
        if arguments.contains(&"--strict") {
            again.arg("--strict");
        }
        let text = run(&mut again);
        let judged = run(again.arg("--json"));
        if std::env::var_os("GPU_DOCTOR_TEST_SHOW").is_some() {
            let shown = std::thread::current().name().unwrap_or_default().to_string();
            eprintln!("======== {shown} {arguments:?}: {}\n{}", got.code, text.stdout);
        }
        assert_eq!((judged.code, text.code), (got.code, got.code), "another exit status from the snapshot");
        let second = document(&judged);
        for part in ["verdict", "created_at", "root_causes", "checks", "unknowns", "facts"] {
            assert_eq!(report[part], second[part], "{part} differs when judged from the snapshot");
        }
        Checked { code: got.code, report, text: text.stdout }
    }
}

/// The one valid document of a run.
pub fn document(got: &Got) -> Value {
    static SCHEMA: OnceLock<jsonschema::Validator> = OnceLock::new();
    let schema = SCHEMA.get_or_init(|| {
        let text = std::fs::read(repository("schema/report.schema.json")).expect("the schema");
        jsonschema::validator_for(&serde_json::from_slice(&text).expect("JSON")).expect("a schema")
    });
    let value: Value = serde_json::from_str(&got.stdout)
        .unwrap_or_else(|e| panic!("no JSON document ({e}): {}\n{}", got.stdout, got.stderr));
    let errors: Vec<String> = schema.iter_errors(&value).map(|e| format!("{e} at {}", e.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    value
}

/// What a check gave.
pub struct Checked {
    pub code: i32,
    pub report: Value,
    pub text: String,
}

impl Checked {
    /// Verdict and exit status.
    #[track_caller]
    pub fn verdict(&self, verdict: &str, code: i32) -> &Checked {
        assert_eq!((self.report["verdict"].as_str(), self.code), (Some(verdict), code), "{}", self.text);
        self
    }

    /// All root causes in their order, as `slug` or `slug (confidence)`. No other may appear.
    #[track_caller]
    pub fn causes(&self, wanted: &[&str]) -> &Checked {
        let all = self.report["root_causes"].as_array().expect("root causes");
        let found: Vec<String> = all
            .iter()
            .zip(wanted.iter().map(|w| w.contains('(')).chain(std::iter::repeat(false)))
            .map(|(cause, sure)| {
                let slug = cause["slug"].as_str().expect("a slug");
                if sure { format!("{slug} ({})", cause["confidence"].as_str().expect("a word")) } else { slug.into() }
            })
            .collect();
        assert_eq!(found, wanted, "{}", self.text);
        self
    }

    /// The subject of the first root cause.
    #[track_caller]
    pub fn about(&self, id: &str) -> &Checked {
        assert_eq!(self.report["root_causes"][0]["subject"]["id"], id, "{}", self.text);
        self
    }

    /// Statuses of a check, in the order of its rows.
    #[track_caller]
    pub fn statuses(&self, id: &str, wanted: &[&str]) -> &Checked {
        let rows = self.report["checks"].as_array().expect("checks");
        let found: Vec<&str> = rows.iter().filter(|r| r["id"] == id).filter_map(|r| r["status"].as_str()).collect();
        assert_eq!(found, wanted, "{id}\n{}", self.text);
        self
    }

    /// No check failed or is unknown.
    #[track_caller]
    pub fn clean(&self) -> &Checked {
        for row in self.report["checks"].as_array().expect("checks") {
            assert!(!matches!(row["status"].as_str(), Some("fail" | "unknown" | "warn")), "{row}\n{}", self.text);
        }
        self
    }

    /// The value of a fact of the first context.
    pub fn fact(&self, key: &str, subject: &str) -> Option<&Value> {
        let facts = self.report["facts"].as_array().expect("facts");
        facts.iter().find(|fact| fact["key"] == key && fact["subject"]["id"] == subject)
    }

    /// Whether the text for a person says this.
    #[track_caller]
    pub fn says(&self, words: &str) -> &Checked {
        let flat = self.text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(words), "{words:?} is not in:\n{}", self.text);
        self
    }
}
