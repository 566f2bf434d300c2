//! Which copy of a framework an import takes, told from files alone, against what real interpreters do: PYTHONPATH, virtual
//! environments that are open or closed, the user's own packages, `.pth` files, Debian's folders, editable installs.

#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods)]

mod common;

use common::program::{copy_program, doctor, run};
use serde_json::Value;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The interpreters of this machine: that of the system, that of the tester and those of pyenv; each once, behind its links.
fn interpreters() -> Vec<PathBuf> {
    let home = PathBuf::from(std::env::var_os("HOME").expect("HOME"));
    let versions = std::fs::read_dir(home.join(".pyenv/versions")).into_iter().flatten().filter_map(Result::ok);
    let mut found: Vec<PathBuf> = versions.map(|version| version.path().join("bin/python3")).collect();
    found.sort();
    found.splice(0..0, ["/usr/bin/python3", "python3"].map(PathBuf::from));
    let script = "import sys, os; sys.version_info >= (3, 8) and print(os.path.realpath(sys.executable))";
    let real = |program: PathBuf| {
        let output = Command::new(program).args(["-I", "-c", script]).output().ok()?;
        Some(PathBuf::from(String::from_utf8(output.stdout).ok()?.trim())).filter(|path| path.is_file())
    };
    let all: Vec<PathBuf> = found.into_iter().filter_map(real).collect();
    found = Vec::new();
    all.into_iter().for_each(|path| {
        if !found.contains(&path) {
            found.push(path);
        }
    });
    assert!(!found.is_empty(), "no Python is here to compare with");
    found
}

/// A folder with an interpreter of its own, into whose folders packages can be put, and a home.
struct Stage {
    folder: tempfile::TempDir,
    /// `3.11`.
    minor: String,
    variables: Vec<(&'static str, String)>,
    copies: usize,
}

impl Stage {
    /// A copy of an interpreter whose standard library is that of the original, by links.
    fn new(original: &Path) -> Stage {
        let folder = tempfile::tempdir().expect("a folder");
        let name = original.file_name().and_then(|name| name.to_str()).expect("a name").to_string();
        let minor = name.strip_prefix("python").expect("a Python").to_string();
        let stage = Stage { folder, minor, variables: Vec::new(), copies: 0 };
        let library = format!("lib/{name}");
        std::fs::create_dir_all(stage.at(&format!("base/{library}"))).expect("create folders");
        std::fs::create_dir_all(stage.at("base/bin")).expect("create folders");
        std::fs::create_dir_all(stage.at("home")).expect("create folders");
        let prefix = original.ancestors().nth(2).expect("a prefix");
        for entry in std::fs::read_dir(prefix.join(&library)).expect("a library").map(|entry| entry.expect("a name")) {
            let own = ["site-packages", "dist-packages"].iter().any(|own| entry.file_name() == *own);
            if !own {
                let link = stage.at(&format!("base/{library}")).join(entry.file_name());
                symlink(entry.path(), link).expect("make a link");
            }
        }
        // A library of the interpreter beside it, where it has one.
        for entry in std::fs::read_dir(prefix.join("lib")).expect("a library").map(|entry| entry.expect("a name")) {
            if entry.file_name().to_string_lossy().starts_with("libpython") {
                symlink(entry.path(), stage.at("base/lib").join(entry.file_name())).expect("make a link");
            }
        }
        copy_program(original, stage.python("base"));
        stage
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().expect("a path").join(path)
    }

    fn python(&self, prefix: &str) -> PathBuf {
        self.at(&format!("{prefix}/bin/python{}", self.minor))
    }

    fn site(&self, prefix: &str) -> String {
        format!("{prefix}/lib/python{}/site-packages", self.minor)
    }

    fn file(&self, path: &str, text: &str) {
        let path = self.at(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("create folders");
        std::fs::write(path, text).expect("write a file");
    }

    /// A torch in a folder, each of another version.
    fn torch(&mut self, folder: &str) {
        self.copies += 1;
        let version = format!("__version__ = '2.{}.0+cpu'\ncuda = None\nhip = None\n", self.copies);
        self.file(&format!("{folder}/torch/__init__.py"), "");
        self.file(&format!("{folder}/torch/version.py"), &version);
    }

    /// A virtual environment of the copy, made by its own `venv`.
    fn venv(&self, arguments: &[&str]) {
        let mut command = Command::new(self.python("base"));
        command.args(["-m", "venv", "--without-pip"]).args(arguments).arg(self.at("venv"));
        let output = command.env_clear().output().expect("run venv");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// The same by hand, which is quicker.
    fn closed(&self) {
        std::fs::create_dir_all(self.at(&self.site("venv"))).expect("create folders");
        let home = self.at("base/bin").display().to_string();
        let settings = format!("home = {home}\ninclude-system-site-packages = false\nversion = {}.0\n", self.minor);
        self.file("venv/pyvenv.cfg", &settings);
        std::fs::create_dir_all(self.at("venv/bin")).expect("create a folder");
        symlink(self.python("base"), self.python("venv")).expect("make a link");
    }

    fn set(&mut self, name: &'static str, value: String) {
        self.variables.push((name, value));
    }

    /// The folders with a torch, in the order of the interpreter, and what an import takes.
    fn really(&self, program: &Path) -> Vec<String> {
        let script = "import sys, os, json, importlib.util as u\n\
             folders = [p for p in sys.path[1:] if os.path.exists(os.path.join(p, 'torch', '__init__.py'))]\n\
             spec = u.find_spec('torch')\n\
             taken = os.path.dirname(os.path.dirname(spec.origin)) if spec and spec.origin else None\n\
             print(json.dumps([taken] + [p for p in folders if p != taken] if taken else []))";
        let mut command = Command::new(program);
        command.env_clear().env("HOME", self.at("home")).current_dir(self.at("home")).args(["-B", "-c", script]);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        let output = command.output().expect("run the interpreter");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let list: Vec<String> = serde_json::from_slice(&output.stdout).expect("a list");
        // venv's lib64 is a link to its lib.
        list.iter().map(|path| path.replace("/lib64/", "/lib/")).collect()
    }

    fn check(&self, program: &Path, arguments: &[&str]) -> Value {
        let mut command = doctor();
        command.env_clear().env("HOME", self.at("home")).current_dir(self.at("home"));
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.arg("check").args(arguments).args(["--json", "--python"]).arg(program);
        serde_json::from_str(&run(&mut command).stdout).expect("JSON")
    }

    /// The same as the files tell it.
    fn told(&self, program: &Path, arguments: &[&str]) -> Vec<String> {
        let report = self.check(program, arguments);
        let facts = report["facts"].as_array().expect("facts");
        let places = |key: &'static str| {
            let of_torch = facts.iter().filter(move |fact| {
                fact["key"] == key && fact["subject"]["id"].as_str().is_some_and(|id| id.starts_with("torch@"))
            });
            of_torch.filter_map(|fact| fact["value"]["location"].as_str().map(str::to_string))
        };
        places("framework.distribution").chain(places("framework.hidden")).collect()
    }

    /// That both agree, and that there were as many.
    #[track_caller]
    fn agree(&self, prefix: &str, copies: usize) {
        let program = self.python(prefix);
        let really = self.really(&program);
        let what = format!("Python {} in {prefix} with {:?}", self.minor, self.variables);
        assert_eq!(self.told(&program, &["--quick"]), really, "{what}");
        assert_eq!(really.len(), copies, "{what}: {really:?}");
    }
}

#[test]
fn the_order_of_folders_is_that_of_real_interpreters() {
    for original in interpreters() {
        let fresh = || Stage::new(&original);

        // By itself: the user's packages, then its own; Debian's system Python has three folders of its own.
        let mut stage = fresh();
        let user = stage.site("home/.local");
        let own = match original.starts_with("/usr/bin") && Path::new("/etc/debian_version").exists() {
            true => vec![
                format!("base/local/lib/python{}/dist-packages", stage.minor),
                "base/lib/python3/dist-packages".to_string(),
                format!("base/lib/python{}/dist-packages", stage.minor),
            ],
            false => vec![stage.site("base")],
        };
        stage.torch(&user);
        own.iter().for_each(|folder| stage.torch(folder));
        stage.agree("base", 1 + own.len());
        stage.set("PYTHONNOUSERSITE", "1".to_string());
        stage.agree("base", own.len());

        // Another place for the user's packages; PYTHONPATH before all, with an empty part, a relative one and one that is not
        // there.
        let mut stage = fresh();
        own.iter().for_each(|folder| stage.torch(folder));
        let user = stage.site("elsewhere");
        stage.torch(&user);
        stage.torch("home/more");
        stage.torch("path");
        stage.set("PYTHONUSERBASE", stage.at("elsewhere").display().to_string());
        stage.set("PYTHONPATH", format!("{}:more:{}", stage.at("path").display(), stage.at("nowhere").display()));
        stage.agree("base", 3 + own.len());

        // A closed environment sees its own and PYTHONPATH.
        let mut stage = fresh();
        stage.venv(&[]);
        let (venv, user) = (stage.site("venv"), stage.site("home/.local"));
        own.iter().for_each(|folder| stage.torch(folder));
        stage.torch(&user);
        assert_eq!(stage.told(&stage.python("venv"), &["--quick"]), [""; 0]);
        stage.torch(&venv);
        stage.agree("venv", 1);
        stage.torch("path");
        stage.set("PYTHONPATH", stage.at("path").display().to_string());
        stage.agree("venv", 2);

        // An open one goes before the user's packages, and these before the interpreter's.
        let mut stage = fresh();
        stage.venv(&["--system-site-packages"]);
        own.iter().for_each(|folder| stage.torch(folder));
        stage.agree("venv", own.len());
        stage.torch(&user);
        stage.agree("venv", 1 + own.len());
        stage.torch(&venv);
        stage.agree("venv", 2 + own.len());
        // The interpreter, asked, leads to the same.
        let program = stage.python("venv");
        let live = ["--only", "framework", "--timeout", "10"];
        assert_eq!(stage.told(&program, &live), stage.really(&program), "Python {}", stage.minor);
        stage.set("PYTHONNOUSERSITE", "x".to_string());
        stage.agree("venv", 1 + own.len());

        // Where pyvenv.cfg does not say whether it is open, it is; what it says is compared without regard to case.
        let mut stage = fresh();
        stage.closed();
        own.iter().for_each(|folder| stage.torch(folder));
        stage.torch(&user);
        for (line, copies) in [
            ("", 1 + own.len()),
            ("Include-System-Site-Packages=TRUE\n", 1 + own.len()),
            ("include-system-site-packages = no\n", 0),
            ("include-system-site-packages = true\ninclude-system-site-packages = false\n", 0),
        ] {
            let settings = format!("home = {}\nversion = {}.0\n{line}", stage.at("base/bin").display(), stage.minor);
            stage.file("venv/pyvenv.cfg", &settings);
            stage.agree("venv", copies);
        }

        // What `.pth` files add comes behind their folder, in the order of their names.
        let mut stage = fresh();
        stage.closed();
        for name in ["one", "two", "three", "hidden"] {
            stage.torch(&format!("added/{name}"));
        }
        stage.file(&format!("{venv}/b.pth"), &format!("# no\n\n{}\n", stage.at("added/two").display()));
        stage.file(&format!("{venv}/a.pth"), "import sys\n../../../../added/one  \n/nowhere\nadded/none\n");
        stage.file(&format!("{venv}/c.pth.off"), &format!("{}\n", stage.at("added/three").display()));
        stage.agree("venv", 2);
        stage.torch(&venv);
        stage.agree("venv", 3);
        // A folder that a .pth file adds has none of its own that count.
        stage.file("added/one/more.pth", &format!("{}\n", stage.at("added/three").display()));
        stage.agree("venv", 3);

        // A folder without __init__.py gives way to a package behind it.
        let mut stage = fresh();
        stage.closed();
        stage.torch(&venv);
        stage.file("path/torch/data.csv", "");
        stage.set("PYTHONPATH", stage.at("path").display().to_string());
        stage.agree("venv", 1);
    }
}

#[test]
fn an_editable_install_is_found_behind_its_finder() {
    let original = interpreters().pop().expect("an interpreter");
    let mut stage = Stage::new(&original);
    stage.closed();
    let venv = stage.site("venv");
    stage.torch("source");
    // As setuptools writes it.
    let finder = format!(
        "import sys\nfrom importlib.util import spec_from_file_location\nMAPPING: dict = {{'torch': '{}'}}\n\
         class Finder:\n    @classmethod\n    def find_spec(cls, name, path=None, target=None):\n        \
         if name in MAPPING:\n            return spec_from_file_location(name, MAPPING[name] + '/__init__.py')\n\
         def install():\n    sys.meta_path.append(Finder)\n",
        stage.at("source/torch").display()
    );
    stage.file(&format!("{venv}/__editable___torch_2_5_0_finder.py"), &finder);
    let line = "import __editable___torch_2_5_0_finder; __editable___torch_2_5_0_finder.install()\n";
    stage.file(&format!("{venv}/__editable__.torch-2.5.0.pth"), line);
    let metadata = format!("{venv}/torch-2.5.0.dist-info");
    stage.file(&format!("{metadata}/METADATA"), "Name: torch\n");
    stage.file(&format!("{metadata}/INSTALLER"), "pip\n");
    let url = format!("{{\"dir_info\": {{\"editable\": true}}, \"url\": \"file://{}\"}}", stage.at("source").display());
    stage.file(&format!("{metadata}/direct_url.json"), &url);
    stage.agree("venv", 1);
    let report = stage.check(&stage.python("venv"), &["--quick"]);
    let value = |key: &str| {
        let facts = report["facts"].as_array().expect("facts");
        facts.iter().find(|fact| fact["key"] == key).unwrap_or_else(|| panic!("{key}"))["value"].clone()
    };
    assert_eq!(value("framework.distribution")["through"], "editable");
    assert_eq!(value("framework.origin")["kind"], "editable");
    assert_eq!(value("framework.origin")["from"], stage.at("source").display().to_string());
    // A package in a folder goes before it.
    stage.torch(&venv);
    stage.agree("venv", 1);
}

/// A wheel of a torch that holds nothing but its version, in `wheels`.
fn wheel(stage: &Stage, version: &str) -> PathBuf {
    let script = "import sys, zipfile\npath, version = sys.argv[1:]\ninfo = 'torch-%s.dist-info/' % version\n\
         files = {'torch/__init__.py': '', 'torch/version.py': \"__version__ = '%s'\\ncuda = None\\nhip = None\\n\" % version,\n\
         info + 'METADATA': 'Metadata-Version: 2.1\\nName: torch\\nVersion: %s\\n' % version,\n\
         info + 'WHEEL': 'Wheel-Version: 1.0\\nGenerator: x\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n'}\n\
         record = ''.join(name + ',,\\n' for name in files) + info + 'RECORD,,\\n'\n\
         with zipfile.ZipFile(path, 'w') as z:\n    for name, text in list(files.items()) + [(info + 'RECORD', record)]:\n        z.writestr(name, text)\n";
    std::fs::create_dir_all(stage.at("wheels")).expect("create a folder");
    let path = stage.at(&format!("wheels/torch-{version}-py3-none-any.whl"));
    let output = Command::new(stage.python("base")).args(["-c", script]).arg(&path).arg(version).output().expect("run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    path
}

#[test]
fn what_pip_writes_beside_a_package_is_read_and_what_it_lost_is_mended() {
    // Debian has that module in a package of its own.
    let has_pip = |path: &PathBuf| {
        let output = Command::new(path).args(["-I", "-c", "import ensurepip"]).output();
        output.is_ok_and(|output| output.status.success())
    };
    let original = interpreters().into_iter().rfind(has_pip).expect("a Python with ensurepip");
    let stage = Stage::new(&original);
    // With pip, which the copy's own ensurepip brings.
    let mut venv = Command::new(stage.python("base"));
    let made = venv.args(["-m", "venv"]).arg(stage.at("venv")).env_clear().output().expect("run venv");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let pip = |arguments: &[&str]| {
        let mut command = Command::new(stage.python("venv"));
        command.env_clear().env("HOME", stage.at("home")).current_dir(stage.at("home"));
        let output = command.args(["-m", "pip", "--disable-pip-version-check"]).args(arguments).output().expect("pip");
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let look = || stage.check(&stage.python("venv"), &["--quick"]);
    let values = |report: &Value, key: &str| -> Vec<Value> {
        let facts = report["facts"].as_array().expect("facts").iter();
        facts.filter(|fact| fact["key"] == key && fact["state"] == "seen").map(|fact| fact["value"].clone()).collect()
    };
    let wheel = wheel(&stage, "2.6.0+cpu").display().to_string();

    // By its file, then by its name from a folder of wheels.
    assert!(pip(&["install", "--no-index", &wheel]).0);
    let origin = &values(&look(), "framework.origin")[0];
    assert_eq!((&origin["kind"], &origin["from"]), (&Value::from("file"), &Value::from(wheel.replace('+', "%2B"))));
    assert!(pip(&["uninstall", "-y", "torch"]).0);
    let folder = stage.at("wheels").display().to_string();
    let by_name = ["install", "--no-index", "--find-links", &folder, "torch"];
    assert!(pip(&by_name).0);
    let report = look();
    let origin = &values(&report, "framework.origin")[0];
    assert_eq!((&origin["kind"], &origin["requested"]), (&Value::from("name"), &Value::from(true)));
    assert_eq!(values(&report, "framework.distribution")[0]["installer"], "pip");

    // Without the list of its files pip refuses to replace it, as the page says; with its files gone it does nothing.
    let metadata = stage.at(&format!("{}/torch-2.6.0+cpu.dist-info", stage.site("venv")));
    std::fs::remove_file(metadata.join("RECORD")).expect("remove a file");
    assert_eq!(values(&look(), "python.damage")[0]["kind"], "no_record");
    let again = ["install", "--no-index", "--find-links", &folder, "--force-reinstall", "torch"];
    let (done, said) = pip(&again);
    assert!(!done && said.contains("RECORD"), "{said}");
    std::fs::remove_dir_all(stage.at(&format!("{}/torch", stage.site("venv")))).expect("remove a folder");
    let report = look();
    assert_eq!(values(&report, "python.damage")[0]["kind"], "no_files");
    assert!(pip(&by_name).0);
    assert_eq!(stage.told(&stage.python("venv"), &["--quick"]), [""; 0]);
    // The page's way: away with what is left, and install it.
    std::fs::remove_dir_all(&metadata).expect("remove a folder");
    assert!(pip(&by_name).0);
    assert!(values(&look(), "python.damage").is_empty());
    stage.agree("venv", 1);
}
